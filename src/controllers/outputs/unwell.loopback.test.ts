import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { lifeInEach } from "../../../test/support/controllers/life-in-each.ts";
import {
  applyBranch,
  applyProject,
  branchStatus,
  configMapData,
  listedKeys,
  permitAllBut,
  projectCondition,
  projectStatus,
  secretData,
  settledProject,
} from "../../../test/support/controllers/outputs.ts";

/** Programs go on connecting to what is up while one of its services is unwell: the outputs tell them what is known of it then, too. */

const stage = lifeInEach();

const BOTH = { writeConnectionSecretToRef: { name: "out" }, writeConnectionConfigMapToRef: { name: "out" } };
const WITH_PASSWORD = { ...BOTH, databasePassword: { secretKeyRef: { name: "db" } } };

function password(text: string): void {
  stage.theatre.kubernetes.put("secrets", {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "db", namespace: NAMESPACE },
    data: { password: Buffer.from(text).toString("base64") },
  });
}

const refOfProject = (): string => projectStatus(stage.theatre).ref ?? "";

async function storageFails(ref: string): Promise<void> {
  await stage.theatre.emulator.control.services.trouble({ ref, service: "storage", status: "UNHEALTHY" });
}

/** The platform calls the project itself unwell. */
async function projectFails(): Promise<void> {
  const project = await stage.life.client.projects.get({ ref: refOfProject() });
  const body = { ...project, status: "ACTIVE_UNHEALTHY" };
  const fault = { kind: "status", status: 200, body } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "projects.get", count: null, fault });
}

async function healthIsNotTold(): Promise<void> {
  const fault = { kind: "status", status: 500, body: { message: "oops" } } as const;
  await stage.theatre.emulator.control.faults.add({ operation: "projects.health", count: null, fault });
}

/** Keys of the Secret that hold the password. */
function holding(text: string): readonly string[] {
  return Object.entries(secretData(stage.theatre, "out") ?? {}).flatMap(([key, value]) =>
    value.includes(text) ? [key] : [],
  );
}

const ROTATED = ["password", "pooler-session-uri", "pooler-transaction-uri", "uri"];

describe("a password that is rotated", () => {
  const cases = [
    { why: "a service is unwell", arrange: () => storageFails(refOfProject()), end: "Unhealthy" },
    { why: "the platform calls the project unwell", arrange: projectFails, end: "Unhealthy" },
    { why: "nobody can say how the services do", arrange: healthIsNotTold, end: "ServerUnavailable" },
  ];

  it.each(cases)("while $why is in the output in the run that sets it", async ({ arrange, end }) => {
    password("the-first");
    await settledProject(stage, WITH_PASSWORD);
    await arrange();
    password("the-second");
    expect(await stage.life.runWhileTimePasses("Project", "shop")).toMatchObject({ reason: end });
    expect([holding("the-first"), holding("the-second").toSorted()]).toEqual([[], ROTATED]);
  });
});

