import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { migrations } from "../../api/contract/migrations.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REFS = ["a", "b", "c", "d", "e", "f", "g"].map((letter) => letter.repeat(20));
const [APPLY = "", ORDER = "", UPSERT = "", ROLLBACK = "", CHANGE = "", RIGHTS = "", KEYED = ""] = REFS;
const path = (ref: string): string => `/v1/projects/${ref}/database/migrations`;

let under: EmulatorUnderTest;
let client: ReturnType<typeof typedClient>;

beforeAll(async () => {
  under = await emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      users: [{ username: "owner", email: "owner@example.test" }],
      projects: REFS.map((ref) => ({ name: ref, ref })),
      tokens: [
        { token: "reader", user: "owner", permissions: ["database_migrations_read"] },
        { token: "sql", user: "owner", permissions: ["database_write"] },
      ],
      oauthApps: ["partner", "other"].map((clientId) => ({
        clientId,
        clientSecret: `${clientId}-secret`,
        redirectUris: ["https://app.example.test/callback"],
        partner: clientId === "partner",
      })),
    },
  });
  client = typedClient(under);
});
afterAll(async () => {
  await client.close();
  await under[Symbol.asyncDispose]();
});

const sql = (ref: string, query: string) => client.database.query({ ref, body: { query } });
const tables = async (ref: string): Promise<unknown> =>
  (
    await sql(
      ref,
      "select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1",
    )
  ).map(({ relname }) => relname);

describe("migrations.apply", () => {
  it("runs the statements and remembers them with who applied them", async () => {
    under.clock.advance(1000);
    const body = {
      query: "create table a (x int);\ncreate table b (y int);",
      name: "first",
      rollback: "drop table b; drop table a",
    };
    await client.migrations.apply({ ref: APPLY, body });
    expect(await tables(APPLY)).toEqual(["a", "b"]);
    const [entry] = await client.migrations.list({ ref: APPLY });
    expect(entry).toEqual({ version: "20260101000001", name: "first" });
    expect(await client.migrations.get({ ref: APPLY, version: "20260101000001" })).toEqual({
      version: "20260101000001",
      name: "first",
      statements: ["create table a (x int)", "create table b (y int)"],
      rollback: ["drop table b", "drop table a"],
      created_by: "owner@example.test",
    });
  });

  // neither behaviour.md nor endpoints.md says where a key would come from
  it("takes no idempotency key by a header or a field: only SQL gives a migration one", async () => {
    const sent = { body: { query: "select 1" }, headers: { "Idempotency-Key": "k" } };
    for (const _ of [1, 2]) expect((await under.call("POST", path(KEYED), sent)).status).toBe(200);
    const refused = await under.call("POST", path(KEYED), { body: { ...sent.body, idempotency_key: "k" } });
    expect(message(refused)).toBe("body: Unrecognized key(s): 'idempotency_key'");
    const [{ version } = { version: "" }, ...more] = await client.migrations.list({ ref: KEYED });
    expect(more.length).toBe(1);
    expect(await client.migrations.get({ ref: KEYED, version })).not.toHaveProperty("idempotency_key");
    await sql(KEYED, `update platform_migrations.schema_migrations set idempotency_key = version`);
    expect(await client.migrations.get({ ref: KEYED, version })).toHaveProperty("idempotency_key", version);
  });

  it("leaves nothing of one that is refused: neither tables nor history", async () => {
    const before = await client.migrations.list({ ref: APPLY });
    const refused = await under.call("POST", path(APPLY), {
      body: { query: "create table gone (x int); create table a (x int)" },
    });
    expect([refused.status, message(refused)]).toEqual([
      400,
      expect.stringContaining('42P07: relation "a" already exists'),
    ]);
    expect(await tables(APPLY)).toEqual(["a", "b"]);
    expect(await client.migrations.list({ ref: APPLY })).toEqual(before);
  });

  it("is one transaction also where it brings its own, which ends nothing", async () => {
    const before = await tables(APPLY);
    const apply = (query: string) => under.call("POST", path(APPLY), { body: { query, name: "own" } });
    const failed = await apply("begin; create table half (x int); commit; select 1 / 0");
    expect([failed.status, message(failed)]).toEqual([400, expect.stringContaining("division by zero")]);
    const undone = await apply("create table half (x int);\nrollback; create table other_half (x int)");
    expect([undone.status, message(undone)]).toEqual([400, expect.stringContaining("LINE 2: rollback;")]);
    expect(await tables(APPLY)).toEqual(before);

    const own = "begin;\ncreate table own (x int);\ncommit;";
    await client.migrations.apply({
      ref: APPLY,
      body: { query: own, name: "own", rollback: "begin; drop table own; end" },
    });
    expect(await tables(APPLY)).toContain("own");
    const newest = (await client.migrations.list({ ref: APPLY })).at(-1);
    expect(newest).toMatchObject({ name: "own" });
    await client.migrations.rollback({ ref: APPLY, gte: newest?.version ?? "" });
    expect(await tables(APPLY)).toEqual(before);
  });

  it("leaves nothing of one whose constraints fail at its end", async () => {
    await sql(
      APPLY,
      "create table parent (id int primary key); create table child (id int references parent deferrable initially deferred)",
    );
    const refused = await under.call("POST", path(APPLY), { body: { query: "insert into child values (1)" } });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("23503")]);
    expect(await sql(APPLY, "select count(*) as n from child")).toEqual([{ n: 0 }]);
  });

  it("remembers one as the owner even when it changes roles and settings", async () => {
    await client.migrations.apply({
      ref: APPLY,
      body: { query: "set role anon; set search_path = ''; select 1", name: "odd" },
    });
    expect((await client.migrations.list({ ref: APPLY })).at(-1)).toMatchObject({ name: "odd" });
  });
});

