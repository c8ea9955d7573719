import { afterEach, beforeEach, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { type Life, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";

/** A merge of one branch whose answer is lost, and another branch's merge that comes to the same parent. */

let theatre: Theatre;
let asked: Asked;

beforeEach(async () => {
  theatre = await openTheatre();
  asked = new Asked(theatre);
});
afterEach(() => theatre[Symbol.asyncDispose]());

/** A life in which nothing of the merge of `preview` arrives. */
async function mergeInVain(): Promise<Life> {
  const life = await asked.withShop();
  for (const name of ["preview", "other"]) {
    asked.put("Branch", name, { projectRef: { name: "shop" } });
    expect(await life.settle("Branch", name)).toMatchObject({ kind: "done" });
  }
  await theatre.emulator.control.faults.add({ operation: "branches.merge", fault: { kind: "reset", phase: "before" } });
  asked.ask("Branch", "preview", "merge", "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Sending" }]);
  return life;
}

it("a run that began when nothing of the request could arrive any more did not come of it: its outcome is unknown", async () => {
  const life = await mergeInVain();
  await theatre.pass(150_000);
  asked.ask("Branch", "other", "merge", "1");
  await asked.settle(life, "Branch", "other");
  await life.run("Branch", "preview", "progress");
  expect(asked.requests("Branch", "other", "merge")).toMatchObject([{ state: "Succeeded" }]);
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Unknown" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
});

it("without another one it is sent again", async () => {
  const life = await mergeInVain();
  await theatre.pass(150_000);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Succeeded" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
});
