import { describe, expect, it } from "vitest";
import { UPGRADE_ERRORS, UPGRADE_PROGRESS } from "../../api/contract/upgrades.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/upgrade`;
const OLD = "17.4.1.048";
const NEW = "17.6.1.054";
/** One second a step. */
const timings = { upgradingMs: 9000 };

const oldProject = (change: object = {}): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({ timings, seed: { projects: [{ name: "shop", ref: REF, postgresVersion: OLD, ...change }] } });

describe("whether a project can be upgraded", () => {
  it("is told with its targets while nothing is in the way", async () => {
    await using under = await oldProject();
    await using client = typedClient(under);
    expect(await client.upgrades.eligibility({ ref: REF })).toMatchObject({
      eligible: true,
      current_app_version: OLD,
      current_app_version_release_channel: "ga",
      latest_app_version: NEW,
      target_upgrade_versions: [{ postgres_version: "17", release_channel: "ga", app_version: NEW }],
      validation_errors: [],
      warnings: [],
    });
  });

  it.each([
    {
      obstacles: { validationErrors: [{ type: "objects_depending_on_pg_cron", dependents: ["public.jobs"] }] },
      shown: { validation_errors: [{ type: "objects_depending_on_pg_cron", dependents: ["public.jobs"] }] },
      because: "a validation error, with what depends on it",
    },
    {
      obstacles: { unsupportedExtensions: ["plv8"] },
      shown: { unsupported_extensions: ["plv8"], validation_errors: [{ type: "unsupported_extension" }] },
      because: "an extension that the target does not have",
    },
    {
      obstacles: { userDefinedObjectsInInternalSchemas: ["auth.mine"] },
      shown: {
        user_defined_objects_in_internal_schemas: ["auth.mine"],
        validation_errors: [{ type: "user_defined_objects_in_internal_schemas" }],
      },
      because: "objects of users in schemas of the platform",
    },
  ] as const)("is denied for $because", async ({ obstacles, shown }) => {
    await using under = await oldProject({ upgrade: obstacles });
    await using client = typedClient(under);
    expect(await client.upgrades.eligibility({ ref: REF })).toMatchObject({ eligible: false, ...shown });
    const refused = await under.call("POST", PATH, { body: { target_version: "17" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(shown.validation_errors[0].type)]);
    await under.control.upgrades.obstruct({ ref: REF });
    expect((await client.upgrades.eligibility({ ref: REF })).eligible).toBe(true);
  });

  it("is not denied for what an upgrade only loses or warns of", async () => {
    const losses = { objectsToBeDropped: ["a"], legacyAuthCustomRoles: ["b"], warnings: ["c"] };
    await using under = await oldProject({ upgrade: losses });
    await using client = typedClient(under);
    expect(await client.upgrades.eligibility({ ref: REF })).toMatchObject({
      eligible: true,
      objects_to_be_dropped: ["a"],
      legacy_auth_custom_roles: ["b"],
      warnings: [{ type: "c" }],
    });
  });

  it.each([
    { status: "INACTIVE", says: "project_hibernating", because: "it is paused" },
    { status: "COMING_UP", says: "COMING_UP", because: "it is being made" },
    { status: "RESTORING", says: "RESTORING", because: "it is being restored" },
  ] as const)("is denied while $because", async ({ status, says }) => {
    await using under = await oldProject();
    await under.control.projects.force({ ref: REF, status });
    await using client = typedClient(under);
    expect((await client.upgrades.eligibility({ ref: REF })).eligible).toBe(false);
    const refused = await under.call("POST", PATH, { body: { target_version: "17" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("is denied on the newest version, until a newer one is published", async () => {
    await using under = await oldProject({ postgresVersion: NEW });
    await using client = typedClient(under);
    expect(await client.upgrades.eligibility({ ref: REF })).toMatchObject({
      eligible: false,
      target_upgrade_versions: [],
    });
    const refused = await under.call("POST", PATH, { body: { target_version: "17" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("newest")]);
    await under.control.releases.publish({ version: "17.6.1.063" });
    expect(await client.upgrades.eligibility({ ref: REF })).toMatchObject({
      eligible: true,
      latest_app_version: "17.6.1.063",
    });
  });
});

describe("an upgrade", () => {
  it("goes through every step, and the project runs the new version when it is UPGRADING no more", async () => {
    await using under = await oldProject();
    await using client = typedClient(under);
    expect(await client.upgrades.status({ ref: REF })).toEqual({ databaseUpgradeStatus: null });
    const { tracking_id } = await client.upgrades.start({ ref: REF, body: { target_version: "17" } });
    const seen: string[] = [];
    for (let second = 0; second <= 10; second += 1) {
      const { databaseUpgradeStatus: now } = await client.upgrades.status({ ref: REF, tracking_id });
      const { status, database } = await client.projects.get({ ref: REF });
      seen.push(`${now?.progress} ${now?.status} ${status} ${database?.version}`);
      expect(now).toMatchObject({ target_version: 17, initiated_at: "2026-01-01T00:00:00.000Z" });
      expect(Date.parse(now?.latest_status_at ?? "")).toBe(under.clock.now());
      under.clock.advance(1000);
    }
    const steps = UPGRADE_PROGRESS.map((step, index) =>
      index < 9 ? `${step} 0 UPGRADING ${OLD}` : `${step} ${index === 10 ? 2 : 0} ACTIVE_HEALTHY ${NEW}`,
    );
    expect(seen).toEqual(steps);
    const other = await client.upgrades.status({ ref: REF, tracking_id: "another" });
    expect(other).toEqual({ databaseUpgradeStatus: null });
    expect(await client.upgrades.eligibility({ ref: REF })).toMatchObject({
      eligible: false,
      current_app_version: NEW,
    });
  });

  it.each(UPGRADE_ERRORS.map((error, index) => [error, UPGRADE_PROGRESS[index + 1] ?? ""] as const))(
    "that ends with %s stays at %s",
    async (nextError, progress) => {
      await using under = await oldProject({ upgrade: { nextError } });
      await using client = typedClient(under);
      await client.upgrades.start({ ref: REF, body: { target_version: NEW } });
      under.clock.advance(20_000);
      const { databaseUpgradeStatus: ended } = await client.upgrades.status({ ref: REF });
      expect(ended).toMatchObject({ error: nextError, progress, status: 1 });
      const { status, database } = await client.projects.get({ ref: REF });
      const isDone = nextError === "9_post_physical_backup_failed";
      expect([status, database?.version]).toEqual(["ACTIVE_HEALTHY", isDone ? NEW : OLD]);
      if (isDone) return;
      await client.upgrades.start({ ref: REF, body: { target_version: NEW } });
      under.clock.advance(20_000);
      expect((await client.upgrades.status({ ref: REF })).databaseUpgradeStatus).toMatchObject({ status: 2 });
    },
  );

  it("does not begin a second time while it is under way", async () => {
    await using under = await oldProject();
    expect((await under.call("POST", PATH, { body: { target_version: "17" } })).status).toBe(201);
    const again = await under.call("POST", PATH, { body: { target_version: "17" } });
    expect([again.status, message(again)]).toEqual([400, expect.stringContaining("UPGRADING")]);
  });

  it("neither ends nor changes the version while its project is held in UPGRADING", async () => {
    await using under = await oldProject();
    await using client = typedClient(under);
    await under.control.projects.hold({ refOrName: REF, at: "UPGRADING" });
    await client.upgrades.start({ ref: REF, body: { target_version: "17" } });
    under.clock.advance(3_600_000);
    const { databaseUpgradeStatus: held } = await client.upgrades.status({ ref: REF });
    expect(held).toMatchObject({ progress: "8_attached_volume_to_upgraded_instance", status: 0 });
    expect((await client.projects.get({ ref: REF })).database?.version).toBe(OLD);
    await under.control.projects.release({ refOrName: REF });
    expect((await client.projects.get({ ref: REF })).database?.version).toBe(NEW);
    expect((await client.upgrades.status({ ref: REF })).databaseUpgradeStatus).toMatchObject({ status: 2 });
  });

  it("goes on from the version that an earlier one led to, and survives a pause", async () => {
    await using under = await oldProject({ postgresVersion: "15.8.1.085" });
    await using client = typedClient(under);
    for (const target of ["15.8.1.121", "17"]) {
      await client.upgrades.start({ ref: REF, body: { target_version: target } });
      under.clock.advance(20_000);
    }
    await client.projects.pause({ ref: REF });
    under.clock.advance(20_000);
    expect((await client.projects.get({ ref: REF })).database).toMatchObject({ version: NEW, postgres_engine: "17" });
  });

  it.each([
    { body: { target_version: "16" }, says: "received '16'", because: "no such version" },
    { body: { target_version: OLD }, says: "target_version", because: "it is the present one" },
    { body: { target_version: "17", release_channel: "beta" }, says: "target_version", because: "not in that channel" },
    { body: {}, says: "target_version", because: "it is not said" },
    { body: { target_version: "17", release_channel: "nope" }, says: "release_channel", because: "no such channel" },
  ])("to $body is refused with 400: $because", async ({ body, says }) => {
    await using under = await oldProject();
    const refused = await under.call("POST", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("takes a version of another channel where that is named", async () => {
    await using under = await oldProject();
    await under.control.releases.publish({ version: "18.0.1.001", channel: "beta" });
    await using client = typedClient(under);
    await client.upgrades.start({ ref: REF, body: { target_version: "17", release_channel: "beta" } });
    under.clock.advance(20_000);
    expect((await client.projects.get({ ref: REF })).database).toMatchObject({
      version: "18.0.1.001",
      release_channel: "beta",
    });
  });
});
