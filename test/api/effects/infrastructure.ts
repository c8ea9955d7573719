import { expect } from "vitest";
import type { ApiClient } from "../../../src/api/client.ts";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const GB = 1024 ** 3;
const LARGE = { addon_variant: "ci_large", addon_type: "compute_instance" } as const;
const PITR = { addon_variant: "pitr_7", addon_type: "pitr" } as const;

async function selected({ client }: Scene): Promise<readonly string[]> {
  return (await client.addons.list({ ref: SHOP })).selected_addons.map(({ variant }) => variant.id);
}

const statusOf = async ({ client }: Scene): Promise<string> => (await client.projects.get({ ref: SHOP })).status;

export const addons: EffectsOf<"addons"> = {
  list: async ({ client }) => {
    await client.addons.apply({ ref: SHOP, body: PITR });
    const { selected_addons: chosen, available_addons: available } = await client.addons.list({ ref: SHOP });
    expect(chosen.map(({ type, variant }) => `${type} ${variant.id}`)).toEqual([
      "compute_instance ci_small",
      "pitr pitr_7",
    ]);
    expect(available[0]?.variants[3]).toMatchObject({
      id: "ci_large",
      name: "Large",
      price: { type: "usage", interval: "hourly", amount: 0.1517 },
    });
  },
  apply: async (scene) => {
    await scene.client.addons.apply({ ref: SHOP, body: LARGE });
    expect([await selected(scene), await statusOf(scene)]).toEqual([["ci_large"], "RESIZING"]);
    scene.pass();
    expect(await statusOf(scene)).toBe("ACTIVE_HEALTHY");
    const { projects } = await scene.client.organizations.listProjects({ slug: "acme" });
    expect(projects[0]?.databases?.[0]?.infra_compute_size).toBe("large");
  },
  remove: async (scene) => {
    await scene.client.addons.apply({ ref: SHOP, body: PITR });
    await scene.client.addons.apply({ ref: SHOP, body: LARGE });
    scene.pass();
    await scene.client.addons.remove({ ref: SHOP, addon_variant: "pitr_7" });
    await scene.client.addons.remove({ ref: SHOP, addon_variant: "ci_large" });
    expect([await selected(scene), await statusOf(scene)]).toEqual([["ci_small"], "RESIZING"]);
  },
};

const A_DAY = 86_400_000;

export const backups: EffectsOf<"backups"> = {
  list: async ({ client, pass }) => {
    await client.addons.apply({ ref: SHOP, body: PITR });
    pass(A_DAY);
    const start = Date.parse(START) / 1000;
    expect(await client.backups.list({ ref: SHOP })).toEqual({
      region: "us-east-1",
      walg_enabled: true,
      pitr_enabled: true,
      backups: [
        {
          id: start + 3 * 3600,
          is_physical_backup: true,
          status: "COMPLETED",
          inserted_at: "2026-01-01T03:00:00.000Z",
        },
      ],
      physical_backup_data: {
        earliest_physical_backup_date_unix: start,
        latest_physical_backup_date_unix: start + A_DAY / 1000,
      },
    });
  },
  restorePitr: async (scene) => {
    const { client, pass } = scene;
    const sql = (query: string) => client.database.query({ ref: SHOP, body: { query } });
    await client.addons.apply({ ref: SHOP, body: PITR });
    await sql("create table notes (x text); insert into notes values ('kept')");
    pass(1000);
    await sql("update notes set x = 'lost'");
    pass(A_DAY);
    await client.backups.restorePitr({ ref: SHOP, body: { recovery_time_target_unix: Date.parse(START) / 1000 } });
    expect(await statusOf(scene)).toBe("RESTORING");
    pass();
    expect(await statusOf(scene)).toBe("ACTIVE_HEALTHY");
    expect(await sql("select x from notes")).toEqual([{ x: "kept" }]);
  },
  getSchedule: async ({ client, pass }) => {
    pass(1000);
    await client.backups.updateSchedule({ ref: SHOP, body: { schedule_for: "18:30:00" } });
    expect(await client.backups.getSchedule({ ref: SHOP })).toEqual({
      schedule_for: "18:30:00",
      updated_at: "2026-01-01T00:00:01.000Z",
    });
  },
  updateSchedule: async ({ client, pass }) => {
    const set = await client.backups.updateSchedule({ ref: SHOP, body: { schedule_for: "06:00:00" } });
    expect(await client.backups.getSchedule({ ref: SHOP })).toEqual(set);
    pass(A_DAY);
    const { backups: made } = await client.backups.list({ ref: SHOP });
    expect(made.map((one) => one.inserted_at)).toEqual(["2026-01-01T06:00:00.000Z"]);
  },
};

