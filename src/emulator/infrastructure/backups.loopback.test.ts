import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SeedInput } from "../state/seed.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/database/backups`;
const DAY = 86_400_000;
const HOUR = 3_600_000;
/** the emulator's clock in tests, seconds since the epoch */
const START = Date.UTC(2026, 0, 1) / 1000;

const shop = { name: "shop", ref: REF, region: "eu-west-1" } as const;
const recoverable = { ...shop, instanceSize: "small", addons: ["pitr_7"] } satisfies NonNullable<
  SeedInput["projects"]
>[number];

const onPlan = (
  plan: "free" | "pro" | "team" | "enterprise",
  project: NonNullable<SeedInput["projects"]>[number] = shop,
): SeedInput => ({
  organizations: [{ slug: "acme", plan, members: { owner: "Owner" } }],
  projects: [project],
});

describe("the backups of a project", () => {
  it("are none on a fresh one", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro") });
    await using client = typedClient(under);
    expect(await client.backups.list({ ref: REF })).toEqual({
      region: "eu-west-1",
      walg_enabled: true,
      pitr_enabled: false,
      backups: [],
      physical_backup_data: {},
    });
  });

  it("are made every day, the newest first, and take a moment", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro"), timings: { backupMs: 2000 } });
    await using client = typedClient(under);
    under.clock.advance(DAY + 3 * HOUR + 1);
    const backups = async () =>
      (await client.backups.list({ ref: REF })).backups.map((one) => [one.status, one.inserted_at]);
    expect(await backups()).toEqual([
      ["PENDING", "2026-01-02T03:00:00.000Z"],
      ["COMPLETED", "2026-01-01T03:00:00.000Z"],
    ]);
    under.clock.advance(2000);
    expect((await backups())[0]).toEqual(["COMPLETED", "2026-01-02T03:00:00.000Z"]);
    const ids = (await client.backups.list({ ref: REF })).backups.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([
    { plan: "free", kept: 0 },
    { plan: "pro", kept: 7 },
    { plan: "team", kept: 14 },
    { plan: "enterprise", kept: 30 },
  ] as const)("are kept for $kept days on the plan $plan", async ({ plan, kept }) => {
    await using under = await emulatorUnderTest({ seed: onPlan(plan) });
    await using client = typedClient(under);
    under.clock.advance(100 * DAY);
    expect((await client.backups.list({ ref: REF })).backups).toHaveLength(kept);
  });
});

describe("a restore to a point in time", () => {
  it("is refused without the add-on for it", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro") });
    const refused = await under.call("POST", `${PATH}/restore-pitr`, { body: { recovery_time_target_unix: START } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("PITR is not enabled")]);
  });

  it("leads the project through RESTORING", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro", recoverable), timings: { restoringMs: 4000 } });
    await using client = typedClient(under);
    under.clock.advance(HOUR);
    await client.backups.restorePitr({ ref: REF, body: { recovery_time_target_unix: START + 1800 } });
    expect((await client.projects.get({ ref: REF })).status).toBe("RESTORING");
    under.clock.advance(4000);
    expect((await client.projects.get({ ref: REF })).status).toBe("ACTIVE_HEALTHY");
  });

  it("can go to both ends that are told, whenever the add-on was selected and however little later it is", async () => {
    await using under = await emulatorUnderTest({
      seed: onPlan("pro", { ...shop, instanceSize: "small" }),
      limits: { requestsPerMinute: 0 },
    });
    await using client = typedClient(under);
    const addon = { addon_variant: "pitr_7", addon_type: "pitr" } as const;
    const upTo = (most: number) => fc.oneof(fc.nat(2000), fc.nat(most));
    await fc.assert(
      fc.asyncProperty(upTo(DAY), upTo(9 * DAY), fc.boolean(), async (before, after, atEnd) => {
        under.clock.advance(60_000 + before);
        await client.addons.apply({ ref: REF, body: addon });
        under.clock.advance(after);
        const { physical_backup_data: told } = await client.backups.list({ ref: REF });
        const earliest = told.earliest_physical_backup_date_unix ?? Number.NaN;
        const latest = told.latest_physical_backup_date_unix ?? Number.NaN;
        expect(earliest).toBeLessThanOrEqual(latest);
        await client.backups.restorePitr({
          ref: REF,
          body: { recovery_time_target_unix: atEnd ? latest : earliest },
        });
        under.clock.advance(60_000);
        await client.addons.remove({ ref: REF, addon_variant: addon.addon_variant });
      }),
      {
        examples: [
          [400, 100, true],
          [400, 100, false],
          [0, 0, true],
        ],
      },
    );
  });

  it("reaches from the selection of the add-on, or as many days back as it has, to now", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro", recoverable) });
    await using client = typedClient(under);
    const window = async () => (await client.backups.list({ ref: REF })).physical_backup_data;
    under.clock.advance(DAY);
    expect(await window()).toEqual({
      earliest_physical_backup_date_unix: START,
      latest_physical_backup_date_unix: START + 86_400,
    });
    under.clock.advance(9 * DAY);
    expect(await window()).toEqual({
      earliest_physical_backup_date_unix: START + 3 * 86_400,
      latest_physical_backup_date_unix: START + 10 * 86_400,
    });
  });

  it("goes on where it began when another retention is selected", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro", recoverable) });
    await using client = typedClient(under);
    under.clock.advance(DAY);
    await client.addons.apply({ ref: REF, body: { addon_variant: "pitr_14", addon_type: "pitr" } });
    under.clock.advance(9 * DAY);
    expect((await client.backups.list({ ref: REF })).physical_backup_data).toEqual({
      earliest_physical_backup_date_unix: START,
      latest_physical_backup_date_unix: START + 10 * 86_400,
    });
  });

  it.each([
    { why: "before the add-on was selected", target: START - 1, says: `from ${START}` },
    { why: "in the future", target: START + 3601, says: `to ${START + 3600}` },
    { why: "before time began", target: -1, says: "recovery_time_target_unix" },
    { why: "within a second", target: START + 0.5, says: "recovery_time_target_unix" },
  ])("is refused for a target $why", async ({ target, says }) => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro", recoverable) });
    under.clock.advance(HOUR);
    const refused = await under.call("POST", `${PATH}/restore-pitr`, { body: { recovery_time_target_unix: target } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("is refused while the project is not active", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("pro", { ...recoverable, status: "INACTIVE" }) });
    const refused = await under.call("POST", `${PATH}/restore-pitr`, { body: { recovery_time_target_unix: START } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("INACTIVE")]);
  });
});

