import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP, START } from "./scene.ts";

const PARENT = { parentRef: SHOP } as const;

/** The project has its default branch, and `dev`, which is up. */
async function branched({ client, pass }: Scene) {
  await client.branches.create({ ref: SHOP, body: { branch_name: "main" } });
  const dev = await client.branches.create({ ref: SHOP, body: { branch_name: "dev", git_branch: "feature" } });
  pass();
  return { dev, branch: { branch_id_or_ref: dev.id }, ref: dev.project_ref };
}

async function deployed({ client }: Scene, ref: string, text: string): Promise<void> {
  const body = { metadata: { entrypoint_path: "main.ts" }, files: [{ path: "main.ts", content: text }] };
  await client.functions.deploy({ ref, slug: "hello", body });
}

const sourceIn = async ({ client }: Scene, ref: string): Promise<string> => {
  const { files } = await client.functions.getBody({ ref, function_slug: "hello" });
  return files.map(({ content }) => Buffer.from(content).toString()).join();
};

const namesOf = async ({ client }: Scene): Promise<readonly string[]> =>
  (await client.branches.list({ ref: SHOP })).map(({ name }) => name);

/** A table in the database of a project, made by a migration. */
const migrated = ({ client }: Scene, ref: string, table: string) =>
  client.migrations.apply({ ref, body: { query: `create table ${table} (id int)`, name: table } });

const PLACES = "create table public.places (\n  id integer\n);\n";

const migrationsOf = async ({ client }: Scene, ref: string) =>
  (await client.migrations.list({ ref })).map(({ name }) => name);

export const branches: EffectsOf<"branches"> = {
  create: async ({ client, pass }) => {
    await client.secrets.create({ ref: SHOP, body: [{ name: "A", value: "1" }] });
    await client.branches.create({ ref: SHOP, body: { branch_name: "main" } });
    const made = await client.branches.create({ ref: SHOP, body: { branch_name: "dev", git_branch: "feature" } });
    expect(made).toMatchObject({ name: "dev", git_branch: "feature", is_default: false, status: "CREATING_PROJECT" });
    expect(await client.branches.getByName({ ref: SHOP, name: "dev" })).toEqual(made);
    pass();
    expect((await client.branches.getByName({ ref: SHOP, name: "dev" })).status).toBe("FUNCTIONS_DEPLOYED");
    const services = await client.projects.health({ ref: made.project_ref, services: ["db"] });
    expect(services).toMatchObject([{ name: "db", healthy: true }]);
  },
  list: async (scene) => {
    expect(await namesOf(scene)).toEqual([]);
    await branched(scene);
    expect(await scene.client.branches.list({ ref: SHOP })).toMatchObject([
      { name: "main", is_default: true, persistent: true, project_ref: SHOP },
      { name: "dev", is_default: false, persistent: false, parent_project_ref: SHOP },
    ]);
  },
  getByName: async (scene) => {
    const { dev } = await branched(scene);
    expect(await scene.client.branches.getByName({ ref: SHOP, name: "dev" })).toMatchObject({
      id: dev.id,
      name: "dev",
      project_ref: dev.project_ref,
      parent_project_ref: SHOP,
      git_branch: "feature",
      with_data: false,
      created_at: START,
      status: "FUNCTIONS_DEPLOYED",
      preview_project_status: "ACTIVE_HEALTHY",
    });
  },
  get: async (scene) => {
    const { branch, ref } = await branched(scene);
    const { db_pass, jwt_secret, ...config } = await scene.client.branches.get(branch, PARENT);
    expect(config).toEqual({
      ref,
      postgres_version: "17.4.1.048",
      postgres_engine: "17",
      release_channel: "ga",
      status: "ACTIVE_HEALTHY",
      db_host: `db.${ref}.emulator.test`,
      db_port: 5432,
      db_user: "postgres",
    });
    expect((await scene.client.dataApi.get({ ref })).jwt_secret).toBe(jwt_secret);
    expect(db_pass).toMatch(/^.{16,}$/);
  },
  update: async (scene) => {
    const { branch, dev } = await branched(scene);
    await scene.client.branches.update({ ...branch, body: { branch_name: "test", persistent: true } }, PARENT);
    expect(await scene.client.branches.getByName({ ref: SHOP, name: "test" })).toMatchObject({
      id: dev.id,
      persistent: true,
      git_branch: "feature",
    });
    expect(await namesOf(scene)).toEqual(["main", "test"]);
  },
  delete: async (scene) => {
    const { branch, ref } = await branched(scene);
    expect(await scene.client.branches.delete(branch, PARENT)).toEqual({ message: "ok" });
    expect(await namesOf(scene)).toEqual(["main"]);
    const health = scene.client.projects.health({ ref, services: ["db"] });
    await expect(health).rejects.toMatchObject({ status: 404 });
  },
  disable: async (scene) => {
    const { ref } = await branched(scene);
    await scene.client.branches.disable({ ref: SHOP });
    expect(await namesOf(scene)).toEqual([]);
    await expect(scene.client.functions.list({ ref })).rejects.toMatchObject({ status: 404 });
    expect((await scene.client.projects.get({ ref: SHOP })).status).toBe("ACTIVE_HEALTHY");
  },
  restore: async (scene) => {
    const { branch, dev } = await branched(scene);
    await scene.control.projects.patch({ ref: SHOP, softBranchDeletion: true });
    await scene.client.branches.delete({ ...branch, force: false }, PARENT);
    const scheduled = async () =>
      (await scene.client.branches.getByName({ ref: SHOP, name: "dev" })).deletion_scheduled_at;
    expect(await scheduled()).toBe("2026-01-01T01:01:00.000Z");
    await scene.client.branches.restore(branch, PARENT);
    expect(await scheduled()).toBeUndefined();
    scene.pass(3_600_000);
    expect((await scene.client.branches.get(branch, PARENT)).ref).toBe(dev.project_ref);
  },
  diff: async (scene) => {
    const { branch, ref } = await branched(scene);
    await migrated(scene, ref, "places");
    const diff = await scene.client.branches.diff({ ...branch, included_schemas: "public" }, PARENT);
    expect(diff).toBe(PLACES);
  },
  merge: async (scene) => {
    const { branch, ref } = await branched(scene);
    await migrated(scene, ref, "places");
    await deployed(scene, ref, "of dev");
    await scene.client.branches.merge({ ...branch, body: {} }, PARENT);
    scene.pass();
    expect(await sourceIn(scene, SHOP)).toBe("of dev");
    expect(await migrationsOf(scene, SHOP)).toEqual(["places"]);
    expect(await scene.client.branches.diff(branch, PARENT)).toBe("");
  },
  push: async (scene) => {
    const { branch, ref } = await branched(scene);
    await migrated(scene, SHOP, "people");
    await deployed(scene, SHOP, "of main");
    await scene.client.branches.push({ ...branch, body: {} }, PARENT);
    scene.pass();
    expect(await sourceIn(scene, ref)).toBe("of main");
    expect(await migrationsOf(scene, ref)).toEqual(["people"]);
  },
  reset: async (scene) => {
    const { branch, ref } = await branched(scene);
    await migrated(scene, ref, "places");
    const query = "create table scratch (x int)";
    await scene.client.database.query({ ref, body: { query } });
    const diff = () => scene.client.branches.diff({ ...branch, included_schemas: "public" }, PARENT);
    expect(await diff()).toContain("scratch");
    await scene.client.branches.reset({ ...branch, body: {} }, PARENT);
    scene.pass();
    expect(await diff()).toBe(PLACES); // what a migration made is made again, and nothing else
  },
};

