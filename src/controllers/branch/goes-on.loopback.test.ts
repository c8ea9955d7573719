import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { applyBranch, applyProject, branchStatus, secretData } from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { findCondition } from "../shared/conditions.ts";

/** A part of a Branch that fails holds up neither its settings nor its outputs, and is told of all the same. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  applyProject(theatre, {});
  await life.settle("Project", "shop");
  applyBranch(theatre, {});
  await life.settle("Branch", "preview");
});

afterEach(() => theatre[Symbol.asyncDispose]());

const REST = { dataApi: { maxRows: 77 }, writeConnectionSecretToRef: { name: "out", keys: [{ key: "url" }] } };

async function refuse(operation: string, status: number, message: string): Promise<void> {
  const fault = { kind: "status", status, body: { message }, phase: "before" } as const;
  await theatre.emulator.control.faults.add({ operation, count: null, fault });
}

async function persist(): Promise<void> {
  const { ref = "", parentRef = "" } = branchStatus(theatre);
  await life.client.branches.update({ branch_id_or_ref: ref, body: { persistent: true } }, { parentRef });
  await theatre.pass(600_000);
  await life.run("Branch", "preview", "drift");
}

const ready = () => findCondition(branchStatus(theatre).conditions, "Ready");

describe("settings and outputs go on beside", () => {
  it.each([
    {
      why: "a name that the platform refuses",
      spec: { name: "taken" },
      arrange: () => refuse("branches.update", 409, "the name is taken"),
      told: { status: "False", reason: "Rejected", says: "could not update the branch: " },
    },
    {
      why: "a name that the platform fails over",
      spec: { name: "another" },
      arrange: () => refuse("branches.update", 500, "oops"),
      told: { status: "Unknown", reason: "ServerUnavailable", says: "could not update the branch: " },
    },
    {
      why: "a ttl of what does not expire",
      spec: { ttl: "99h" },
      arrange: persist,
      told: { status: "False", reason: "InvalidSpec", says: "spec.ttl: the branch is persistent" },
    },
  ])("$why", async ({ spec, arrange, told: { status, reason, says } }) => {
    await arrange();
    applyBranch(theatre, { ...REST, ...spec });
    await life.runWhileTimePasses("Branch", "preview");
    const { ref = "", sections = [], expiresAt } = branchStatus(theatre);
    expect((await life.client.dataApi.get({ ref })).max_rows).toBe(77);
    expect(sections).toMatchObject([{ name: "dataApi", state: "InSync" }]);
    expect(secretData(theatre, "out")).toHaveProperty("url");
    expect(ready()).toMatchObject({ status, reason, message: expect.stringContaining(says) });
    expect(expiresAt).toBeUndefined();
  });
});

it("a name that is refused is written as soon as it is taken, and no drift", async () => {
  await refuse("branches.update", 409, "the name is taken");
  applyBranch(theatre, { ...REST, name: "taken", driftPolicy: "Report" });
  await life.settle("Branch", "preview");
  await theatre.emulator.control.faults.clear({});
  await theatre.pass(600_000);
  expect(await life.run("Branch", "preview", "drift")).toMatchObject({ kind: "done" });
  expect(branchStatus(theatre).name).toBe("taken");
  expect(findCondition(branchStatus(theatre).conditions, "Drifted")).toBeUndefined();
});

it("a name that is refused puts off no end of a ttl", async () => {
  await refuse("branches.update", 409, "the name is taken");
  applyBranch(theatre, { name: "taken", ttl: "1h" });
  await life.settle("Branch", "preview");
  const { expiresAt = "" } = branchStatus(theatre);
  await theatre.pass(Date.parse(expiresAt) - life.environment.clock.now() - 60_000);
  const outcome = await life.run("Branch", "preview", "drift");
  expect(outcome).toMatchObject({ kind: "terminal", reason: "Rejected" });
  expect(outcome.kind === "terminal" && (outcome.recheckAfterMs ?? Infinity) <= 60_000).toBe(true);
});
