import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What cannot be had as things are is refused where it would be written: where nothing is, it differs like anything else, and nobody is told what to do. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

interface Blocked {
  readonly section: string;
  readonly field: string;
  readonly spec: object;
  /** has the platform be as declared, where the declaration alone does not */
  readonly agree?: (on: SectionStage) => Promise<unknown>;
  /** makes the platform one that cannot be brought to it */
  readonly differ: (on: SectionStage) => Promise<unknown>;
  readonly reason: string;
  readonly advice: string;
}

const KEY = "0f".repeat(32);
const BLOCKED: readonly Blocked[] = [
  {
    section: "branching",
    field: "spec.branching",
    spec: { branching: "Disabled" },
    differ: async ({ client, ref, theatre }) => {
      for (const branch_name of ["main", "two"]) {
        await client.branches.create({ ref, body: { branch_name } });
        await theatre.pass(60_001);
      }
    },
    reason: "Rejected",
    advice: "delete them first",
  },
  {
    section: "encryptionRootKey",
    field: "spec.encryptionRootKey",
    spec: { encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } } },
    agree: async (on) => {
      const { root_key: rootKey } = await on.client.encryptionKey.get({ ref: on.ref });
      on.putSecret("root", { rootKey });
    },
    differ: async (on) => {
      const { client, ref } = on;
      const { root_key: rootKey } = await client.encryptionKey.get({ ref });
      on.putSecret("root", { rootKey });
      await client.encryptionKey.update({ ref, body: { root_key: KEY } });
    },
    reason: "RequestNeeded",
    advice: "annotate",
  },
  {
    section: "database.networkRestrictions",
    field: "spec.database.networkRestrictions.allowedCidrs",
    spec: { database: { networkRestrictions: { allowedCidrs: ["203.0.113.0/24"] } } },
    differ: async ({ client, ref, theatre }) => {
      await client.networkRestrictions.apply({ ref, body: { dbAllowedCidrs: ["0.0.0.0/0"] } });
      await theatre.emulator.control.network.entitle({ ref, entitlement: "disallowed" });
      await theatre.pass(60_001);
    },
    reason: "Rejected",
    advice: "they need another plan",
  },
  {
    section: "database.jitAccess",
    field: "spec.database.jitAccess",
    spec: { database: { jitAccess: "Enabled" } },
    differ: ({ ref, theatre }) =>
      theatre.emulator.control.jit.setAvailability({ ref, unavailableReason: "postgres_upgrade_required" }),
    reason: "InvalidSpec",
    advice: "raise spec.database.version",
  },
  {
    section: "legacyApiKeysEnabled",
    field: "spec.legacyApiKeysEnabled",
    spec: { legacyApiKeysEnabled: true },
    differ: ({ theatre }) => {
      const fault = { kind: "status", status: 404, body: { message: "Not Found" } } as const;
      return theatre.emulator.control.faults.add({ operation: "apiKeys.getLegacy", count: null, fault });
    },
    reason: "Rejected",
    advice: "spec.legacyApiKeysEnabled: the platform has no legacy keys",
  },
];

describe.each(BLOCKED)("what the platform cannot be brought to: $section", (one) => {
  it("is refused where it would be written, with what to do", async () => {
    await one.differ(stage);
    expect(await stage.apply(one.spec)).toMatchObject({ kind: "terminal", reason: one.reason });
    expect(stage.entry(one.section)).toMatchObject({
      state: "Failed",
      reason: one.reason,
      message: expect.stringContaining(one.advice),
    });
  });

  it("is told as a difference, without advice, where the project is only observed", async () => {
    await one.differ(stage);
    await stage.apply({ managementPolicy: "Observe", ...one.spec });
    expect(stage.entry(one.section)).toMatchObject({ state: "Drifted", fields: [one.field] });
    expect(stage.entry(one.section)?.message).not.toContain(one.advice);
    expect(stage.condition("Drifted")).toMatchObject({ status: "True" });
    expect(stage.condition("Ready")?.message).not.toContain(one.advice);
  });

  it.each([
    { driftPolicy: "Report", state: "Drifted" },
    { driftPolicy: "Ignore", state: "InSync" },
  ])("that came to be by hand is left under $driftPolicy: $state", async ({ driftPolicy, state }) => {
    await one.agree?.(stage);
    await stage.apply({ driftPolicy, ...one.spec });
    expect(stage.entry(one.section)).toMatchObject({ state: "InSync" });
    await one.differ(stage);
    await stage.run();
    await stage.settle();
    expect(stage.entry(one.section)).toMatchObject({ state, fields: [one.field] });
    expect(stage.entry(one.section)?.message).not.toContain(one.advice);
  });
});

describe("database webhooks", () => {
  it("of a project that is only observed are nothing that is known", async () => {
    await stage.apply({ managementPolicy: "Observe", database: { webhooksEnabled: true } });
    expect(stage.entry("database.webhooksEnabled")).toMatchObject({
      message: expect.stringContaining("the platform does not tell whether database webhooks are enabled"),
    });
  });
});