describe("the schedule of backups", () => {
  it("is not there until one is set, and then as it was set", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("enterprise") });
    await using client = typedClient(under);
    await expect(client.backups.getSchedule({ ref: REF })).rejects.toMatchObject({ status: 404 });
    const set = { schedule_for: "18:30:00", updated_at: "2026-01-01T00:00:00.000Z" };
    expect(await client.backups.updateSchedule({ ref: REF, body: { schedule_for: "18:30:00" } })).toEqual(set);
    expect(await client.backups.getSchedule({ ref: REF })).toEqual(set);
  });

  it("decides when the next backups are made, and leaves those that were made", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("enterprise") });
    await using client = typedClient(under);
    under.clock.advance(12 * HOUR);
    await client.backups.updateSchedule({ ref: REF, body: { schedule_for: "06:00:00" } });
    under.clock.advance(DAY);
    const { backups } = await client.backups.list({ ref: REF });
    expect(backups.map((one) => one.inserted_at)).toEqual(["2026-01-02T06:00:00.000Z", "2026-01-01T03:00:00.000Z"]);
  });

  it("is set three times in 24 hours, and then not before the first of them is a day old", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("enterprise") });
    await using client = typedClient(under);
    for (const hour of ["01", "02", "03"]) {
      await client.backups.updateSchedule({ ref: REF, body: { schedule_for: `${hour}:00:00` } });
      under.clock.advance(HOUR);
    }
    const fourth = () => under.call("PATCH", `${PATH}/schedule`, { body: { schedule_for: "04:00:00" } });
    const refused = await fourth();
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("2026-01-02T00:00:00.000Z")]);
    expect((await client.backups.getSchedule({ ref: REF })).schedule_for).toBe("03:00:00");
    under.clock.advance(21 * HOUR - 1);
    expect((await fourth()).status).toBe(400);
    under.clock.advance(1);
    expect((await fourth()).status).toBe(200);
  });

  it("holds through many changes over the years", async () => {
    await using under = await emulatorUnderTest({ seed: onPlan("enterprise") });
    await using client = typedClient(under);
    for (let month = 0; month < 24; month += 1) {
      await client.backups.updateSchedule({ ref: REF, body: { schedule_for: "05:00:00" } });
      under.clock.advance(20 * DAY);
    }
    const { backups } = await client.backups.list({ ref: REF });
    expect([backups.length, new Set(backups.map((one) => one.inserted_at.slice(11)))]).toEqual([
      30,
      new Set(["05:00:00.000Z"]),
    ]);
  });

  it.each(["free", "pro", "team"] as const)("is not to be had on the plan %s", async (plan) => {
    await using under = await emulatorUnderTest({ seed: onPlan(plan) });
    const answers = [
      await under.call("GET", `${PATH}/schedule`),
      await under.call("PATCH", `${PATH}/schedule`, { body: { schedule_for: "01:00:00" } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([402, 402]);
  });

  it.each(["24:00:00", "3:00:00", "03:60:00", "03:00", "03:00:00Z", ""])("is not %j", async (text) => {
    await using under = await emulatorUnderTest({ seed: onPlan("enterprise") });
    const refused = await under.call("PATCH", `${PATH}/schedule`, { body: { schedule_for: text } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("HH:MM:SS")]);
  });
});
