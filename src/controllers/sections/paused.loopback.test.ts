import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** What a paused project is declared to be, and is not yet, is told: Ready is the sum of its sections then, too. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const realtime = (maxConcurrentUsers: number): object => ({ realtime: { maxConcurrentUsers } });
const PAUSED = { state: "Paused" };
const WAITS = { kind: "waiting", reason: "Updating" };

/** A project that was as declared when it was paused. */
async function pauseAsDeclared(spec: object = realtime(7)): Promise<void> {
  await stage.apply(spec);
  expect(await stage.apply({ ...spec, ...PAUSED })).toMatchObject({ kind: "done" });
  await stage.calls();
}

const ready = (): unknown => stage.condition("Ready");

describe("sections of a paused project", () => {
  it("are left as they stand where none was edited, and Ready says Paused", async () => {
    await stage.apply(realtime(7));
    const before = stage.entry("realtime");
    await stage.apply({ ...realtime(7), ...PAUSED });
    expect(ready()).toMatchObject({ status: "True", reason: "Paused" });
    expect(stage.entry("realtime")).toEqual(before);
  });

  it("wait where one was edited, which Ready tells, and are applied once it runs", async () => {
    await pauseAsDeclared();
    expect(await stage.start({ ...realtime(9), ...PAUSED })).toMatchObject(WAITS);
    expect(stage.entry("realtime")).toMatchObject({
      state: "Waiting",
      reason: "Updating",
      fields: ["spec.realtime"],
      message: "was edited, and is applied once the project runs",
    });
    expect(ready()).toMatchObject({ status: "Unknown", reason: "Updating" });
    expect(await stage.calls()).toEqual([]);
    expect(await stage.apply({ ...realtime(9), state: "Running" })).toMatchObject({ kind: "done" });
    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
    expect(await stage.calls()).toContain("realtime.update");
  });

  it("wait where one is new", async () => {
    await pauseAsDeclared();
    expect(await stage.start({ ...realtime(7), dataApi: { maxRows: 5 }, ...PAUSED })).toMatchObject(WAITS);
    expect(stage.entry("dataApi")).toMatchObject({
      state: "Waiting",
      message: "is looked at, and applied, once the project runs",
    });
    expect(stage.entry("realtime")).toMatchObject({ state: "InSync" });
  });

  it("are as they were where an edit is taken back", async () => {
    await pauseAsDeclared();
    const before = stage.entry("realtime");
    await stage.start({ ...realtime(9), ...PAUSED });
    expect(await stage.start({ ...realtime(7), ...PAUSED })).toMatchObject({ kind: "done" });
    expect(stage.entry("realtime")).toEqual(before);
    expect(ready()).toMatchObject({ status: "True", reason: "Paused" });
  });

  it("have all their time once it runs, however long ago they were edited", async () => {
    await pauseAsDeclared({ instanceSize: "small" });
    await stage.start({ instanceSize: "large", ...PAUSED });
    await stage.theatre.pass(3 * 3_600_000);
    expect(await stage.apply({ instanceSize: "large", state: "Running" })).toMatchObject({ kind: "done" });
    await stage.theatre.pass(60_000);
    const stalled = stage.life.events.filter(({ reason }) => reason === "DeadlineExceeded");
    expect(stalled).toEqual([]);
    expect(stage.entry("instanceSize")).toMatchObject({ state: "InSync" });
  });

  it("have all their time once it runs, where they were on their way when it was paused", async () => {
    const spec = { database: { ssl: { enforced: true } } };
    const body = { currentConfig: { database: true }, appliedSuccessfully: false };
    const fault = { kind: "status", status: 200, body } as const;
    await stage.theatre.emulator.control.faults.add({
      operation: "*",
      pathContains: "ssl-enforcement",
      count: null,
      fault,
    });
    await stage.start(spec);
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Applying", since: expect.any(String) });
    for (let look = 0; look < 3; look += 1) {
      await stage.start({ ...spec, ...PAUSED });
      await stage.theatre.pass(60_000);
    }
    expect(stage.entry("database.ssl")).not.toHaveProperty("since");
    await stage.theatre.pass(3 * 3_600_000);
    for (let look = 0; look < 3; look += 1) {
      await stage.start({ ...spec, state: "Running" });
      await stage.theatre.pass(60_000);
    }
    expect(stage.entry("database.ssl")).toMatchObject({ state: "Applying" });
    expect(stage.life.events.filter(({ reason }) => reason === "DeadlineExceeded")).toEqual([]);
  });

  it("stay refused where the platform refused them, and nobody edits them", async () => {
    const { faults } = stage.theatre.emulator.control;
    const body = { message: "not on this plan" };
    await faults.add({ operation: "realtime.update", count: null, fault: { kind: "status", status: 402, body } });
    await stage.start(realtime(9));
    expect(stage.entry("realtime")).toMatchObject({ state: "Failed" });
    const refused = stage.entry("realtime");
    await stage.apply({ ...realtime(9), ...PAUSED });
    expect(stage.entry("realtime")).toMatchObject({ state: "Failed", message: refused?.message });
  });

  it("are told no more where they are declared no more", async () => {
    await pauseAsDeclared();
    await stage.start({ ...realtime(9), ...PAUSED });
    await stage.theatre.pass(300_000);
    expect(await stage.start(PAUSED)).toMatchObject({ kind: "done" });
    expect(stage.stored().sections).toBeUndefined();
  });

  it("are looked at in the drift interval alone, and change nothing meanwhile", async () => {
    await pauseAsDeclared();
    const first = await stage.start({ ...realtime(9), ...PAUSED });
    expect(first).toMatchObject({ ...WAITS, retryAfterMs: 600_000 });
    const { version } = stage.theatre.kubernetes;
    await stage.theatre.pass(600_000);
    expect(await stage.run("progress")).toMatchObject(WAITS);
    expect(stage.theatre.kubernetes.version).toBe(version);
  });

  it("wait for healthy services once it runs, where none was looked at before", async () => {
    await stage.apply(PAUSED);
    expect(await stage.start({ ...realtime(7), ...PAUSED })).toMatchObject(WAITS);
    await stage.theatre.emulator.control.services.trouble({ ref: stage.ref, service: "storage", status: "UNHEALTHY" });
    await stage.theatre.emulator.control.projects.force({ ref: stage.ref, status: "ACTIVE_HEALTHY" });
    await stage.calls();
    expect(await stage.start(realtime(7))).toMatchObject({ kind: "waiting", reason: "Unhealthy" });
    expect(await stage.calls()).toEqual([]);
  });

  it("wait for nothing where the object only observes", async () => {
    await pauseAsDeclared();
    const observed = { ...realtime(9), ...PAUSED, managementPolicy: "Observe" };
    expect(await stage.start(observed)).toMatchObject({ kind: "done" });
    expect(ready()).toMatchObject({ status: "True", reason: "Observed" });
  });
});

it("a password that is rotated while the project is paused is told to wait for it", async () => {
  const spec = { databasePassword: { secretKeyRef: { name: "db" } } };
  stage.putSecret("db", { password: "the-first" });
  await pauseAsDeclared(spec);
  stage.putSecret("db", { password: "the-second" });
  expect(await stage.start({ ...spec, ...PAUSED })).toMatchObject(WAITS);
  expect(ready()).toMatchObject({
    status: "Unknown",
    message: "the database password is set from its Secret once the project runs",
  });
  expect(await stage.calls()).toEqual([]);
  expect(await stage.apply({ ...spec, state: "Running" })).toMatchObject({ kind: "done" });
  expect(await stage.calls()).toContain("projects.updatePassword");
});