describe("versions of migrations", () => {
  it("are the time, and rise when it stands still, goes back or is overtaken", async () => {
    const at = under.clock.now();
    const apply = () => client.migrations.apply({ ref: ORDER, body: { query: "select 1" } });
    await apply();
    await Promise.all([apply(), apply()]);
    const stamp = (ms: number): string => new Date(ms).toISOString().replaceAll(/\D/g, "").slice(0, 14);
    const versions = async () => (await client.migrations.list({ ref: ORDER })).map(({ version }) => version);
    expect(await versions()).toEqual([stamp(at), stamp(at + 1000), stamp(at + 2000)]);
    await sql(ORDER, "insert into platform_migrations.schema_migrations (version) values ('20991231235959'), ('5')");
    await apply();
    expect((await versions()).at(0)).toBe("5");
    expect((await versions()).at(-1)).toBe("21000101000000");
    await sql(ORDER, "insert into platform_migrations.schema_migrations (version) values ('99999999999999')");
    await apply();
    expect((await versions()).at(-1)).toBe("100000000000000");
  });
});

describe("migrations.upsert", () => {
  it("remembers a migration without running it, and replaces the newest of the same name", async () => {
    const body = { query: "create table never (x int)", name: "same", rollback: "drop table never" };
    await client.migrations.upsert({ ref: UPSERT, body });
    await client.migrations.upsert({ ref: UPSERT, body: { query: "create table other (x int)", name: "same" } });
    expect(await tables(UPSERT)).toEqual([]);
    const [entry, ...more] = await client.migrations.list({ ref: UPSERT });
    expect(more).toEqual([]);
    const kept = await client.migrations.get({ ref: UPSERT, version: entry?.version ?? "" });
    expect(kept).toMatchObject({ name: "same", statements: ["create table other (x int)"] });
    expect(kept).not.toHaveProperty("rollback");
  });

  it("takes one without a name for the one of the same statements", async () => {
    for (const query of ["select 1", "select 1;", "select 2"]) {
      await client.migrations.upsert({ ref: UPSERT, body: { query } });
    }
    expect(await client.migrations.list({ ref: UPSERT })).toHaveLength(3);
  });
});

