import { createHash } from "node:crypto";
import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const NEW = { name: "blog", db_pass: "long enough", organization_slug: "acme", region: "eu-west-1" } as const;

const statusOf = async ({ client }: Scene): Promise<string> => (await client.projects.get({ ref: SHOP })).status;

/** The project is paused, and its restoration has begun. */
async function restoring({ client, pass }: Scene): Promise<void> {
  await client.projects.pause({ ref: SHOP });
  pass();
  expect(await client.projects.restore({ ref: SHOP })).toBeUndefined();
}

export const projects: EffectsOf<"projects"> = {
  create: async ({ client, pass }) => {
    const made = await client.projects.create({ body: NEW });
    expect(made).toMatchObject({ name: "blog", organization_slug: "acme", region: "eu-west-1", created_at: START });
    const read = async () => client.projects.get({ ref: made.ref });
    expect(await read()).toMatchObject({ ...made, status: "UNKNOWN" });
    pass();
    expect(await read()).toMatchObject({ ...made, status: "ACTIVE_HEALTHY" });
  },
  list: async ({ client }) => {
    const made = await client.projects.create({ body: NEW });
    const listed = await client.projects.list();
    expect(listed.map(({ name, status }) => [name, status])).toEqual([
      ["shop", "ACTIVE_HEALTHY"],
      ["blog", "UNKNOWN"],
    ]);
    expect(listed[1]).toEqual(await client.projects.get({ ref: made.ref }));
  },
  get: async ({ client, pass }) => {
    pass(1000);
    const { ref } = await client.projects.create({ body: NEW });
    pass();
    expect(await client.projects.get({ ref })).toEqual({
      id: ref,
      ref,
      organization_id: (await client.organizations.get({ slug: "acme" })).id,
      organization_slug: "acme",
      name: "blog",
      region: "eu-west-1",
      created_at: "2026-01-01T00:00:01.000Z",
      status: "ACTIVE_HEALTHY",
      database: {
        host: `db.${ref}.emulator.test`,
        version: "17.6.1.054",
        postgres_engine: "17",
        release_channel: "ga",
      },
    });
  },
  update: async ({ client }) => {
    expect(await client.projects.update({ ref: SHOP, body: { name: "store" } })).toMatchObject({
      ref: SHOP,
      name: "store",
    });
    expect((await client.projects.get({ ref: SHOP })).name).toBe("store");
  },
  delete: async ({ client }) => {
    expect(await client.projects.delete({ ref: SHOP })).toMatchObject({ ref: SHOP, name: "shop" });
    expect(await client.projects.list()).toEqual([]);
    await expect(client.projects.get({ ref: SHOP })).rejects.toMatchObject({ status: 404 });
  },
  pause: async (scene) => {
    expect(await scene.client.projects.pause({ ref: SHOP })).toBeUndefined();
    expect(await statusOf(scene)).toBe("PAUSING");
    scene.pass();
    expect(await statusOf(scene)).toBe("INACTIVE");
  },
  restart: async (scene) => {
    await scene.client.projects.restart({ ref: SHOP });
    expect(await statusOf(scene)).toBe("RESTARTING");
    scene.pass();
    expect(await statusOf(scene)).toBe("ACTIVE_HEALTHY");
  },
  restore: async (scene) => {
    await restoring(scene);
    expect(await statusOf(scene)).toBe("RESTORING");
    scene.pass();
    expect(await statusOf(scene)).toBe("ACTIVE_HEALTHY");
  },
  cancelRestore: async (scene) => {
    await restoring(scene);
    await scene.client.projects.cancelRestore({ ref: SHOP });
    expect(await statusOf(scene)).toBe("INACTIVE");
    scene.pass();
    expect(await statusOf(scene)).toBe("INACTIVE");
  },
  listRestoreVersions: async ({ client, pass }) => {
    const versions = async () =>
      (await client.projects.listRestoreVersions({ ref: SHOP })).available_versions.map((one) => one.version);
    expect(await versions()).toEqual(["17.4.1.048", "17.6.1.054"]);
    await client.upgrades.start({ ref: SHOP, body: { target_version: "17" } });
    pass();
    expect(await versions()).toEqual(["17.6.1.054"]);
  },
  availableRegions: {
    because: "how much room a region has no operation changes",
    proof: async ({ client, control }) => {
      await control.regions.patch({ region: "eu-central-1", largestSize: null });
      const { all, recommendations } = await client.projects.availableRegions({
        organization_slug: "acme",
        continent: "EU",
      });
      expect(recommendations.smartGroup).toMatchObject({ code: "emea", type: "smartGroup" });
      expect(all.specific.find(({ code }) => code === "eu-central-1")).toMatchObject({
        provider: "AWS",
        status: "capacity",
      });
      const recommended = recommendations.specific.map(({ code }) => code);
      expect(recommended).toContain("eu-west-1");
      expect(recommended).not.toContain("eu-central-1");
    },
  },
  health: async ({ client }) => {
    await client.realtime.update({ ref: SHOP, body: { suspend: true } });
    const health = await client.projects.health({ ref: SHOP, services: ["db", "realtime"], timeout_ms: 100 });
    expect(health.map(({ name, healthy, status }) => [name, healthy, status])).toEqual([
      ["db", true, "ACTIVE_HEALTHY"],
      ["realtime", false, "UNHEALTHY"],
    ]);
  },
  updatePassword: {
    because: "no answer shows a password that was set",
    proof: async ({ client, control }) => {
      await client.projects.updatePassword({ ref: SHOP, body: { password: "correct horse" } });
      const [shop] = (await control.state.read()).projects;
      const digest = createHash("sha256").update("correct horse").digest("hex");
      expect(shop?.databasePassword).toEqual({ digest, changes: 1 });
    },
  },
};

const UPGRADE = { ref: SHOP, body: { target_version: "17" } } as const;

export const upgrades: EffectsOf<"upgrades"> = {
  eligibility: async ({ client, pass }) => {
    const seen = async () => {
      const read = await client.upgrades.eligibility({ ref: SHOP });
      const targets = read.target_upgrade_versions.map(({ app_version: version }) => version);
      return [read.eligible, read.current_app_version, targets];
    };
    expect(await seen()).toEqual([true, "17.4.1.048", ["17.6.1.054"]]);
    await client.upgrades.start(UPGRADE);
    pass();
    expect(await seen()).toEqual([false, "17.6.1.054", []]);
  },
  start: async ({ client, pass }) => {
    await client.upgrades.start(UPGRADE);
    const seen = async () => {
      const { status, database } = await client.projects.get({ ref: SHOP });
      return [status, database?.version];
    };
    expect(await seen()).toEqual(["UPGRADING", "17.4.1.048"]);
    pass();
    expect(await seen()).toEqual(["ACTIVE_HEALTHY", "17.6.1.054"]);
  },
  status: async ({ client, pass }) => {
    const { tracking_id } = await client.upgrades.start(UPGRADE);
    const seen = async () => (await client.upgrades.status({ ref: SHOP, tracking_id })).databaseUpgradeStatus;
    expect(await seen()).toMatchObject({
      initiated_at: START,
      target_version: 17,
      progress: "0_requested",
      status: 0,
    });
    pass();
    expect(await seen()).toMatchObject({ progress: "10_completed_post_physical_backup", status: 2 });
  },
};