const DISK = { type: "gp3", iops: 4000, size_gb: 20, throughput_mibps: 250 } as const;

export const disk: EffectsOf<"disk"> = {
  get: async ({ client, pass }) => {
    const attributes = { type: "gp3", iops: 3000, size_gb: 8, throughput_mibps: 125 };
    expect(await client.disk.get({ ref: SHOP })).toEqual({ attributes, last_modified_at: START });
    pass(1000);
    await client.disk.update({ ref: SHOP, body: { attributes: { type: "io2", iops: 9000, size_gb: 8 } } });
    expect(await client.disk.get({ ref: SHOP })).toEqual({
      attributes: { type: "io2", iops: 9000, size_gb: 8 },
      last_modified_at: "2026-01-01T00:00:01.000Z",
    });
  },
  update: async ({ client }) => {
    await client.disk.update({ ref: SHOP, body: { attributes: DISK } });
    expect((await client.disk.get({ ref: SHOP })).attributes).toEqual(DISK);
    const { projects } = await client.organizations.listProjects({ slug: "acme" });
    expect(projects[0]?.databases).toMatchObject([
      { disk_volume_size_gb: 20, disk_type: "gp3", disk_throughput_mbps: 250, status: "RESIZING" },
    ]);
  },
  utilization: async ({ client, pass }) => {
    await client.disk.update({ ref: SHOP, body: { attributes: DISK } });
    const metrics = async () => (await client.disk.utilization({ ref: SHOP })).metrics;
    expect(await metrics()).toEqual({ fs_size_bytes: 8 * GB, fs_avail_bytes: 7 * GB, fs_used_bytes: GB });
    pass();
    expect(await metrics()).toEqual({ fs_size_bytes: 20 * GB, fs_avail_bytes: 19 * GB, fs_used_bytes: GB });
  },
  autoscale: {
    because: "how a disk grows by itself no operation changes",
    proof: async ({ client, control }) => {
      const read = () => client.disk.autoscale({ ref: SHOP });
      expect(await read()).toEqual({ growth_percent: 50, min_increment_gb: 4, max_size_gb: 60_000 });
      await control.disk.autoscale({ ref: SHOP, growthPercent: 20, maxSizeGb: null });
      expect(await read()).toEqual({ growth_percent: 20, min_increment_gb: 4, max_size_gb: null });
    },
  },
};

export const pooler: EffectsOf<"pooler"> = {
  get: async ({ client }) => {
    await client.pooler.update({ ref: SHOP, body: { default_pool_size: 40 } });
    expect(await client.pooler.get({ ref: SHOP })).toMatchObject([
      {
        identifier: SHOP,
        database_type: "PRIMARY",
        db_user: `postgres.${SHOP}`,
        db_host: "aws-0-us-east-1.pooler.emulator.test",
        db_port: 6543,
        default_pool_size: 40,
        pool_mode: "transaction",
      },
    ]);
  },
  update: async ({ client }) => {
    const body = { default_pool_size: 12, pool_mode: "session" } as const;
    expect(await client.pooler.update({ ref: SHOP, body })).toEqual(body);
    expect(await client.pooler.get({ ref: SHOP })).toMatchObject([body]);
  },
  getPgbouncer: async ({ client }) => {
    await client.pooler.update({ ref: SHOP, body: { default_pool_size: 12, pool_mode: "session" } });
    expect(await client.pooler.getPgbouncer({ ref: SHOP })).toMatchObject({
      default_pool_size: 12,
      pool_mode: "session",
      connection_string: `postgresql://postgres:[YOUR-PASSWORD]@db.${SHOP}.emulator.test:6543/postgres`,
    });
  },
};

