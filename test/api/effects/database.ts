import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP } from "./scene.ts";

const TABLES = `create type mood as enum ('sad', 'glad');
  create table people (id bigint primary key, name text not null, mood mood default 'glad');
  comment on table people is 'Who is there';
  insert into people (id, name) values (1, 'Ann')`;

const sql = ({ client }: Scene, query: string) => client.database.query({ ref: SHOP, body: { query } });
const read = ({ client }: Scene, query: string) => client.database.queryReadOnly({ ref: SHOP, body: { query } });

export const database: EffectsOf<"database"> = {
  query: async (scene) => {
    await sql(scene, TABLES);
    const body = { query: "insert into people values ($1, $2, $3) returning id, mood", parameters: [2, "Bob", "sad"] };
    expect(await scene.client.database.query({ ref: SHOP, body })).toEqual([{ id: 2, mood: "sad" }]);
    expect(await sql(scene, "select name, mood from people order by id")).toEqual([
      { name: "Ann", mood: "glad" },
      { name: "Bob", mood: "sad" },
    ]);
    expect((await scene.client.database.typescriptTypes({ ref: SHOP })).types).toContain("people: {");
  },
  queryReadOnly: async (scene) => {
    await sql(scene, TABLES);
    const body = { query: "select name from public.people where id = $1", parameters: [1] };
    expect(await scene.client.database.queryReadOnly({ ref: SHOP, body })).toEqual([{ name: "Ann" }]);
    await expect(read(scene, "delete from public.people")).rejects.toMatchObject({ status: 400 });
    expect(await scene.client.database.openapi({ ref: SHOP })).toMatchObject({ definitions: { people: {} } });
  },
  context: async (scene) => {
    await sql(scene, "create schema app");
    const { databases } = await scene.client.database.context({ ref: SHOP });
    expect(databases.map(({ name }) => name)).toEqual(["postgres"]);
    expect(databases[0]?.schemas).toEqual(expect.arrayContaining([{ name: "app" }, { name: "public" }]));
  },
  openapi: async (scene) => {
    await sql(scene, TABLES);
    expect(await scene.client.database.openapi({ ref: SHOP, schema: "public" })).toMatchObject({
      swagger: "2.0",
      host: `${SHOP}.emulator.test:443`,
      paths: { "/people": { get: {}, post: {} } },
      definitions: {
        people: {
          description: "Who is there",
          required: ["id", "name"],
          properties: { mood: { type: "string", enum: ["sad", "glad"], default: "glad" } },
        },
      },
    });
  },
  typescriptTypes: async (scene) => {
    await sql(scene, TABLES);
    const { types } = await scene.client.database.typescriptTypes({ ref: SHOP, included_schemas: "public,auth" });
    expect(types).toContain('mood: Database["public"]["Enums"]["mood"] | null');
    expect(types).toContain("auth: {");
  },
  enableWebhooks: async (scene) => {
    expect(await scene.client.database.enableWebhooks({ ref: SHOP })).toBeUndefined();
    await sql(
      scene,
      `${TABLES}; create trigger hook after insert on people for each row
       execute function platform_functions.http_request('http://example.test', 'POST');
       insert into people values (2, 'Zoe')`,
    );
    expect(await read(scene, "select hook_name from platform_functions.hooks")).toEqual([{ hook_name: "hook" }]);
    const { databases } = await scene.client.database.context({ ref: SHOP });
    expect(databases[0]?.schemas).toContainEqual({ name: "platform_functions" });
  },
};

const FIRST = { query: "create table a (x int); create table b (y int)", name: "first", rollback: "drop table a, b" };
const VERSION = "20260101000000";

const tables = async (scene: Scene) =>
  (await sql(scene, "select tablename from pg_tables where schemaname = 'public' order by 1")).map(
    ({ tablename }) => tablename,
  );