describe("migrations.rollback", () => {
  it("undoes from the newest to the one that is named, and takes them out of the history", async () => {
    for (const name of ["one", "two", "three"]) {
      const [query, rollback] = [
        `create table ${name} (x int); insert into log values ('${name}')`,
        `drop table ${name}; insert into log values ('un${name}')`,
      ];
      await client.migrations.apply({
        ref: ROLLBACK,
        body: { query: name === "one" ? `create table log (x text); ${query}` : query, name, rollback },
      });
    }
    const versions = (await client.migrations.list({ ref: ROLLBACK })).map(({ version }) => version);
    await client.migrations.rollback({ ref: ROLLBACK, gte: versions[1] ?? "" });
    expect(await tables(ROLLBACK)).toEqual(["log", "one"]);
    expect(await sql(ROLLBACK, "select string_agg(x, ' ') as x from log")).toEqual([
      { x: "one two three unthree untwo" },
    ]);
    expect(await client.migrations.list({ ref: ROLLBACK })).toEqual([{ version: versions[0], name: "one" }]);
  });

  it("leaves everything as it was when one fails", async () => {
    await client.migrations.apply({
      ref: ROLLBACK,
      body: { query: "create table fine (x int)", rollback: "drop table missing" },
    });
    await client.migrations.apply({
      ref: ROLLBACK,
      body: { query: "create table last (x int)", rollback: "drop table last" },
    });
    const before = await client.migrations.list({ ref: ROLLBACK });
    const refused = await under.call("DELETE", `${path(ROLLBACK)}?gte=1`);
    expect([refused.status, message(refused)]).toEqual([
      400,
      expect.stringContaining('42P01: table "missing" does not exist'),
    ]);
    expect(await tables(ROLLBACK)).toEqual(["fine", "last", "log", "one"]);
    expect(await client.migrations.list({ ref: ROLLBACK })).toEqual(before);
  });

  it("only forgets what says nothing of how it is undone, and does nothing where nothing is newer", async () => {
    await client.migrations.apply({ ref: ROLLBACK, body: { query: "create table stays (x int)", name: "stays" } });
    const last = (await client.migrations.list({ ref: ROLLBACK })).at(-1)?.version ?? "";
    await client.migrations.rollback({ ref: ROLLBACK, gte: last });
    expect(await tables(ROLLBACK)).toContain("stays");
    expect((await client.migrations.list({ ref: ROLLBACK })).map(({ name }) => name)).not.toContain("stays");
    const before = await client.migrations.list({ ref: ROLLBACK });
    await client.migrations.rollback({ ref: ROLLBACK, gte: last });
    expect(await client.migrations.list({ ref: ROLLBACK })).toEqual(before);
  });
});