export const postgresConfig: EffectsOf<"postgresConfig"> = {
  get: async ({ client }) => {
    expect(await client.postgresConfig.get({ ref: SHOP })).toEqual({});
    const overrides = { work_mem: "8MB", log_connections: true, statement_timeout: "60s" };
    await client.postgresConfig.replace({ ref: SHOP, body: overrides });
    expect(await client.postgresConfig.get({ ref: SHOP })).toEqual(overrides);
  },
  replace: async (scene) => {
    await scene.client.postgresConfig.replace({ ref: SHOP, body: { work_mem: "8MB" } });
    expect(await statusOf(scene)).toBe("ACTIVE_HEALTHY");
    await scene.client.postgresConfig.replace({ ref: SHOP, body: { max_connections: 50 } });
    expect(await scene.client.postgresConfig.get({ ref: SHOP })).toEqual({ max_connections: 50 });
    expect(await statusOf(scene)).toBe("RESTARTING");
  },
};

export const readOnlyMode: EffectsOf<"readOnlyMode"> = {
  get: async ({ client, control, pass }) => {
    await control.disk.fill({ ref: SHOP, usedPercent: 97 });
    const enabled = async () => (await client.readOnlyMode.get({ ref: SHOP })).enabled;
    expect(await enabled()).toBe(true);
    await client.disk.update({ ref: SHOP, body: { attributes: DISK } });
    pass();
    expect(await enabled()).toBe(false);
  },
  disableTemporarily: async ({ client, pass }) => {
    await client.readOnlyMode.disableTemporarily({ ref: SHOP });
    const read = () => client.readOnlyMode.get({ ref: SHOP });
    expect(await read()).toEqual({
      enabled: false,
      override_enabled: true,
      override_active_until: "2026-01-01T00:15:00.000Z",
    });
    pass(900_000);
    expect(await read()).toEqual({ enabled: false, override_enabled: false, override_active_until: "" });
  },
};

/** Databases of the project beside its own: where they are, and how. */
async function replicas(client: ApiClient) {
  const { projects } = await client.organizations.listProjects({ slug: "acme" });
  return (projects[0]?.databases ?? []).filter(({ type }) => type === "READ_REPLICA");
}

const IN_EUROPE = { ref: SHOP, body: { read_replica_region: "eu-west-1" } } as const;

export const readReplicas: EffectsOf<"readReplicas"> = {
  setup: async ({ client, pass }) => {
    await client.readReplicas.setup(IN_EUROPE);
    expect(await replicas(client)).toMatchObject([{ region: "eu-west-1", status: "INIT_READ_REPLICA" }]);
    pass();
    expect(await replicas(client)).toMatchObject([{ region: "eu-west-1", status: "ACTIVE_HEALTHY" }]);
  },
  remove: async ({ client, pass }) => {
    await client.readReplicas.setup(IN_EUROPE);
    pass();
    const database_identifier = (await replicas(client))[0]?.identifier ?? "";
    await client.readReplicas.remove({ ref: SHOP, body: { database_identifier } });
    expect(await replicas(client)).toMatchObject([{ identifier: database_identifier, status: "GOING_DOWN" }]);
    pass();
    expect(await replicas(client)).toEqual([]);
  },
};

const ENFORCED = { ref: SHOP, body: { requestedConfig: { database: true } } };

export const sslEnforcement: EffectsOf<"sslEnforcement"> = {
  get: async ({ client, pass }) => {
    const read = () => client.sslEnforcement.get({ ref: SHOP });
    expect(await read()).toEqual({ currentConfig: { database: false }, appliedSuccessfully: true });
    await client.sslEnforcement.update(ENFORCED);
    expect(await read()).toEqual({ currentConfig: { database: true }, appliedSuccessfully: false });
    pass();
    expect(await read()).toEqual({ currentConfig: { database: true }, appliedSuccessfully: true });
  },
  update: async (scene) => {
    const changed = await scene.client.sslEnforcement.update(ENFORCED);
    expect(await scene.client.sslEnforcement.get({ ref: SHOP })).toEqual(changed);
    expect([changed.currentConfig.database, await statusOf(scene)]).toEqual([true, "RESTARTING"]);
  },
};
