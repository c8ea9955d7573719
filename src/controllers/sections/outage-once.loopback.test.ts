import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE } from "../../../test/support/controllers/life.ts";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** What a platform makes something else of is written again; what goes with an outage is not, by this operator or another one. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
});

afterEach(() => stage[Symbol.asyncDispose]());

type Operation = "postgresConfig.get" | "postgresConfig.replace" | "addons.list" | "dataApi.get" | "dataApi.update";

async function answer(operations: readonly Operation[], body: object): Promise<void> {
  const { faults } = stage.theatre.emulator.control;
  const fault = { kind: "status", status: 200, body: JSON.parse(JSON.stringify(body)) } as const;
  for (const operation of operations) await faults.add({ operation, count: null, fault });
}

async function runs(life: Life, count = 6): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    await life.run("Project", "shop", "progress");
    await stage.theatre.pass(60_000);
  }
}

/** Somebody asks, and the first look comes not so far as the sections. */
async function askUnheard(): Promise<void> {
  stage.ask("now");
  const options = { subresource: "status", signal: new AbortController().signal } as const;
  const { kube } = stage.life.environment;
  const status = { lastHandledReconcileAt: "now" };
  await kube.patchMerge(projectKind.type, { namespace: NAMESPACE, name: "shop" }, { status }, options);
}

/** What is declared, what the platform makes of it, and what is sent for it that interrupts what is served. */
const CASES = [
  {
    section: "database.settings",
    field: "spec.database.settings.maxConnections",
    clamp: () => answer(["postgresConfig.get", "postgresConfig.replace"], { max_connections: 100 }),
    spec: { database: { settings: { maxConnections: 120 } } },
    comes: () => answer(["postgresConfig.get"], { max_connections: 120 }),
    edit: { database: { settings: { maxConnections: 130 } } },
    outage: "postgresConfig.replace",
  },
  {
    section: "instanceSize",
    field: "spec.instanceSize",
    clamp: async () => answer(["addons.list"], await stage.client.addons.list({ ref: stage.ref })),
    spec: { instanceSize: "large" },
    comes: () => Promise.resolve(), // the platform has it
    edit: { instanceSize: "medium" },
    outage: "addons.apply",
  },
] as const;

const outages = async (operation: string): Promise<number> => {
  const { entries } = await stage.theatre.emulator.control.log.read({ operation });
  return entries.filter(({ body }) => !JSON.stringify(body).includes('"restart_database":false')).length;
};

describe.each(["Correct", "Report"])("what interrupts what is served, under driftPolicy %s", (driftPolicy) => {
  it.each(CASES)("goes with one write of a declared value: $section", async (one) => {
    const declare = (spec: object, more: object = {}) => stage.start({ driftPolicy, ...spec, ...more });
    const stuck = { state: "Drifted", reason: "NotConverging", fields: [one.field] };
    await one.clamp();
    await declare(one.spec);
    await runs(stage.life);
    expect(stage.entry(one.section)).toMatchObject(stuck);
    expect(stage.condition("Converging")).toMatchObject({ status: "False" });
    expect(await outages(one.outage), "of one operator").toBe(1);
    for (let lives = 0; lives < 2; lives += 1) await runs(await stage.theatre.life());
    expect(stage.entry(one.section)).toMatchObject(stuck);
    expect(await outages(one.outage), "of one that starts").toBe(1);
    await declare(one.spec, { dataApi: { maxRows: 77 } });
    await runs(stage.life);
    expect(await outages(one.outage), "after an edit of another section").toBe(1);
    await declare(one.edit);
    await runs(stage.life);
    expect(await outages(one.outage), "after an edit of it").toBe(2);
    expect(stage.entry(one.section)).toMatchObject(stuck);
    stage.ask("now");
    await runs(stage.life);
    expect(await outages(one.outage), "once somebody asks").toBe(3);
  });

  it.each(CASES)("is waited for while it may come to show yet: $section", async (one) => {
    await one.clamp();
    await stage.start({ driftPolicy, ...one.spec });
    await stage.theatre.pass(60_000);
    await stage.life.run("Project", "shop", "progress");
    expect(stage.entry(one.section)).toMatchObject({ state: "Applying", fields: [one.field] });
    expect(stage.condition("Ready")).toMatchObject({ reason: "Updating" });
    expect(stage.condition("Converging")).toBeUndefined();
    expect(await outages(one.outage)).toBe(1);
    await stage.theatre.emulator.control.faults.clear();
    await one.comes();
    await stage.settle();
    expect(stage.entry(one.section)).toMatchObject({ state: "InSync" });
    expect(await outages(one.outage)).toBe(1);
  });

  it.each(CASES)("is written anew for who asks, also where the first look came to nothing: $section", async (one) => {
    await one.clamp();
    await stage.start({ driftPolicy, ...one.spec });
    await runs(stage.life);
    await askUnheard();
    await runs(stage.life);
    expect(await outages(one.outage)).toBe(2);
  });

  it.each(CASES)("is not repeated by an operator that starts right after it: $section", async (one) => {
    await one.clamp();
    await stage.start({ driftPolicy, ...one.spec });
    expect(stage.entry(one.section)?.state).not.toBe("Drifted");
    await stage.theatre.pass(60_000);
    await runs(await stage.theatre.life());
    expect(await outages(one.outage)).toBe(1);
  });
});

