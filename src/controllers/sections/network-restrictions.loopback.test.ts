import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Asked } from "../../../test/support/controllers/asked.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const READ = "networkRestrictions.get";
const APPLY = "networkRestrictions.apply";
const ADD = "networkRestrictions.update";
const BANS = "networkBans.list";
const NAME = "database.networkRestrictions";

function restricted(networkRestrictions: object): object {
  return { database: { networkRestrictions } };
}

async function allowed(): Promise<unknown> {
  const { client, ref } = stage;
  const { config } = await client.networkRestrictions.get({ ref });
  await stage.calls();
  return [...(config.dbAllowedCidrs ?? []), ...(config.dbAllowedCidrsV6 ?? [])];
}

describe("network restrictions", () => {
  it("[K-21] of a list with both families are sent apart, normal, and seen until they are applied", async () => {
    const spec = restricted({ allowedCidrs: ["203.0.113.7/24", "2001:DB8::/32", "198.51.100.7/32"] });
    await stage.start(spec);
    expect(stage.entry(NAME)).toMatchObject({ state: "Applying", message: expect.stringContaining("not applied yet") });
    expect(await stage.calls()).toEqual([READ, APPLY]);
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await stage.calls()).not.toContain(APPLY);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    expect(await allowed()).toEqual(["198.51.100.7/32", "203.0.113.0/24", "2001:db8::/32"]);
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
  });

  it("[K-21] replace what somebody else allowed where they are Exclusive", async () => {
    const { client, ref } = stage;
    await stage.apply(restricted({ allowedCidrs: ["203.0.113.0/24"], mode: "Exclusive" }));
    await client.networkRestrictions.update({ ref, body: { add: { dbAllowedCidrs: ["9.9.9.9/32"] } } });
    await stage.theatre.pass(10_000);
    await stage.calls();
    await stage.run();
    await stage.life.settle("Project", "shop");
    expect(await stage.calls()).toContain(APPLY);
    expect(await allowed()).toEqual(["203.0.113.0/24"]);
  });

  it("[K-21] leave what somebody else allowed where they are Additive, and are added by one request that names ours alone", async () => {
    const { client, ref } = stage;
    await client.networkRestrictions.apply({ ref, body: { dbAllowedCidrs: ["9.9.9.9/32"], dbAllowedCidrsV6: [] } });
    await stage.theatre.pass(10_000);
    await stage.calls();
    await stage.apply(
      restricted({ allowedCidrs: ["203.0.113.0/24", "9.9.9.9/32", "2001:db8::/32"], mode: "Additive" }),
    );
    const { entries } = await stage.theatre.emulator.control.log.read({});
    const bodies = entries.flatMap(({ operation, body }) => (operation === ADD ? [body] : []));
    expect(bodies).toEqual([{ add: { dbAllowedCidrs: ["203.0.113.0/24"], dbAllowedCidrsV6: ["2001:db8::/32"] } }]);
    expect(await allowed()).toEqual(["9.9.9.9/32", "203.0.113.0/24", "2001:db8::/32"]);
    await stage.apply(restricted({ allowedCidrs: ["203.0.113.0/24"], mode: "Additive" }));
    expect(await stage.calls()).toEqual([READ]);
  });

  it("let nobody in where denyAll says so, and are left when they are taken out of the spec", async () => {
    expect(await stage.apply(restricted({ denyAll: true }))).toMatchObject({ kind: "done" });
    expect(await allowed()).toEqual([]);
    await stage.apply({});
    await stage.run();
    expect(await stage.calls()).toEqual([]);
    expect(await allowed()).toEqual([]);
  });

  it.each([
    { spec: { denyAll: true }, v4: [], v6: [] },
    { spec: { allowedCidrs: ["203.0.113.0/24"] }, v4: ["203.0.113.0/24"], v6: [] },
    { spec: { allowedCidrs: ["2001:db8::/32"] }, v4: [], v6: ["2001:db8::/32"] },
  ])("[K-21] name both families, also the one that nobody is let in of: $spec", async ({ spec, v4, v6 }) => {
    await stage.apply(restricted(spec));
    const { entries } = await stage.theatre.emulator.control.log.read({ operation: APPLY });
    expect(entries.map(({ body }) => body)).toEqual([{ dbAllowedCidrs: v4, dbAllowedCidrsV6: v6 }]);
  });

  it("declared as nothing change nothing", async () => {
    expect(await stage.apply(restricted({}))).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([READ]);
  });

  it("are reported and left by driftPolicy Report", async () => {
    const { client, ref } = stage;
    const spec = restricted({ allowedCidrs: ["203.0.113.0/24"] });
    await stage.apply(spec);
    await stage.apply({ driftPolicy: "Report", ...spec });
    await client.networkRestrictions.apply({ ref, body: { dbAllowedCidrs: ["9.9.9.9/32"], dbAllowedCidrsV6: [] } });
    await stage.theatre.pass(10_000);
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
    expect(stage.entry(NAME)).toMatchObject({ state: "Drifted", fields: [`spec.${NAME}.allowedCidrs`] });
  });

  it("that the project may not have end as Failed with words, without a write, and are written once it may", async () => {
    const { emulator } = stage.theatre;
    await emulator.control.network.entitle({ ref: stage.ref, entitlement: "disallowed" });
    const outcome = await stage.apply(restricted({ allowedCidrs: ["203.0.113.0/24"] }));
    expect(outcome).toMatchObject({ kind: "terminal", reason: "Rejected" });
    expect(stage.entry(NAME)).toMatchObject({
      state: "Failed",
      message: expect.stringContaining("another plan, and the platform does not tell which"),
    });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).not.toContain(APPLY);
    await emulator.control.network.entitle({ ref: stage.ref, entitlement: "allowed" });
    await stage.run();
    expect(await stage.calls()).toContain(APPLY);
  });

  it("[K-02] that the platform answers 500 for at first wait, are tried again, and end in sync", async () => {
    const { faults } = stage.theatre.emulator.control;
    const body = { message: "Failed to apply network restrictions: pooler tenant not found" };
    await faults.add({ operation: APPLY, count: 3, fault: { kind: "status", status: 500, body } });
    const first = await stage.start(restricted({ allowedCidrs: ["203.0.113.0/24"] }));
    expect(first).toMatchObject({ kind: "transient", reason: "ServerUnavailable" });
    expect(stage.entry(NAME)).toMatchObject({ state: "Waiting", message: expect.stringContaining("pooler tenant") });
    expect(stage.condition("Stalled")?.status).not.toBe("True");
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect((await stage.calls()).filter((operation) => operation === APPLY)).toHaveLength(4);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });
});

