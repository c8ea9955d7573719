import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openBranchStage, openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

const acme = (plan: "pro" | "enterprise"): object => ({ organizations: [{ slug: "acme", name: "Acme", plan }] });

beforeEach(async () => {
  stage = await openSectionStage({ seed: acme("pro") });
});

afterEach(() => stage[Symbol.asyncDispose]());

describe("SSL enforcement", () => {
  const READ = "sslEnforcement.get";
  const WRITE = "sslEnforcement.update";
  const NAME = "database.ssl";
  const spec = { database: { ssl: { enforced: true } } };

  it("is written once, applied while the database restarts, repaired, and left when it is taken out of the spec", async () => {
    const { client, ref, theatre } = stage;
    await stage.start(spec);
    expect(stage.entry(NAME)).toMatchObject({
      state: "Applying",
      message: expect.stringContaining("not in force yet"),
      fields: ["spec.database.ssl.enforced"],
    });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toHaveLength(1);
    await client.sslEnforcement.update({ ref, body: { requestedConfig: { database: false } } });
    await theatre.pass(10_000);
    await stage.calls();
    await stage.run();
    await stage.life.settle("Project", "shop");
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toHaveLength(1);
    expect(await client.sslEnforcement.get({ ref })).toMatchObject({ currentConfig: { database: true } });
    await stage.calls();
    await stage.apply({});
    await stage.run();
    expect(await stage.calls()).toEqual([]);
  });

  it("that is there already is read and not written, and an empty section asks for nothing", async () => {
    expect(await stage.apply({ database: { ssl: { enforced: false } } })).toMatchObject({ kind: "done" });
    await stage.apply({ database: { ssl: {} } });
    expect(await stage.calls()).toEqual([READ, READ]);
  });

  it("that the project cannot have ends as Failed with the platform's words, which are a bare text", async () => {
    await stage.theatre.emulator.control.ssl.support({ ref: stage.ref, supported: false });
    expect(await stage.apply(spec)).toMatchObject({ kind: "terminal", reason: "Rejected" });
    const message = expect.stringContaining("not allowed to configure SSL enforcements");
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", message });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
  });

  it("that does not come in force ends as Failed after provisioningTimeout, and is still watched", async () => {
    const { theatre } = stage;
    const { faults } = theatre.emulator.control;
    const body = { currentConfig: { database: true }, appliedSuccessfully: false };
    await faults.add({
      operation: "*",
      pathContains: "ssl-enforcement",
      count: null,
      fault: { kind: "status", status: 200, body },
    });
    await stage.start({ provisioningTimeout: "1m", ...spec });
    await theatre.pass(61_000);
    await stage.run("progress");
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", reason: "DeadlineExceeded" });
    await faults.clear();
    await stage.client.sslEnforcement.update({ ref: stage.ref, body: { requestedConfig: { database: true } } });
    await theatre.pass(10_000);
    await stage.run("progress");
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });
});

describe("just-in-time access", () => {
  const NAME = "database.jitAccess";
  const READ = "jitAccess.get";
  const WRITE = "jitAccess.update";

  it("is switched on and off, once each, and repaired", async () => {
    const { client, ref } = stage;
    expect(await stage.apply({ database: { jitAccess: "Enabled" } })).toMatchObject({ kind: "done" });
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toHaveLength(1);
    await client.jitAccess.update({ ref, body: { state: "disabled" } });
    await stage.theatre.pass(10_000);
    await stage.run();
    await stage.life.settle("Project", "shop");
    expect(await client.jitAccess.get({ ref })).toMatchObject({ state: "enabled" });
    expect(await stage.apply({ database: { jitAccess: "Disabled" } })).toMatchObject({ kind: "done" });
    expect(await client.jitAccess.get({ ref })).toMatchObject({ state: "disabled" });
  });

  it("that this version of the database does not have says what to write, and Disabled is in sync with it", async () => {
    const { jit } = stage.theatre.emulator.control;
    await jit.setAvailability({ ref: stage.ref, unavailableReason: "postgres_upgrade_required" });
    const outcome = await stage.apply({ database: { jitAccess: "Enabled" } });
    expect(outcome).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
    const message = expect.stringContaining("raise spec.database.version");
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", message });
    expect(await stage.calls()).not.toContain(WRITE);
    expect(await stage.apply({ database: { jitAccess: "Disabled" } })).toMatchObject({ kind: "done" });
    await jit.setAvailability({ ref: stage.ref, unavailableReason: null });
    expect(await stage.apply({ database: { jitAccess: "Enabled" } })).toMatchObject({ kind: "done" });
  });

  it("that the version of a Branch's database does not have says what there is to do about a Branch, which has no version to raise", async () => {
    await using branch = await openBranchStage({ seed: acme("pro") });
    const unavailableReason = "postgres_upgrade_required";
    await branch.theatre.emulator.control.jit.setAvailability({ ref: branch.ref, unavailableReason });
    const outcome = await branch.apply({ database: { jitAccess: "Enabled" } });
    expect(outcome).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
    const { message = "" } = branch.entry(NAME) ?? {};
    expect(message).toContain("make another Branch with a newer spec.postgresEngine, or write Disabled");
    expect(message).not.toContain("spec.database.version");
    expect(await branch.calls()).not.toContain(WRITE);
  });

  it("that is unavailable for a while is waited for with its words, and then switched", async () => {
    const { jit } = stage.theatre.emulator.control;
    await jit.setAvailability({ ref: stage.ref, unavailableReason: "temporarily_unavailable" });
    const outcome = await stage.start({ database: { jitAccess: "Enabled" } });
    expect(outcome).toMatchObject({ kind: "waiting", retryAfterMs: 60_000 });
    const message = expect.stringContaining("temporarily_unavailable");
    expect(stage.entry(NAME)).toMatchObject({ state: "Waiting", message });
    expect(await stage.calls()).toEqual([READ]);
    await jit.setAvailability({ ref: stage.ref, unavailableReason: null });
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });
});

