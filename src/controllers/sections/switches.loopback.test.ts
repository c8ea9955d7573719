import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { branchKind } from "../../resources/branch/kind.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

describe("legacy keys", () => {
  it("[K-09] are one switch for both", async () => {
    const { client, ref } = stage;
    await stage.apply({ legacyApiKeysEnabled: false });
    expect(await stage.calls()).toEqual(["apiKeys.getLegacy", "apiKeys.updateLegacy"]);
    expect(await client.apiKeys.getLegacy({ ref })).toEqual({ enabled: false });
    await client.apiKeys.updateLegacy({ ref, enabled: true });
    await stage.run();
    expect(await client.apiKeys.getLegacy({ ref })).toEqual({ enabled: false });
  });

  it.each([
    { enabled: false, state: "InSync" },
    { enabled: true, state: "Failed" },
  ])(
    "[K-10] whose endpoint is gone are $state where $enabled is declared, and are asked for no more than a drift check asks",
    async ({ enabled, state }) => {
      await stage.theatre.emulator.control.faults.add({
        operation: "apiKeys.getLegacy",
        count: 10,
        fault: { kind: "status", status: 404, body: { message: "Not Found" } },
      });
      await stage.apply({ legacyApiKeysEnabled: enabled });
      expect(stage.entry("legacyApiKeysEnabled")).toMatchObject({ state });
      await stage.calls();
      await stage.run();
      expect(await stage.calls()).toEqual(["apiKeys.getLegacy"]);
      await stage.run();
      // Told once, whatever is looked at.
      const told = stage.life.events.filter(({ note }) => note.includes("no legacy keys any more"));
      expect(told).toHaveLength(1);
      expect(stage.entry("legacyApiKeysEnabled")?.message).toContain("no legacy keys any more: remove the field");
    },
  );
});

describe("legacy keys that one answer does not find", () => {
  it("are not taken for gone: they are looked for once more, and nobody is told", async () => {
    await stage.apply({ legacyApiKeysEnabled: false });
    const { theatre, life } = stage;
    const fault = { kind: "status", status: 404, body: { message: "Not Found" } } as const;
    await theatre.emulator.control.faults.add({ operation: "apiKeys.getLegacy", fault });
    await theatre.pass(600_000);
    const before = { status: stage.stored(), told: life.events.length, writes: theatre.kubernetes.writes };
    expect(await stage.run()).toMatchObject({ kind: "waiting", reason: "AnswerUnconfirmed", untold: true });
    await theatre.pass(5000);
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    const after = { status: stage.stored(), told: life.events.length, writes: theatre.kubernetes.writes };
    expect(after).toEqual(before);
  });

  it("keep nothing from being told that the run did beside: it is done once, and told once", async () => {
    await stage.apply({ legacyApiKeysEnabled: false });
    const { theatre, life } = stage;
    const fault = { kind: "status", status: 404, body: { message: "Not Found" } } as const;
    await theatre.emulator.control.faults.add({ operation: "apiKeys.getLegacy", fault });
    await theatre.pass(600_000);
    const shop = theatre.kubernetes.get("projects", NAMESPACE, "shop");
    const asked = { ...shop?.metadata.annotations, "baas.dev/lift-network-bans": "not an id" };
    const metadata = { name: "shop", namespace: NAMESPACE, annotations: asked };
    theatre.kubernetes.put("projects", { ...shop, metadata });
    const before = stage.entry("legacyApiKeysEnabled");
    expect(await stage.run()).toMatchObject({ kind: "waiting", untold: true });
    expect(stage.stored().requests).toMatchObject([{ verb: "lift-network-bans", state: "Refused" }]);
    expect(stage.entry("legacyApiKeysEnabled")).toEqual(before);
    expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    await theatre.pass(5000);
    expect(await stage.run("progress")).toMatchObject({ kind: "done" });
    expect(life.events.filter(({ note }) => note.includes("lift-network-bans"))).toHaveLength(1);
  });

  it("keep a run of an object that says nothing yet from telling twice what it told", async () => {
    await stage.apply({ legacyApiKeysEnabled: false });
    const { theatre, life } = stage;
    const fault = { kind: "status", status: 404, body: { message: "Not Found" } } as const;
    await theatre.emulator.control.faults.add({ operation: "apiKeys.getLegacy", count: 3, fault });
    theatre.kubernetes.restate("projects", NAMESPACE, "shop", () => ({}));
    expect(await stage.run("progress")).toMatchObject({ kind: "waiting", untold: true });
    const shop = theatre.kubernetes.get("projects", NAMESPACE, "shop");
    const asked = { ...shop?.metadata.annotations, "baas.dev/lift-network-bans": "not an id" };
    const metadata = { name: "shop", namespace: NAMESPACE, annotations: asked };
    theatre.kubernetes.put("projects", { ...shop, metadata });
    for (let looks = 0; looks < 2; looks += 1) {
      expect(await stage.run("progress")).toMatchObject({ kind: "waiting", untold: true });
      expect(stage.condition("Ready")).toBeUndefined();
    }
    expect(stage.stored().requests).toMatchObject([{ verb: "lift-network-bans", state: "Refused" }]);
    expect(life.events.filter(({ note }) => note.includes("lift-network-bans"))).toHaveLength(1);
  });

  it("are told of with what else is told", async () => {
    await stage.apply({ legacyApiKeysEnabled: false, dataApi: { maxRows: 100 } });
    const { faults } = stage.theatre.emulator.control;
    const body = { message: "no" };
    await faults.add({ operation: "apiKeys.getLegacy", fault: { kind: "status", status: 404, body } });
    await faults.add({ operation: "dataApi.get", fault: { kind: "status", status: 403, body } });
    expect(await stage.run()).toMatchObject({ kind: "waiting", reason: "AnswerUnconfirmed" });
    expect(stage.entry("legacyApiKeysEnabled")).toMatchObject({ state: "Waiting", reason: "AnswerUnconfirmed" });
    expect(stage.entry("dataApi")).toMatchObject({ state: "Failed", reason: "Forbidden" });
  });
});

