import { beforeEach, describe, expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import type { Life } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** A transfer or an upgrade that is refused again and again: the status lists why after each try, and for an operator that starts. */

const REF = "abcdefghijklmnopqrst";
const SHOP = { organization: "acme", ref: REF, transferPolicy: "Allow" };
/** Longer than what was refused rests, and shorter than a lost request is looked for, milliseconds. */
const AGAIN_MS = 610_000;

const asked = askedInEach(AT_ONCE);
let life: Life;

beforeEach(async () => {
  await asked.theatre.emulator.control.state.seed({
    organizations: [{ slug: "other", members: { owner: "Owner" } }],
    projects: [{ name: "shop", ref: REF, organization: "acme", postgresVersion: "15.8.1.085" }],
  });
  life = await asked.theatre.life();
  asked.put("Project", "shop", SHOP);
  await life.settle("Project", "shop");
});

describe.each([
  {
    operation: "upgrades.start",
    spec: { ...SHOP, database: { version: "17" } },
    told: { upgrade: { blockers: [expect.stringContaining("not today")] } },
    record: () => asked.project("shop").upgrade,
  },
  {
    operation: "transfers.create",
    spec: { ...SHOP, organization: "other" },
    told: { transfer: { errors: [expect.stringContaining("not today")] } },
    record: () => asked.project("shop").transfer,
  },
] as const)("$operation, refused three times", ({ operation, spec, told, record }) => {
  async function refuse(): Promise<void> {
    const fault = { kind: "status", status: 400, body: { message: "not today" }, phase: "before" } as const;
    await asked.theatre.emulator.control.faults.add({ operation, count: null, fault });
    asked.put("Project", "shop", spec);
    await life.run("Project", "shop");
    expect(asked.project("shop")).toMatchObject(told);
    for (let n = 0; n < 2; n += 1) {
      await asked.theatre.pass(AGAIN_MS);
      await life.run("Project", "shop", "progress");
    }
    expect(await asked.calls(operation)).toBe(3);
  }

  it("lists why, as after the first try", async () => {
    await refuse();
    expect(asked.project("shop")).toMatchObject(told);
  });

  it("is said to have been refused by an operator that starts, which looks for it before it asks again", async () => {
    await refuse();
    const next = await asked.theatre.life();
    expect(await next.run("Project", "shop")).toMatchObject({ message: expect.stringContaining("not today") });
    expect(await asked.calls(operation)).toBe(3);
  });

  it("lists it no more once it is done", async () => {
    await refuse();
    await asked.theatre.emulator.control.faults.clear({});
    await asked.theatre.pass(AGAIN_MS);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(record()).toMatchObject({ state: "Succeeded" });
    expect(record()).not.toHaveProperty("blockers");
    expect(record()).not.toHaveProperty("errors");
  });

  it("lists it no more where the answer to the one that was taken is lost", async () => {
    await refuse();
    await asked.theatre.emulator.control.faults.clear({});
    await asked.theatre.emulator.control.faults.add({ operation, count: 1, fault: { kind: "reset", phase: "after" } });
    await asked.theatre.pass(AGAIN_MS);
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(record()).toMatchObject({ state: "Succeeded" });
    expect(record()).not.toHaveProperty("blockers");
    expect(record()).not.toHaveProperty("errors");
  });
});