describe("database webhooks", () => {
  const NAME = "database.webhooksEnabled";
  const WRITE = "database.enableWebhooks";
  const spec = { database: { webhooksEnabled: true } };

  it("are installed", { timeout: 180_000 }, async () => {
    // a real database, which takes its time to begin
    expect(await stage.apply(spec)).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([WRITE]);
  });

  /** The database need not be there for what is tried here. */
  async function answered(): Promise<void> {
    const fault = { kind: "status", status: 201, body: {} } as const;
    await stage.theatre.emulator.control.faults.add({ operation: WRITE, count: null, fault });
  }

  it("are asked for once, whatever else is edited and however often it is looked, and nothing is claimed of them", async () => {
    await answered();
    expect(await stage.apply(spec)).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([WRITE]);
    await stage.run();
    await stage.apply({ dataApi: {}, ...spec });
    expect(await stage.calls()).not.toContain(WRITE);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });

  it("are asked for again where the field was removed and written anew", async () => {
    await answered();
    await stage.apply(spec);
    await stage.apply({});
    await stage.apply(spec);
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toHaveLength(2);
  });

  it("are neither asked for nor told to differ under Observe, and asked for once that ends", async () => {
    await answered();
    await stage.apply({ managementPolicy: "Observe", ...spec });
    expect(await stage.calls()).toEqual([]);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    await stage.apply(spec);
    expect(await stage.calls()).toEqual([WRITE]);
  });

  it("that could not be asked for are asked for again", async () => {
    const { faults } = stage.theatre.emulator.control;
    await faults.add({ operation: WRITE, fault: { kind: "status", status: 503 } });
    await answered();
    expect(await stage.apply({ driftPolicy: "Report", ...spec })).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([WRITE, WRITE]);
  });
});

describe("the backup schedule", () => {
  const NAME = "database.backups";
  const READ = "backups.getSchedule";
  const WRITE = "backups.updateSchedule";
  const at = (scheduleFor: string): object => ({ database: { backups: { scheduleFor } } });

  it("on another plan ends as Failed and names the plan, and is asked for again on that one", async () => {
    expect(await stage.apply(at("03:30:00"))).toMatchObject({ kind: "terminal", reason: "PlanLimit" });
    expect(stage.entry(NAME)).toMatchObject({
      state: "Failed",
      message: expect.stringContaining(
        "This needs the plan Enterprise; the organization has Pro; needed by spec.database.backups.scheduleFor; it is asked for",
      ),
    });
    await stage.calls();
    await stage.run("change");
    expect(await stage.calls()).toEqual([]);
    await stage.run();
    expect(await stage.calls()).not.toContain(READ);
  });

  it("is set where none was, repaired, and left when it is taken out of the spec", async () => {
    await using large = await openSectionStage({ seed: acme("enterprise") });
    const { client, ref } = large;
    expect(await large.apply(at("03:30:00"))).toMatchObject({ kind: "done" });
    expect(await large.calls()).toEqual([READ, WRITE]);
    await client.backups.updateSchedule({ ref, body: { schedule_for: "05:00:00" } });
    await large.calls();
    await large.run();
    expect(await large.calls()).toEqual([READ, WRITE]);
    expect(await client.backups.getSchedule({ ref })).toMatchObject({ schedule_for: "03:30:00" });
    await large.calls();
    await large.apply({});
    expect(await large.calls()).toEqual([]);
  });

  it("that was changed three times in a day waits with the platform's words, and is changed once it may be", async () => {
    await using large = await openSectionStage({ seed: acme("enterprise") });
    for (const time of ["01:00:00", "02:00:00", "03:00:00"]) await large.apply(at(time));
    await large.calls();
    const outcome = await large.start(at("04:00:00"));
    expect(outcome).toMatchObject({ kind: "waiting", retryAfterMs: 3_600_000 });
    expect(large.entry(NAME)).toMatchObject({
      state: "Waiting",
      message: expect.stringContaining("3 times in 24 hours"),
    });
    // No add-on is needed for a schedule: none is read to tell what the refusal is for.
    expect(await large.calls()).toEqual([READ, WRITE]);
    expect(await large.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await large.client.backups.getSchedule({ ref: large.ref })).toMatchObject({ schedule_for: "04:00:00" });
  });
});
