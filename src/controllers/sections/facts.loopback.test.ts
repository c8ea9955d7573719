import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What a section shows beside what it declares: where it cannot be read, what is declared is carried out all the same. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

type FactRead = "networkBans.list" | "disk.autoscale";

/** of the platform, which no message of ours has */
const WORDS = "the platform is busy with a kiwi";
const CIDR = "203.0.113.0/24";

const FACTS: readonly {
  readonly section: string;
  readonly read: FactRead;
  readonly permission: string;
  readonly shown: "networkBans" | "diskAutoscale";
  readonly spec: object;
  readonly isWritten: (on: SectionStage) => Promise<boolean>;
}[] = [
  {
    section: "database.networkRestrictions",
    read: "networkBans.list",
    permission: "database_network_bans_read",
    shown: "networkBans",
    spec: { database: { networkRestrictions: { allowedCidrs: [CIDR], showBans: true } } },
    isWritten: async ({ client, ref }) =>
      (await client.networkRestrictions.get({ ref })).config.dbAllowedCidrs?.join(" ") === CIDR,
  },
  {
    section: "disk",
    read: "disk.autoscale",
    permission: "infra_disk_config_read",
    shown: "diskAutoscale",
    spec: { disk: { sizeGb: 40 } },
    isWritten: async ({ client, ref }) => (await client.disk.get({ ref })).attributes.size_gb === 40,
  },
];

const FAULTS = [
  { status: 403, why: "the token may not" },
  { status: 404, why: "the platform knows nothing of it" },
  { status: 500, why: "the platform fails at it" },
] as const;

const CASES = FACTS.flatMap((fact) => FAULTS.map((fault) => ({ ...fact, ...fault })));

async function refuse({ theatre }: SectionStage, operation: FactRead, status: number): Promise<void> {
  const fault = { kind: "status", status, body: { message: WORDS } } as const;
  await theatre.emulator.control.faults.add({ operation, count: null, fault });
}

describe("what a section shows beside what it declares", () => {
  it.each(CASES)("keeps no write of $section undone where $read answers $status: $why", async (one) => {
    await refuse(stage, one.read, one.status);
    stage.theatre.kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "shop", namespace: "test" },
      spec: { organization: "acme", ...one.spec },
    });
    // The client repeats a read that the platform failed at.
    await stage.life.runWhileTimePasses("Project", "shop");
    expect(await one.isWritten(stage)).toBe(true);
    await stage.theatre.pass(60_000);
    await stage.life.runWhileTimePasses("Project", "shop");
    expect(stage.entry(one.section)).toMatchObject({ state: "InSync", message: expect.stringContaining(WORDS) });
    expect(stage.stored()[one.shown]).toBeUndefined();
  });

  it.each(FACTS)("says which permission would show it: $permission", async ({ read, section, spec, permission }) => {
    await refuse(stage, read, 403);
    await stage.apply(spec);
    expect(stage.entry(section)?.message).toContain(`permission ${permission}`);
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
  });

  it.each(FACTS)(
    "is shown again once $read answers, and nothing is said of it",
    async ({ read, section, spec, shown }) => {
      await refuse(stage, read, 403);
      await stage.apply(spec);
      await stage.theatre.emulator.control.faults.clear({});
      await stage.theatre.pass(60_000);
      await stage.run("drift");
      expect(stage.entry(section)).not.toHaveProperty("message");
      expect(stage.stored()[shown]).toBeDefined();
    },
  );

  it("is what was read, also where the write after it failed", async () => {
    await stage.apply({ disk: { sizeGb: 40 }, database: { networkRestrictions: { showBans: true } } });
    const { emulator } = stage.theatre;
    await emulator.control.network.ban({ ref: stage.ref, address: "203.0.113.9" });
    for (const operation of ["networkRestrictions.apply", "disk.update"] as const) {
      const fault = { kind: "status", status: 422, body: { message: WORDS } } as const;
      await emulator.control.faults.add({ operation, count: null, fault });
    }
    await stage.apply({ database: { networkRestrictions: { showBans: true, allowedCidrs: [CIDR] } } });
    expect(stage.entry("database.networkRestrictions")).toMatchObject({ state: "Failed" });
    expect(stage.stored().networkBans).toEqual(["203.0.113.9"]);
  });

  it("leaves out of how the disk grows what the platform answers null for, and no look writes that again", async () => {
    const body = { growth_percent: null, min_increment_gb: 10, max_size_gb: null };
    const fault = { kind: "status", status: 200, body } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "disk.autoscale", count: null, fault });
    expect(await stage.apply({ disk: { sizeGb: 40 } })).toMatchObject({ kind: "done" });
    expect(stage.stored().diskAutoscale).toEqual({ minIncrementGb: 10 });
    const { kubernetes } = stage.theatre;
    const writes = kubernetes.writes;
    expect(await stage.run()).toMatchObject({ kind: "done" });
    expect(kubernetes.writes - writes).toBe(0);
  });

  it("is no hostname any more where none was found, and another one could not be begun", async () => {
    await stage[Symbol.asyncDispose]();
    stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "pro" }] } });
    await stage.start({ addons: { customDomain: true }, customHostname: { hostname: "api.example.com" } });
    expect(stage.stored().customHostname).toMatchObject({ state: "2_initiated" });
    await stage.client.customHostname.delete({ ref: stage.ref });
    const fault = { kind: "status", status: 422, body: { message: WORDS } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "customHostname.initialize", count: null, fault });
    await stage.run();
    expect(stage.entry("customHostname")).toMatchObject({ state: "Failed" });
    expect(stage.stored().customHostname).toBeUndefined();
  });
});