/** A merge has begun. */
async function merging(scene: Scene) {
  const { branch, ...made } = await branched(scene);
  await deployed(scene, made.ref, "1");
  const { workflow_run_id: run_id } = await scene.client.branches.merge({ ...branch, body: {} }, PARENT);
  return { ...made, run: { ref: SHOP, run_id } };
}

const RUN_ENDED = ["clone", "pull", "health", "configure", "migrate", "seed", "deploy"].map((name) => `${name} EXITED`);

export const actions: EffectsOf<"actions"> = {
  count: async (scene) => {
    expect(await scene.client.actions.count({ ref: SHOP })).toEqual({ count: 0 });
    await merging(scene);
    expect(await scene.client.actions.count({ ref: SHOP })).toEqual({ count: 2 });
  },
  list: async (scene) => {
    const { dev, run } = await merging(scene);
    const main = await scene.client.branches.getByName({ ref: SHOP, name: "main" });
    const runs = await scene.client.actions.list({ ref: SHOP, limit: 10 });
    expect(runs.map((one) => one.branch_id)).toEqual([main.id, dev.id]);
    expect(runs[0]?.id).toBe(run.run_id);
    expect(await scene.client.actions.list({ ref: SHOP, offset: 1 })).toEqual(runs.slice(1));
  },
  get: async (scene) => {
    const { run } = await merging(scene);
    const steps = async () =>
      (await scene.client.actions.get(run)).run_steps.map(({ name, status }) => `${name} ${status}`);
    expect((await steps()).slice(0, 2)).toEqual(["clone RUNNING", "pull CREATED"]);
    scene.pass();
    expect(await steps()).toEqual(RUN_ENDED);
    expect((await scene.client.actions.get(run)).created_at).toBe("2026-01-01T00:01:00.000Z");
  },
  logs: async (scene) => {
    const { run, ref } = await merging(scene);
    scene.pass();
    const log = await scene.client.actions.logs(run);
    expect(log).toMatch(/^2026-01-01T00:01:00.000Z \[clone\] started\n/);
    expect(log).toContain(`[pull] Changes come from dev (${ref})\n`);
    expect(log).toContain("[deploy] Deployed function hello, version 1\n");
  },
  updateStatus: async (scene) => {
    const { run } = await merging(scene);
    await scene.client.actions.updateStatus({ ...run, body: { seed: "PAUSED" } });
    scene.pass();
    const { run_steps: steps } = await scene.client.actions.get(run);
    expect(steps.map(({ name, status }) => `${name} ${status}`)).toEqual(
      RUN_ENDED.map((step) => step.replace("seed EXITED", "seed PAUSED")),
    );
    expect(await scene.client.actions.logs(run)).toContain("[seed] set to PAUSED");
  },
};