describe("a project and its network restrictions", () => {
  it("[K-02] that are applied together end in sync, though the pooler comes up last", async () => {
    await using slow = await openSectionStage({ timings: { unknownMs: 500, comingUpMs: 3000, serviceLagMs: 5000 } });
    const { kubernetes } = slow.theatre;
    kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "young", namespace: "test" },
      spec: { organization: "acme", ...restricted({ allowedCidrs: ["203.0.113.0/24"] }) },
    });
    expect(await slow.life.settle("Project", "young")).toMatchObject({ kind: "done" });
    const young = kubernetes.get("projects", "test", "young");
    expect(young).toMatchObject({ status: { sections: [{ name: NAME, state: "InSync" }] } });
  });

  it("show who is banned where they are asked to, by one read more, as many as a status takes, and how many there are beside", async () => {
    const { control } = stage.theatre.emulator;
    const { ref } = stage;
    await stage.apply(restricted({ allowedCidrs: ["203.0.113.0/24"] }));
    await control.network.ban({ ref, address: "198.51.100.9" });
    await control.network.ban({ ref, address: "198.51.100.7" });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
    expect(stage.stored().networkBans).toBeUndefined();
    await stage.apply(restricted({ allowedCidrs: ["203.0.113.0/24"], showBans: true }));
    expect((await stage.calls()).toSorted()).toEqual([BANS, READ]);
    expect(stage.stored().networkBans).toEqual(["198.51.100.7", "198.51.100.9"]);
    for (let nth = 0; nth < 200; nth += 1) await control.network.ban({ ref, address: `192.0.2.${nth}` });
    await stage.run();
    expect(stage.stored().networkBans).toHaveLength(128);
    expect(stage.stored().networkBans?.at(-1)).toBe("and 75 more");
    await stage.apply(restricted({ allowedCidrs: ["203.0.113.0/24"] }));
    expect(stage.stored().networkBans).toBeUndefined();
  });

  it("show who is banned no more once that is lifted", async () => {
    const { control } = stage.theatre.emulator;
    await control.network.ban({ ref: stage.ref, address: "198.51.100.9" });
    const spec = restricted({ showBans: true });
    await stage.apply(spec);
    expect(stage.stored().networkBans).toEqual(["198.51.100.9"]);
    new Asked(stage.theatre).ask("Project", "shop", "lift-network-bans", "1");
    await stage.life.settle("Project", "shop");
    expect(stage.stored().networkBans).toEqual([]);
  });
});