describe("beside a pooler that cannot be told while a service is unwell", () => {
  const faults = [
    { why: "is not read", fault: { kind: "status", status: 500, body: { message: "oops" } } },
    { why: "is none yet", fault: { kind: "status", status: 200, body: [] } },
  ] as const;
  const STALE = ["pooler-session-uri", "pooler-transaction-uri"];

  /** A password is rotated meanwhile. */
  async function rotated(fault: (typeof faults)[number]["fault"]): Promise<void> {
    password("the-first");
    await settledProject(stage, WITH_PASSWORD);
    await storageFails(refOfProject());
    await stage.theatre.emulator.control.faults.add({ operation: "pooler.get", count: null, fault });
    await stage.theatre.pass(60_000);
    password("the-second");
    const end = await stage.life.runWhileTimePasses("Project", "shop");
    expect(end).toMatchObject({ kind: "waiting", reason: "Unhealthy", message: "not healthy: storage" });
  }

  it.each(faults)("that $why, what is known is written, what is not stays, and that is told", async ({ fault }) => {
    await rotated(fault);
    expect([holding("the-first").toSorted(), holding("the-second").toSorted()]).toEqual([STALE, ["password", "uri"]]);
    expect(projectCondition(stage.theatre, "OutputsComplete")).toMatchObject({
      status: "False",
      reason: "OutputsAwaited",
      message: expect.stringContaining("pooler-transaction-uri"),
    });
    await stage.theatre.emulator.control.faults.clear({});
    await stage.theatre.pass(600_000);
    await stage.life.runWhileTimePasses("Project", "shop");
    expect([holding("the-first"), holding("the-second").toSorted()]).toEqual([[], ROTATED]);
    expect(projectCondition(stage.theatre, "OutputsComplete")).toBeUndefined();
  });

  it("what is known is written once: the polls after it write nothing", async () => {
    await rotated(faults[1].fault);
    const { writes } = stage.theatre.kubernetes;
    for (let look = 0; look < 3; look += 1) {
      await stage.theatre.pass(30_000);
      await stage.life.run("Project", "shop", "progress");
    }
    expect(stage.theatre.kubernetes.writes).toBe(writes);
  });

  it("what stays goes where it may not be read any more: it is made of a password that changed", async () => {
    await rotated(faults[0].fault);
    await stage.theatre.emulator.control.faults.clear({});
    await permitAllBut(stage.theatre, "database_pooling_config_read");
    await stage.theatre.pass(600_000);
    await stage.life.runWhileTimePasses("Project", "shop");
    expect([holding("the-first"), holding("the-second").toSorted()]).toEqual([[], ["password", "uri"]]);
  });

  it.each(faults)("that $why, no output begins with half of it, and that is told", async ({ fault }) => {
    await settledProject(stage, {});
    await storageFails(refOfProject());
    await stage.theatre.emulator.control.faults.add({ operation: "pooler.get", count: null, fault });
    applyProject(stage.theatre, BOTH);
    await stage.life.runWhileTimePasses("Project", "shop");
    expect([secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")]).toEqual([undefined, undefined]);
    expect(projectCondition(stage.theatre, "OutputsComplete")?.message).toContain("pooler-host");
  });
});

describe("what is up and has a service that is unwell", () => {
  it("shows no legacy key that the spec switches off", async () => {
    const section = { dataApi: { maxRows: 50 } };
    await settledProject(stage, { ...BOTH, ...section });
    await storageFails(refOfProject());
    applyProject(stage.theatre, { ...BOTH, ...section, legacyApiKeysEnabled: false });
    expect(await stage.life.run("Project", "shop")).toMatchObject({ kind: "waiting", reason: "Unhealthy" });
    expect(secretData(stage.theatre, "out")?.["anon-key"]).toMatch(/^pk_publishable_/u);
  });

  it("has its outputs back where somebody deletes them, and moved where they are asked for by another name", async () => {
    await settledProject(stage, BOTH);
    const before = [secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")];
    await storageFails(refOfProject());
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    stage.theatre.kubernetes.delete("configmaps", NAMESPACE, "out");
    await stage.life.run("Project", "shop");
    expect([secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")]).toEqual(before);
    applyProject(stage.theatre, { writeConnectionSecretToRef: { name: "other" } });
    await stage.life.run("Project", "shop");
    expect([secretData(stage.theatre, "other"), secretData(stage.theatre, "out")]).toEqual([before[0], undefined]);
    expect(configMapData(stage.theatre, "out")).toBeUndefined();
    expect(projectStatus(stage.theatre).binding).toEqual({ name: "other" });
  });

  it("[K-04] is Stalled once its time is up: that its outputs are looked at begins nothing anew", async () => {
    await settledProject(stage, { ...BOTH, provisioningTimeout: "5m" });
    await storageFails(refOfProject());
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "terminal", reason: "DeadlineExceeded" });
    expect(projectCondition(stage.theatre, "Stalled")?.message).toContain("not healthy: storage");
  });

  it("is told of as unwell alone while a key is awaited or cannot be read, and its output stays as it was", async () => {
    await settledProject(stage, BOTH);
    const before = secretData(stage.theatre, "out");
    await storageFails(refOfProject());
    await listedKeys(stage.theatre, [], 1);
    const bad = { kind: "status", status: 500, body: { message: "oops" } } as const;
    for (const lane of ["change", "change"] as const) {
      await stage.theatre.pass(60_000);
      expect(await stage.life.runWhileTimePasses("Project", "shop", lane)).toMatchObject({
        kind: "waiting",
        reason: "Unhealthy",
        message: "not healthy: storage",
      });
      await stage.theatre.emulator.control.faults.add({ operation: "pooler.get", count: null, fault: bad });
    }
    expect(secretData(stage.theatre, "out")).toEqual(before);
    expect(projectStatus(stage.theatre).underway?.operation).toBe("Recovering");
  });

  it("says why an output is never written beside what is unwell", async () => {
    await settledProject(stage, {});
    await storageFails(refOfProject());
    const metadata = { name: "theirs", namespace: NAMESPACE };
    stage.theatre.kubernetes.put("secrets", {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: { key: "value" },
    });
    applyProject(stage.theatre, { writeConnectionSecretToRef: { name: "theirs" } });
    expect(await stage.life.run("Project", "shop")).toMatchObject({
      kind: "waiting",
      reason: "Unhealthy",
      message: expect.stringContaining("the Secret theirs exists and was not made for this"),
    });
  });

  it.each(["Correct", "Ignore"])(
    "is polled, and neither writes nor asks for its keys and its pooler at each look, under %s",
    async (driftPolicy) => {
      await settledProject(stage, { ...BOTH, driftPolicy });
      await storageFails(refOfProject());
      await stage.life.run("Project", "shop");
      const { version, writes } = stage.theatre.kubernetes;
      await stage.theatre.emulator.control.log.clear({});
      for (let look = 0; look < 10; look += 1) {
        await stage.theatre.pass(30_000);
        await stage.life.run("Project", "shop", "progress");
      }
      expect([stage.theatre.kubernetes.version, stage.theatre.kubernetes.writes]).toEqual([version, writes]);
      const { byOperation } = await stage.theatre.emulator.control.log.summary();
      expect(byOperation).not.toHaveProperty("apiKeys.list");
      expect(byOperation).not.toHaveProperty("pooler.get");
    },
  );
});

describe("a branch", () => {
  it.each(["Correct", "Ignore"])(
    "that is polled is not asked how to log in to it at each look, under %s",
    async (driftPolicy) => {
      await settledProject(stage, {});
      applyBranch(stage.theatre, { ...BOTH, driftPolicy });
      expect(await stage.life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
      await storageFails(branchStatus(stage.theatre).ref ?? "");
      await stage.life.run("Branch", "preview");
      await stage.theatre.emulator.control.log.clear({});
      for (let look = 0; look < 10; look += 1) {
        await stage.theatre.pass(30_000);
        const end = await stage.life.run("Branch", "preview", "progress");
        expect(end).toMatchObject({ kind: "waiting", reason: "Unhealthy" });
      }
      const { byOperation } = await stage.theatre.emulator.control.log.summary();
      expect(byOperation).not.toHaveProperty("branches.get");
      expect(byOperation).not.toHaveProperty("apiKeys.list");
      expect(byOperation).not.toHaveProperty("pooler.get");
      stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
      await stage.life.run("Branch", "preview", "change");
      expect((await stage.theatre.emulator.control.log.summary()).byOperation).toHaveProperty("branches.get");
    },
  );

  it.each([
    { why: "with a service that is unwell", arrange: storageFails, end: "Unhealthy" },
    { why: "of which nobody can say how its services do", arrange: healthIsNotTold, end: "ServerUnavailable" },
  ])("$why has its outputs back where somebody deletes them", async ({ arrange, end }) => {
    await settledProject(stage, {});
    applyBranch(stage.theatre, BOTH);
    expect(await stage.life.settle("Branch", "preview")).toMatchObject({ kind: "done" });
    const before = secretData(stage.theatre, "out");
    await arrange(branchStatus(stage.theatre).ref ?? "");
    stage.theatre.kubernetes.delete("secrets", NAMESPACE, "out");
    expect(await stage.life.runWhileTimePasses("Branch", "preview")).toMatchObject({ reason: end });
    expect(secretData(stage.theatre, "out")).toEqual(before);
  });
});
