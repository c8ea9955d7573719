import { expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

/** A merge of one branch whose answer is lost, and another branch's merge that comes to the same parent. */

const asked = askedInEach();

/** A life in which there are two branches. */
async function withTwo(): Promise<Life> {
  const life = await asked.withShop();
  for (const name of ["preview", "other"]) {
    asked.put("Branch", name, { projectRef: { name: "shop" } });
    expect(await life.settle("Branch", name)).toMatchObject({ kind: "done" });
  }
  return life;
}

/** A life in which nothing of the merge of `preview` arrives. */
async function mergeInVain(): Promise<Life> {
  const life = await withTwo();
  await asked.theatre.emulator.control.faults.add({
    operation: "branches.merge",
    fault: { kind: "reset", phase: "before" },
  });
  asked.ask("Branch", "preview", "merge", "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Sending" }]);
  return life;
}

it("a run that began when nothing of the request could arrive any more did not come of it: its outcome is unknown", async () => {
  const life = await mergeInVain();
  await asked.theatre.pass(150_000);
  asked.ask("Branch", "other", "merge", "1");
  await asked.settle(life, "Branch", "other");
  await life.run("Branch", "preview", "progress");
  expect(asked.requests("Branch", "other", "merge")).toMatchObject([{ state: "Succeeded" }]);
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Unknown" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
});

/** Somebody pushes to a branch so often, as fast as the platform takes it. */
async function pushByHand(name: string, times: number): Promise<void> {
  const url = `${asked.theatre.emulator.url}/v1/branches/${asked.branch(name).ref}/push`;
  const headers = { authorization: "Bearer token", "content-type": "application/json" };
  for (let taken = 0; taken < times;) {
    const { status } = await fetch(url, { method: "POST", headers, body: "{}" });
    if (status === 201) taken += 1;
    else if (status === 429) await asked.theatre.pass(60_000);
    else throw new Error(`the push is answered ${status}`);
  }
}

it.each([
  { newer: 110, state: "Succeeded", why: "it is looked for behind them" },
  { newer: 1010, state: "Unknown", why: "nobody looks as far back" },
])("a merge that was carried out is not sent again, behind $newer newer runs: $why", async ({ newer, state }) => {
  const life = await withTwo();
  const { control } = asked.theatre.emulator;
  await control.faults.add({ operation: "branches.merge", fault: { kind: "reset", phase: "after" } });
  // What was there before the merge is read; what came of it is not.
  await control.faults.add({ operation: "actions.list", fault: { kind: "delay", ms: 0 } });
  await control.faults.add({ operation: "actions.list", count: null, fault: { kind: "status", status: 503 } });
  asked.ask("Branch", "preview", "merge", "1");
  await life.runWhileTimePasses("Branch", "preview");
  await control.faults.clear();
  await pushByHand("other", newer);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state }]);
  expect(await asked.calls("branches.merge")).toBe(1);
});

it("another branch's run of the same moment is not taken for it: nothing arrived, and it is sent again", async () => {
  const life = await mergeInVain();
  await pushByHand("other", 1);
  await life.run("Branch", "preview", "progress");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Sending" }]);
  await asked.theatre.pass(150_000);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Succeeded" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
});

it("a run that another object's record has is not taken for it: both were asked for in the same moment, and one arrived", async () => {
  const life = await mergeInVain();
  asked.ask("Branch", "other", "merge", "1");
  await asked.settle(life, "Branch", "other");
  await life.run("Branch", "preview", "progress");
  await asked.settle(life, "Branch", "preview");
  const [theirs] = asked.requests("Branch", "other", "merge");
  expect(theirs).toMatchObject({ state: "Succeeded", run: { id: expect.any(String) } });
  const [{ state, run } = {}] = asked.requests("Branch", "preview", "merge");
  expect({ state, run }).toEqual({ state: "Unknown", run: undefined });
  expect(await asked.calls("branches.merge")).toBe(2);
});

it("where two are in doubt, a run of the parent is taken for neither", async () => {
  const life = await withTwo();
  const { control } = asked.theatre.emulator;
  for (const name of ["preview", "other"]) {
    const phase = name === "other" ? "after" : "before";
    await control.faults.add({ operation: "branches.merge", fault: { kind: "reset", phase } });
    // What was there before the merge is read; what came of it is not.
    await control.faults.add({ operation: "actions.list", fault: { kind: "delay", ms: 0 } });
    await control.faults.add({ operation: "actions.list", count: null, fault: { kind: "status", status: 503 } });
    asked.ask("Branch", name, "merge", "1");
    await life.runWhileTimePasses("Branch", name);
    await control.faults.clear();
  }
  for (const name of ["preview", "other"]) await life.run("Branch", name, "progress");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Sending" }]);
  await asked.settle(life, "Branch", "preview");
  await asked.settle(life, "Branch", "other");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Unknown" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
});

it("a merge that is in doubt in another project keeps none from being told by a run of its own parent", async () => {
  const life = await withTwo();
  const { control } = asked.theatre.emulator;
  asked.put("Project", "depot", { organization: "acme", deletionPolicy: "Retain" });
  await life.settle("Project", "depot");
  asked.put("Branch", "elsewhere", { projectRef: { name: "depot" } });
  expect(await life.settle("Branch", "elsewhere")).toMatchObject({ kind: "done" });
  for (const [name, phase] of [
    ["elsewhere", "before"],
    ["preview", "after"],
  ] as const) {
    await control.faults.add({ operation: "branches.merge", fault: { kind: "reset", phase } });
    // What was there before the merge is read; what came of it is not.
    await control.faults.add({ operation: "actions.list", fault: { kind: "delay", ms: 0 } });
    await control.faults.add({ operation: "actions.list", count: null, fault: { kind: "status", status: 503 } });
    asked.ask("Branch", name, "merge", "1");
    await life.runWhileTimePasses("Branch", name);
    await control.faults.clear();
    expect(asked.requests("Branch", name, "merge")).toMatchObject([{ state: "Sending" }]);
  }
  await life.run("Branch", "preview", "progress");
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Succeeded" }]);
});

it.each([
  { verb: "reset", sends: 1 },
  { verb: "push", sends: 2 },
])("a push by hand a moment after a $verb that was lost is not taken for it", async ({ verb, sends }) => {
  const life = await withTwo();
  const operation = `branches.${verb}`;
  await asked.theatre.emulator.control.faults.add({ operation, fault: { kind: "reset", phase: "before" } });
  asked.ask("Branch", "preview", verb, "1");
  await life.run("Branch", "preview");
  await asked.theatre.pass(2000);
  await pushByHand("preview", 1);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", verb)).toMatchObject([{ state: "Unknown" }]);
  expect(await asked.calls(operation)).toBe(sends); // a push by hand among them
});

it("without another one it is sent again", async () => {
  const life = await mergeInVain();
  await asked.theatre.pass(150_000);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "merge")).toMatchObject([{ state: "Succeeded" }]);
  expect(await asked.calls("branches.merge")).toBe(2);
});
