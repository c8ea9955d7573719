import { beforeEach, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";

/** A branch whose ttl ended softly: until it is had back, nothing is carried out on it but what has it back. */

const spec = { projectRef: { name: "shop" }, ttl: "1h", softDelete: true };

const asked = askedInEach();
let life: Life;

/** Lets the ttl end. */
async function end(): Promise<void> {
  await asked.theatre.pass(Date.parse(asked.branch("preview").expiresAt ?? "") - asked.theatre.clock.now() + 2000);
  await life.settle("Branch", "preview");
  expect(asked.condition("Branch", "preview", "Expired")).toMatchObject({ status: "True" });
}

beforeEach(async () => {
  life = await asked.withShop();
  await asked.theatre.emulator.control.projects.patch({ ref: asked.shopRef(), softBranchDeletion: true });
  asked.put("Branch", "preview", spec);
  await life.settle("Branch", "preview");
  await end();
});

it.each(["restart", "reset", "request-review"])(
  "a %s is refused at its second end, where the restoration of its first life still stands there",
  async (verb) => {
    asked.ask("Branch", "preview", "restore", "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Succeeded" }]);
    await end();
    asked.ask("Branch", "preview", verb, "1");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", verb)).toMatchObject([
      { state: "Refused", message: expect.stringContaining("the ttl of the branch ended") },
    ]);
    expect(await asked.calls("projects.restart")).toBe(0);
    expect(await asked.calls("branches.update")).toBe(0);
    expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ reason: "Expired" });
    asked.ask("Branch", "preview", "restore", "2");
    await asked.settle(life, "Branch", "preview");
    expect(asked.requests("Branch", "preview", "restore").at(-1)).toMatchObject({ state: "Succeeded" });
  },
);

it("a restart that is asked for with a restoration waits for that, and is refused where the branch is not kept", async () => {
  const fault = { kind: "status", status: 403, body: { message: "no" }, phase: "before" } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "branches.restore", count: null, fault });
  asked.ask("Branch", "preview", "restore", "1");
  asked.ask("Branch", "preview", "restart", "1");
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Failed" }]);
  expect(asked.requests("Branch", "preview", "restart")).toMatchObject([{ state: "Refused" }]);
  expect(await asked.calls("projects.restart")).toBe(0);
});

it("a restart that is asked for with a restoration is carried out on the branch that is kept", async () => {
  asked.ask("Branch", "preview", "restore", "1");
  asked.ask("Branch", "preview", "restart", "1");
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Succeeded" }]);
  expect(asked.requests("Branch", "preview", "restart")).toMatchObject([{ state: "Succeeded" }]);
});

it("another branch of its name is not the one that was to be kept: the restoration has failed", async () => {
  const fault = { kind: "reset", phase: "before" } as const;
  await asked.theatre.emulator.control.faults.add({ operation: "branches.restore", fault });
  asked.ask("Branch", "preview", "restore", "1");
  await life.run("Branch", "preview");
  expect(asked.requests("Branch", "preview", "restore")).toMatchObject([{ state: "Sending" }]);
  await asked.theatre.pass(3_600_000);
  const made = await fetch(`${asked.theatre.emulator.url}/v1/projects/${asked.shopRef()}/branches`, {
    method: "POST",
    headers: { authorization: "Bearer token", "content-type": "application/json" },
    body: JSON.stringify({ branch_name: "preview" }),
  });
  expect(made.status).toBe(201);
  await asked.settle(life, "Branch", "preview");
  expect(asked.requests("Branch", "preview", "restore")).toMatchObject([
    { state: "Failed", message: "the branch is gone" },
  ]);
  expect(asked.branch("preview").ref).toBeUndefined();
  expect(asked.condition("Branch", "preview", "Ready")).toMatchObject({ reason: "Expired" });
});