describe("a setting that came into force beside one that never does", () => {
  const shows = async (max_connections: number): Promise<void> => {
    await stage.theatre.emulator.control.faults.clear();
    await answer(["postgresConfig.get", "postgresConfig.replace"], { max_connections, work_mem: "8MB" });
  };

  it("is repaired when somebody changes it by hand", async () => {
    await shows(60);
    await stage.start({ database: { settings: { maxConnections: 120, workMem: "16MB" } } });
    await shows(120);
    await runs(stage.life);
    expect(stage.entry("database.settings")?.fields).toEqual(["spec.database.settings.workMem"]);
    const before = await outages("postgresConfig.replace");
    await shows(100);
    await stage.run();
    expect(await outages("postgresConfig.replace")).toBe(before + 1);
  });

  it("and is repaired has the other told as ever meanwhile", async () => {
    const spec = { database: { settings: { maxConnections: 120, workMem: "8MB" } } };
    const stuck = ["spec.database.settings.maxConnections"];
    await shows(100);
    await stage.start(spec);
    await runs(stage.life);
    expect(stage.entry("database.settings")).toMatchObject({ state: "Drifted", fields: stuck });
    await stage.theatre.pass(3_600_000);
    await stage.theatre.emulator.control.faults.clear();
    const changed = { max_connections: 100, work_mem: "9MB" };
    await answer(["postgresConfig.get", "postgresConfig.replace"], changed);
    for (let look = 0; look < 2; look += 1) {
      await stage.run();
      expect(stage.entry("database.settings")).toMatchObject({ state: "Applying", left: { stuck } });
      expect(stage.condition("Converging")).toMatchObject({ status: "False" });
    }
  });
});

it("of the database is written anew once another compute size is declared", async () => {
  const [settings] = CASES;
  const replaced = async (): Promise<number> =>
    (await stage.calls()).filter((operation) => operation === "postgresConfig.replace").length;
  await stage.apply({ instanceSize: "small" });
  await settings.clamp();
  await stage.start({ instanceSize: "small", ...settings.spec });
  await runs(stage.life);
  expect(await replaced()).toBe(1);
  await stage.start({ instanceSize: "small", ...settings.spec, dataApi: { maxRows: 77 } });
  await runs(stage.life);
  expect(await replaced()).toBe(0);
  await stage.start({ instanceSize: "medium", ...settings.spec });
  await runs(stage.life);
  expect(await replaced()).toBeGreaterThan(0);
});

it("of the database is not written anew for a compute size that is taken out, or declared as it is", async () => {
  const [settings] = CASES;
  await stage.apply({ instanceSize: "small" });
  await settings.clamp();
  await stage.start({ instanceSize: "small", ...settings.spec });
  await runs(stage.life);
  await stage.calls();
  for (const size of [{}, { instanceSize: "small" }]) {
    await stage.start({ ...size, ...settings.spec });
    await runs(stage.life);
    expect(await stage.calls()).not.toContain("postgresConfig.replace");
  }
});

it("of the database is written anew once another size is declared than was for the first time since", async () => {
  const [settings] = CASES;
  await settings.clamp();
  await stage.start(settings.spec);
  await runs(stage.life);
  expect(await outages("postgresConfig.replace")).toBe(1);
  await stage.start({ instanceSize: "small", ...settings.spec });
  await runs(stage.life);
  expect(await outages("postgresConfig.replace"), "that may be what there is").toBe(1);
  await stage.start({ instanceSize: "medium", ...settings.spec });
  await runs(stage.life);
  expect(await outages("postgresConfig.replace"), "that is another one").toBe(2);
});

it("of the database is not written anew for another build of the same version", async () => {
  const [settings] = CASES;
  await settings.clamp();
  await stage.start(settings.spec);
  await runs(stage.life);
  await stage.calls();
  const { client, ref } = stage;
  const { faults } = stage.theatre.emulator.control;
  const project = await client.projects.get({ ref });
  for (const version of ["17.6.1.055", "17.6.1.054"]) {
    await faults.clear({});
    await settings.clamp();
    const body = JSON.parse(JSON.stringify({ ...project, database: { ...project.database, version } }));
    await faults.add({ operation: "projects.get", count: null, fault: { kind: "status", status: 200, body } });
    await runs(stage.life);
    expect(await stage.calls()).not.toContain("postgresConfig.replace");
  }
});

describe("what costs nothing", () => {
  const declare = (maxRows: number) => stage.start({ dataApi: { maxRows } });
  const writes = async () => (await stage.calls()).filter((operation) => operation === "dataApi.update").length;

  it("is written three times, and by an operator that starts once it is another difference", async () => {
    const found = await stage.client.dataApi.get({ ref: stage.ref });
    await answer(["dataApi.get", "dataApi.update"], { ...found, max_rows: 10 });
    await declare(77);
    await runs(stage.life);
    expect(await writes()).toBe(3);
    await runs(await stage.theatre.life());
    expect(await writes(), "the same").toBe(0);
    await stage.theatre.emulator.control.faults.clear();
    await answer(["dataApi.get", "dataApi.update"], { ...found, max_rows: 11 });
    await runs(await stage.theatre.life());
    expect(await writes(), "another answer").toBe(3);
    await declare(78);
    await runs(stage.life);
    expect(await writes(), "another value").toBe(3);
    await askUnheard();
    await runs(stage.life);
    expect(await writes(), "once somebody asks").toBe(3);
  });
});
