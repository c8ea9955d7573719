import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type AnyStage,
  openBranchStage,
  openSectionStage,
  type SectionStage,
} from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const unwell = (): Promise<unknown> =>
  stage.theatre.emulator.control.services.trouble({ ref: stage.ref, service: "storage", status: "UNHEALTHY" });

describe("sections of a project with a service that is not well", () => {
  it("wait until it is, where none was written before", async () => {
    await unwell();
    expect(await stage.start({ dataApi: { maxRows: 50 } })).toMatchObject({ kind: "waiting", reason: "Unhealthy" });
    expect(await stage.calls()).toEqual([]);
    expect(stage.entry("dataApi")).toBeUndefined();
  });

  it("are edited all the same where one was: it may be what makes the service unwell", async () => {
    await stage.apply({ realtime: { maxConcurrentUsers: 1 } });
    await unwell();
    await stage.calls();
    expect(await stage.start({ realtime: { maxConcurrentUsers: 900 } })).toMatchObject({
      kind: "waiting",
      reason: "Unhealthy",
    });
    expect(await stage.calls()).toEqual(["realtime.get", "realtime.update", "realtime.get"]);
  });
});

it("realtime is taken out of its suspension by one read, one write and one read after it, though its service is unhealthy until then", async () => {
  const { client, ref } = stage;
  await client.realtime.update({ ref, body: { suspend: true } });
  await stage.calls();
  expect(await stage.start({ realtime: { suspended: false } })).toMatchObject({ kind: "done" });
  expect(await stage.calls()).toEqual(["realtime.get", "realtime.update", "realtime.get"]);
});

/** What is declared, what may put it right, and how that is sent. */
const EDITS = [
  {
    section: "database.settings",
    before: { database: { settings: { maxConnections: 5000 } } },
    after: { database: { settings: { maxConnections: 100 } } },
    sent: "postgresConfig.replace",
  },
  { section: "disk", before: { disk: { sizeGb: 10 } }, after: { disk: { sizeGb: 50 } }, sent: "disk.update" },
  {
    section: "instanceSize",
    before: { instanceSize: "small" },
    after: { instanceSize: "large" },
    sent: "addons.apply",
  },
];

const REALTIME = { realtime: { maxConcurrentUsers: 300 } };

describe.each([
  { kind: "Project", open: openSectionStage },
  { kind: "Branch", open: openBranchStage },
])("sections of a $kind that the platform calls unwell", ({ open }) => {
  let own: AnyStage;

  beforeEach(async () => {
    own = await open({ seed: { organizations: [{ slug: "acme", name: "Acme", plan: "enterprise" }] } });
  });

  afterEach(() => own[Symbol.asyncDispose]());

  const callItUnwell = async (): Promise<void> => {
    await own.theatre.emulator.control.projects.force({ ref: own.ref, status: "ACTIVE_UNHEALTHY" });
    // What was read of branches before is too old by then.
    await own.theatre.pass(120_000);
    await own.calls();
  };
  /** What only an outage repairs was changed by hand. */
  const driftWhileUnwell = async (): Promise<void> => {
    await own.apply({ database: { ssl: { enforced: true } }, ...REALTIME });
    await own.client.sslEnforcement.update({ ref: own.ref, body: { requestedConfig: { database: false } } });
    await own.theatre.pass(3_600_000);
    await callItUnwell();
  };
  const UNWELL = { kind: "waiting", reason: "Unhealthy" };

  it.each(EDITS)("sends an edit of $section, which may put it right", async ({ section, before, after, sent }) => {
    await own.apply(before);
    expect(own.entry(section)).toMatchObject({ state: "InSync" });
    await callItUnwell();
    expect(await own.start(after)).toMatchObject(UNWELL);
    expect((await own.calls()).filter((operation) => operation === sent)).toEqual([sent]);
  });

  it("repairs drift: which of both makes it unwell nobody knows, and the policy asks for what is declared", async () => {
    await own.apply(REALTIME);
    await own.client.realtime.update({ ref: own.ref, body: { max_concurrent_users: 200 } });
    await own.theatre.pass(3_600_000);
    await callItUnwell();
    expect(await own.run()).toMatchObject(UNWELL);
    expect(await own.calls()).toContain("realtime.update");
    expect(await own.client.realtime.get({ ref: own.ref })).toMatchObject({ max_concurrent_users: 300 });
  });

  it("repairs with an outage for who asks, since what is repaired may be what makes it unwell", async () => {
    await driftWhileUnwell();
    await own.run();
    expect(await own.calls()).not.toContain("sslEnforcement.update");
    own.ask("repair");
    await own.run();
    expect(await own.calls()).toContain("sslEnforcement.update");
  });

  it("repairs nothing with an outage before it is well: nobody asked for one", async () => {
    await driftWhileUnwell();
    expect(await own.run()).toMatchObject(UNWELL);
    expect(await own.calls()).not.toContain("sslEnforcement.update");
    expect(own.entry("database.ssl")).toMatchObject({ state: "Drifted", reason: "DriftDetected" });
    expect(own.entry("database.ssl")?.message).toContain("waits until the platform calls the project well");
    await own.theatre.emulator.control.projects.force({ ref: own.ref, status: "ACTIVE_HEALTHY" });
    await own.theatre.pass(120_000);
    await own.settle();
    expect(await own.calls()).toContain("sslEnforcement.update");
    expect(own.entry("database.ssl")).toMatchObject({ state: "InSync" });
  });

  it("is polled without another look at what is in sync", async () => {
    await own.apply(REALTIME);
    await callItUnwell();
    expect(await own.run("progress")).toMatchObject(UNWELL);
    expect((await own.calls()).filter((operation) => operation.startsWith("realtime"))).toEqual([]);
  });

  it("waits until it is well, where none was written before", async () => {
    await callItUnwell();
    expect(await own.start(REALTIME)).toMatchObject(UNWELL);
    expect((await own.calls()).filter((operation) => operation.startsWith("realtime"))).toEqual([]);
  });
});

it("a project that the platform calls unwell has what it refused then asked for again by the hour, and at once when it is well", async () => {
  const { faults, projects } = stage.theatre.emulator.control;
  const updates = async (): Promise<number> =>
    (await stage.calls()).filter((operation) => operation === "realtime.update").length;
  await stage.apply({ realtime: { maxConcurrentUsers: 300 } });
  await projects.force({ ref: stage.ref, status: "ACTIVE_UNHEALTHY" });
  await stage.calls();
  const fault = { kind: "status", status: 400, body: { message: "not now" } } as const;
  await faults.add({ operation: "realtime.update", count: 2, fault });
  const edited = { realtime: { maxConcurrentUsers: 301 } };
  await stage.start(edited);
  expect(stage.entry("realtime")).toMatchObject({ state: "Failed" });
  expect(stage.entry("realtime")?.message).toContain(
    "asked for again every hour, once the platform calls the project well",
  );
  expect(await updates()).toBe(1);
  await stage.theatre.pass(1_800_000);
  await stage.run();
  expect(await updates()).toBe(0);
  await stage.theatre.pass(1_800_000);
  await stage.run();
  expect(await updates()).toBe(1);
  await projects.force({ ref: stage.ref, status: "ACTIVE_HEALTHY" });
  await stage.theatre.pass(120_000);
  await stage.run("progress");
  expect(await updates()).toBe(1);
  expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
});