describe("one migration", () => {
  it("changes its name and its rollback, each alone", async () => {
    await client.migrations.apply({ ref: CHANGE, body: { query: "select 1", name: "old", rollback: "select 2" } });
    const version = (await client.migrations.list({ ref: CHANGE }))[0]?.version ?? "";
    await client.migrations.update({ ref: CHANGE, version, body: { name: "new" } });
    expect(await client.migrations.get({ ref: CHANGE, version })).toMatchObject({
      name: "new",
      rollback: ["select 2"],
    });
    await client.migrations.update({ ref: CHANGE, version, body: { rollback: "select 3; select 4" } });
    expect(await client.migrations.get({ ref: CHANGE, version })).toMatchObject({
      name: "new",
      rollback: ["select 3", "select 4"],
    });
  });

  it.each([
    { method: "GET", at: "/7", body: undefined, status: 404, says: "Migration not found" },
    { method: "PATCH", at: "/7", body: { name: "x" }, status: 404, says: "Migration not found" },
    { method: "GET", at: "/x", body: undefined, status: 400, says: "version: expected the version of a migration" },
    { method: "DELETE", at: "", body: undefined, status: 400, says: "gte" },
    { method: "DELETE", at: "?gte=x", body: undefined, status: 400, says: "gte: expected the version of a migration" },
    { method: "POST", at: "", body: { query: "" }, status: 400, says: "query: expected SQL" },
    { method: "PUT", at: "", body: { name: "x" }, status: 400, says: "query" },
    {
      method: "POST",
      at: "",
      body: { query: "select 1", version: "1" },
      status: 400,
      says: "Unrecognized key(s): 'version'",
    },
  ])("$method $at is $status: $says", async ({ method, at, body, status, says }) => {
    const refused = await under.call(method, `${path(CHANGE)}${at}`, { body });
    expect([refused.status, message(refused)]).toEqual([status, expect.stringContaining(says)]);
  });
});

describe("who may see and apply migrations", () => {
  const tokenOf = async (clientId: string): Promise<string> => {
    const { code, redirectUri } = await under.control.oauth.approve({ clientId, user: "owner", organization: "acme" });
    const { access_token } = await client.oauth.token({
      body: {
        grant_type: "authorization_code",
        client_id: clientId,
        client_secret: `${clientId}-secret`,
        code,
        redirect_uri: redirectUri,
      },
    });
    return access_token;
  };

  const every = [
    { id: "migrations.list", method: "GET", at: "", body: undefined, passes: 200 },
    { id: "migrations.apply", method: "POST", at: "", body: { query: "select 1" }, passes: 200 },
    { id: "migrations.upsert", method: "PUT", at: "", body: { query: "select 1", name: "kept" }, passes: 200 },
    { id: "migrations.rollback", method: "DELETE", at: "?gte=99999999999999", body: undefined, passes: 200 },
    { id: "migrations.get", method: "GET", at: "/7", body: undefined, passes: 404 },
    { id: "migrations.update", method: "PATCH", at: "/7", body: { name: "x" }, passes: 404 },
  ];

  it("apps only where their registration says partner, for all six operations", async () => {
    expect(every.map(({ id }) => id)).toEqual(Object.values(migrations).map(({ id }) => id));
    const [partner, other] = [await tokenOf("partner"), await tokenOf("other")];
    for (const { id, method, at, body, passes } of every) {
      const refused = await under.call(method, `${path(RIGHTS)}${at}`, { token: other, body });
      expect([id, refused.status, message(refused)]).toEqual([id, 403, expect.stringContaining("partner")]);
      const taken = await under.call(method, `${path(RIGHTS)}${at}`, { token: partner, body });
      expect([id, taken.status]).toEqual([id, passes]);
    }
  });

  it("tokens by their own permissions, not by those for SQL", async () => {
    const body = { query: "select 1" };
    expect((await under.call("GET", path(RIGHTS), { token: "reader" })).status).toBe(200);
    expect((await under.call("POST", path(RIGHTS), { token: "reader", body })).status).toBe(403);
    expect((await under.call("POST", path(RIGHTS), { token: "sql", body })).status).toBe(403);
  });

  it("no more than 120 times in three minutes when they are applied", async () => {
    await using limited = await emulatorUnderTest({
      seed: { projects: [{ name: "paused", ref: RIGHTS, status: "INACTIVE" }] },
    });
    const statuses: number[] = [];
    for (const pause of [0, 61_000]) {
      limited.clock.advance(pause);
      for (let index = 0; index < 61; index += 1) {
        statuses.push((await limited.call("POST", path(RIGHTS), { body: { query: "select 1" } })).status);
      }
    }
    expect(statuses.filter((status) => status === 400)).toHaveLength(120);
    expect(statuses.slice(-2)).toEqual([429, 429]);
  });
});