export const migrations: EffectsOf<"migrations"> = {
  apply: async (scene) => {
    await scene.client.migrations.apply({ ref: SHOP, body: FIRST });
    expect(await tables(scene)).toEqual(["a", "b"]);
    expect(await scene.client.migrations.list({ ref: SHOP })).toEqual([{ version: VERSION, name: "first" }]);
  },
  upsert: async (scene) => {
    await scene.client.migrations.upsert({ ref: SHOP, body: FIRST });
    await scene.client.migrations.upsert({ ref: SHOP, body: { query: "select 1", name: "first" } });
    expect(await tables(scene)).toEqual([]); // remembered, not run
    expect(await scene.client.migrations.list({ ref: SHOP })).toEqual([{ version: VERSION, name: "first" }]);
    const { statements } = await scene.client.migrations.get({ ref: SHOP, version: VERSION });
    expect(statements).toEqual(["select 1"]);
  },
  list: async (scene) => {
    await scene.client.migrations.apply({ ref: SHOP, body: FIRST });
    scene.pass(5000);
    await scene.client.migrations.apply({ ref: SHOP, body: { query: "select 1" } });
    const [first, second] = await scene.client.migrations.list({ ref: SHOP });
    expect([first, second?.version]).toEqual([{ version: VERSION, name: "first" }, "20260101000005"]);
  },
  get: async ({ client }) => {
    await client.migrations.apply({ ref: SHOP, body: FIRST });
    expect(await client.migrations.get({ ref: SHOP, version: VERSION })).toEqual({
      version: VERSION,
      name: "first",
      statements: ["create table a (x int)", "create table b (y int)"],
      rollback: ["drop table a, b"],
      created_by: "owner@example.test",
    });
  },
  update: async ({ client }) => {
    await client.migrations.apply({ ref: SHOP, body: FIRST });
    await client.migrations.update({ ref: SHOP, version: VERSION, body: { name: "renamed" } });
    expect(await client.migrations.get({ ref: SHOP, version: VERSION })).toMatchObject({
      name: "renamed",
      rollback: ["drop table a, b"],
    });
  },
  rollback: async (scene) => {
    await scene.client.migrations.apply({ ref: SHOP, body: { query: "create table stays (x int)", name: "stays" } });
    scene.pass(1000);
    await scene.client.migrations.apply({ ref: SHOP, body: FIRST });
    await scene.client.migrations.rollback({ ref: SHOP, gte: "20260101000001" });
    expect(await tables(scene)).toEqual(["stays"]);
    expect(await scene.client.migrations.list({ ref: SHOP })).toEqual([{ version: VERSION, name: "stays" }]);
  },
};

export const advisors: EffectsOf<"advisors"> = {
  performance: async (scene) => {
    await sql(scene, "create table bare (x int)");
    const { lints } = await scene.client.advisors.performance({ ref: SHOP });
    expect(lints).toMatchObject([
      {
        name: "no_primary_key",
        level: "INFO",
        detail: "Table public.bare does not have a primary key.",
        cache_key: "no_primary_key_public_bare",
      },
    ]);
  },
  security: async (scene) => {
    await sql(scene, "create table bare (x int)");
    const lints = async () => (await scene.client.advisors.security({ ref: SHOP, lint_type: "sql" })).lints;
    expect(await lints()).toMatchObject([
      { name: "rls_disabled_in_public", level: "ERROR", metadata: { schema: "public", name: "bare" } },
    ]);
    await sql(scene, "alter table bare enable row level security");
    expect((await lints()).map(({ name }) => name)).toEqual(["rls_enabled_no_policy"]);
  },
};

const SNIPPET = "11111111-1111-4111-8111-111111111111";
const NO_SNIPPET = "no operation saves a snippet";

async function saved({ control }: Scene): Promise<void> {
  await control.snippets.put({ project: SHOP, name: "a draft", sql: "select 2", owner: "owner" });
  await control.snippets.put({ id: SNIPPET, project: SHOP, name: "customers", sql: "select 1", description: "All" });
}

export const snippets: EffectsOf<"snippets"> = {
  list: {
    because: NO_SNIPPET,
    proof: async (scene) => {
      await saved(scene);
      const { data, cursor } = await scene.client.snippets.list({ sort_by: "name", sort_order: "desc", limit: "1" });
      expect(data).toMatchObject([{ id: SNIPPET, name: "customers", project: { name: "shop" }, type: "sql" }]);
      const rest = await scene.client.snippets.list({
        sort_by: "name",
        sort_order: "desc",
        ...(cursor === null || cursor === undefined ? {} : { cursor }),
      });
      expect(rest.data.map(({ name }) => name)).toEqual(["a draft"]);
    },
  },
  get: {
    because: NO_SNIPPET,
    proof: async (scene) => {
      await saved(scene);
      expect(await scene.client.snippets.get({ id: SNIPPET })).toMatchObject({
        name: "customers",
        description: "All",
        owner: { username: "owner" },
        content: { schema_version: "1.0", sql: "select 1" },
      });
    },
  },
};