describe("preview branching", () => {
  it("is taken away where only the default branch is left, and not while another one is", async () => {
    const { client, ref } = stage;
    const make = (name: string) => client.branches.create({ ref, body: { branch_name: name } });
    await make("main");
    const preview = await make("preview");
    await stage.apply({ branching: "Disabled" });
    expect(stage.entry("branching")).toMatchObject({ state: "Failed" });
    expect(stage.entry("branching")?.message).toContain("preview");
    stage.theatre.kubernetes.put("branches", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Branch",
      metadata: { name: "next", namespace: "test" },
      spec: { projectRef: { name: "shop" } },
    });
    await client.branches.delete({ branch_id_or_ref: preview.id }, { parentRef: ref });
    await stage.theatre.pass(60_000);
    await stage.run();
    // One that an object is about to have would be gone with the switch, too.
    expect(stage.entry("branching")?.message).toContain("Branch test/next");
    await stage.life.environment.kube.delete(branchKind.type, { namespace: "test", name: "next" });
    await stage.theatre.pass(60_000);
    await stage.run();
    expect(stage.entry("branching")).toMatchObject({ state: "InSync" });
    expect(await client.branches.list({ ref })).toEqual([]);
  });

  it.each([{ driftInterval: "24h" }, { driftPolicy: "Ignore" }])(
    "is looked at again each minute while a branch is in the way, and nothing else is: %o",
    async (policy) => {
      const { client, ref, theatre } = stage;
      await client.branches.create({ ref, body: { branch_name: "main" } });
      const preview = await client.branches.create({ ref, body: { branch_name: "preview" } });
      await theatre.pass(60_001);
      const others = { auth: { siteUrl: "https://shop.example.com" }, dataApi: { maxRows: 100 } };
      expect(await stage.apply({ branching: "Disabled", ...policy, ...others })).toMatchObject({ kind: "terminal" });
      await using operator = await WholeOperator.start(theatre);
      operator.look();
      await operator.advance(30_000);
      await stage.calls();
      await operator.advance(3 * 60_000);
      expect(await stage.calls()).toEqual(["branches.list", "branches.list", "branches.list"]);
      await client.branches.delete({ branch_id_or_ref: preview.id }, { parentRef: ref });
      await operator.advance(60_000);
      expect(stage.entry("branching")).toMatchObject({ state: "InSync" });
    },
  );

  it("is looked at as soon where another section waits for longer", async () => {
    const { client, ref, theatre } = stage;
    await client.branches.create({ ref, body: { branch_name: "main" } });
    await client.branches.create({ ref, body: { branch_name: "preview" } });
    await theatre.pass(60_001);
    const auth = { smtp: { password: { secretKeyRef: { name: "none-yet" } } } };
    await stage.start({ branching: "Disabled", auth, driftInterval: "24h" });
    expect(stage.life.asked.at(-1)?.options).toEqual({ lane: "progress", afterMs: 60_000 });
  });

  it("is not, where its look is what the platform refuses: that is for a drift check", async () => {
    const fault = { kind: "status", status: 403, body: { message: "no" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "branches.list", count: null, fault });
    stage.life.asked.length = 0;
    const end = await stage.apply({ branching: "Disabled", driftInterval: "24h" });
    expect(end).toMatchObject({ kind: "terminal", recheckAfterMs: 86_400_000 });
    expect(stage.life.asked).toEqual([]);
  });

  it("that an older platform tells with 422 is off already: as it is declared", async () => {
    const fault = { kind: "status", status: 422, body: { message: "Preview branching is not enabled" } } as const;
    await stage.theatre.emulator.control.faults.add({ operation: "branches.list", count: null, fault });
    expect(await stage.apply({ branching: "Disabled" })).toMatchObject({ kind: "done" });
    expect(stage.entry("branching")).toMatchObject({ state: "InSync" });
    expect(await stage.calls()).toEqual(["branches.list"]);
  });

  it("is not taken away from a branch that somebody made after the look", async () => {
    const { client, ref, theatre } = stage;
    const { faults, log } = theatre.emulator.control;
    await client.branches.create({ ref, body: { branch_name: "main" } });
    await stage.calls();
    const slow = "addons.apply";
    await faults.add({ operation: slow, fault: { kind: "delay", ms: 20_000 } });
    const run = stage.start({ addons: { ipv4: true }, branching: "Disabled" });
    await expect.poll(async () => (await log.read({ operation: slow })).entries.length).toBe(1);
    await client.branches.create({ ref, body: { branch_name: "preview" } });
    await theatre.pass(20_000);
    await run;
    expect((await client.branches.list({ ref })).map(({ name }) => name)).toContain("preview");
    expect(await stage.calls()).not.toContain("branches.disable");
    expect(stage.entry("branching")?.message).toContain("preview");
  });
});
