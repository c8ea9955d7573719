import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const OTHER = "bcdefghijklmnopqrstu";
const PAUSED = "cdefghijklmnopqrstuv";
const SQL = `/v1/projects/${REF}/database/query`;

let under: EmulatorUnderTest;
let client: ReturnType<typeof typedClient>;

/** One emulator for all: its first SQL takes seconds. */
beforeAll(async () => {
  under = await emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: {
      organizations: [{ slug: "acme", members: { owner: "Owner", guest: "Read-only", dev: "Developer" } }],
      projects: [
        { name: "shop", ref: REF },
        { name: "other", ref: OTHER },
        { name: "paused", ref: PAUSED, status: "INACTIVE" },
      ],
      tokens: [
        { token: "reader", user: "owner", permissions: ["database_read"] },
        { token: "writer", user: "owner", permissions: ["database_write"] },
        { token: "neither", user: "owner", permissions: ["projects_read"] },
        { token: "guest", user: "guest" },
        { token: "dev", user: "dev" },
        { token: "stranger", user: "stranger" },
      ],
    },
  });
  client = typedClient(under);
  await client.database.query({
    ref: REF,
    body: {
      query: `create type mood as enum ('sad', 'glad');
        create table people (id bigint generated always as identity primary key, name text not null, mood mood default 'glad');
        create table pets (id int primary key, owner bigint not null references people (id), "full name" varchar(20));
        comment on table people is 'Who is there';
        create view glad as select id, name from people where mood = 'glad';
        create function add(a int, b int default 1) returns int language sql immutable as 'select a + b';
        create function wipe() returns void language sql as 'delete from pets';
        insert into people (name) values ('Ann'), ('Bob')`,
    },
  });
});
afterAll(async () => {
  await client.close();
  await under[Symbol.asyncDispose]();
});

const ask = (query: string, token = "test-token", more: object = {}): Promise<Received> =>
  under.call("POST", SQL, { token, body: { query, ...more } });
const answer = ({ status, json }: Received): unknown => [status, json];

describe("database.query", () => {
  it("gives the rows as JSON, and reads what was written", async () => {
    const write = {
      query: "insert into people (name, mood) values ($1, $2) returning id, name, mood",
      parameters: ["Eve", "sad"],
    };
    expect(await client.database.query({ ref: REF, body: write })).toEqual([{ id: 3, name: "Eve", mood: "sad" }]);
    const read = {
      query: `select count(*) as n, 2^53::numeric as big, 9007199254740993 as bigger, '2026-01-31'::date as day,
        '2026-01-31 12:00+02'::timestamptz as at, '{"a": [1]}'::jsonb as doc, array['x', null] as list, null as nothing, true as yes`,
    };
    expect(await client.database.query({ ref: REF, body: read })).toEqual([
      {
        n: 1,
        big: "9007199254740992.0",
        bigger: "9007199254740993",
        day: "2026-01-31",
        at: "2026-01-31 10:00:00+00",
        doc: { a: [1] },
        list: ["x", null],
        nothing: null,
        yes: true,
      },
    ]);
  });

  it("takes several statements as one transaction, and gives the rows of the last result", async () => {
    expect(answer(await ask("create table a (x int); select 1 as one; select 2 as two; set work_mem = '8MB'"))).toEqual(
      [201, [{ two: 2 }]],
    );
    expect((await ask("insert into a values (1); select 1/0")).status).toBe(400);
    expect(answer(await ask("select * from a"))).toEqual([201, []]);
    expect((await ask("begin; insert into a values (2); commit; select 1/0")).status).toBe(400);
    expect(answer(await ask("select * from a"))).toEqual([201, [{ x: 2 }]]);
  });

  const REFUSED: readonly {
    readonly reason: string;
    readonly query: string;
    readonly parameters?: unknown[];
    readonly says: string;
  }[] = [
    {
      reason: "what is not there, with its place",
      query: "select *\nfrom nowhere",
      says: 'ERROR:  42P01: relation "nowhere" does not exist\nLINE 2: from nowhere\n             ^\n',
    },
    {
      reason: "a row twice, with details",
      query: "insert into pets values (1, 1), (1, 1)",
      says: 'ERROR:  23505: duplicate key value violates unique constraint "pets_pkey"\nDETAIL:  Key (id)=(1) already exists.\n',
    },
    {
      reason: "a wrong word",
      query: "selec 1",
      says: 'ERROR:  42601: syntax error at or near "selec"\nLINE 1: selec 1\n        ^\n',
    },
    {
      reason: "two statements with parameters",
      query: "select $1::int; select 2",
      parameters: [1],
      says: "ERROR:  42601: cannot insert multiple commands into a prepared statement\n",
    },
    {
      reason: "a value of another type",
      query: "select $1::int",
      parameters: ["x"],
      says: 'ERROR:  22P02: invalid input syntax for type integer: "x"\n',
    },
    {
      reason: "a character that ends texts",
      query: "select 1\u0000; select 2",
      says: "ERROR:  08P01: invalid message format",
    },
    {
      reason: "that character in a parameter",
      query: "select $1::text",
      parameters: ["\u0000"],
      says: 'ERROR:  22021: invalid byte sequence for encoding "UTF8": 0x00',
    },
    { reason: "input that nobody gives", query: "copy pets from stdin", says: "ERROR:  57014: COPY from stdin failed" },
  ];
  it.each(REFUSED)("refuses in the database's words: $reason", async ({ query, parameters, says }) => {
    const refused = await ask(query, "test-token", parameters === undefined ? {} : { parameters });
    expect(refused.status).toBe(400);
    expect(message(refused)).toContain(`Failed to run sql query: ${says}`);
    expect((await ask(query, "reader", parameters === undefined ? {} : { parameters })).status, "read-only").toBe(400);
    expect((await ask("select 1")).status, "it goes on").toBe(201);
  });

  const WRITES =
    "insert into pets values (100, 1) returning id; delete from pets where id = 100; select 'written' as done";
  const RIGHTS: readonly {
    readonly who: string;
    readonly token: string;
    readonly more?: object;
    readonly reads: number;
    readonly writes: number;
  }[] = [
    { who: "a personal token", token: "test-token", reads: 201, writes: 201 },
    { who: "a token that may write", token: "writer", reads: 201, writes: 201 },
    { who: "a member with the role Developer", token: "dev", reads: 201, writes: 201 },
    { who: "a token that may only read", token: "reader", reads: 201, writes: 400 },
    { who: "a member with the role Read-only", token: "guest", reads: 201, writes: 400 },
    { who: "whoever says read_only", token: "test-token", more: { read_only: true }, reads: 201, writes: 400 },
    { who: "a token for something else", token: "neither", reads: 403, writes: 403 },
    { who: "somebody of another organization", token: "stranger", reads: 404, writes: 404 },
  ];
  const WORDS: Readonly<Record<number, string>> = {
    201: '[{"done":"written"}]',
    400: "25006: cannot execute INSERT in a read-only transaction",
    403: "The token lacks: database_write or database_read.",
    404: "Project not found",
  };
  it.each(RIGHTS)("$who: $reads when it reads, $writes when it writes", async ({ token, more = {}, reads, writes }) => {
    const read = await ask("select name from people where id = 1", token, more);
    const written = await ask(WRITES, token, more);
    expect([read.status, written.status]).toEqual([reads, writes]);
    expect(read.text).toContain(reads === 201 ? '[{"name":"Ann"}]' : "message");
    expect(written.text).toContain(WORDS[writes]);
  });
});

describe("database.queryReadOnly", () => {
  it("finds what is named with its schema, and nothing else", async () => {
    const body = { query: "select name from public.people where id = $1", parameters: [2] };
    expect(await client.database.queryReadOnly({ ref: REF, body })).toEqual([{ name: "Bob" }]);
    const refused = await under.call("POST", `${SQL}/read-only`, {
      token: "reader",
      body: { query: "select name from people" },
    });
    expect([refused.status, message(refused)]).toEqual([
      400,
      expect.stringContaining('42P01: relation "people" does not exist'),
    ]);
  });

  it("writes nothing, not even for an owner", async () => {
    const refused = await under.call("POST", `${SQL}/read-only`, {
      body: { query: "set transaction read write; delete from public.pets" },
    });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("25001")]);
    const read_only = { query: "delete from public.pets", read_only: true };
    expect((await under.call("POST", `${SQL}/read-only`, { body: read_only })).status).toBe(400);
  });

  it("is not for a token that may only write", async () => {
    const refused = await under.call("POST", `${SQL}/read-only`, { token: "writer", body: { query: "select 1" } });
    expect([refused.status, message(refused)]).toEqual([403, expect.stringContaining("database_read")]);
  });
});

describe("a database that does not answer", () => {
  it.each([
    { ref: PAUSED, status: 400, says: "INACTIVE", because: "the project is paused" },
    { ref: "z".repeat(20), status: 404, says: "Project not found", because: "there is no such project" },
  ])("is $status: $because", async ({ ref, status, says }) => {
    const requests: readonly (readonly [string, string, object?])[] = [
      ["POST", "database/query", { query: "select 1" }],
      ["POST", "database/query/read-only", { query: "select 1" }],
      ["GET", "database/context"],
      ["GET", "database/openapi"],
      ["GET", "types/typescript"],
      ["POST", "database/webhooks/enable"],
      ["GET", "database/migrations"],
      ["GET", "advisors/security"],
    ];
    for (const [method, path, body] of requests) {
      const refused = await under.call(method, `/v1/projects/${ref}/${path}`, { body });
      expect([path, refused.status, message(refused)]).toEqual([path, status, expect.stringContaining(says)]);
    }
  });

  it("is 544 when it takes too long; everybody else is answered meanwhile, and it goes on afterwards", async () => {
    await under.control.settings.patch({ sqlTimeoutMs: 1000 });
    const other = `/v1/projects/${OTHER}/database/query`;
    await under.call("POST", other, { body: { query: "select 1" } });
    const over: string[] = [];
    const endless = ask(
      "insert into pets values (5, 1); select count(*) from generate_series(1, 1e15::bigint)",
    ).finally(() => over.push("endless"));
    for (let index = 0; index < 10; index += 1) {
      expect((await under.call("GET", "/v1/projects")).status).toBe(200);
      expect((await under.call("POST", other, { body: { query: "select 1 as x" } })).json).toEqual([{ x: 1 }]);
    }
    expect(over).toEqual([]);
    const late = await endless;
    expect([late.status, message(late)]).toEqual([544, "Failed to run sql query: upstream timeout"]);
    await under.control.settings.patch({ sqlTimeoutMs: 60_000 });
    expect(answer(await ask("select count(*) as n from pets"))).toEqual([201, [{ n: 0 }]]);
  });

  it("is refused in the database's words when it takes longer than its own statement_timeout", async () => {
    const endless = "select count(*) from generate_series(1, 1e15::bigint)";
    const canceled = "57014: canceling statement due to statement timeout";
    const refused = await ask(`set statement_timeout = '200ms'; insert into pets values (6, 1); ${endless}`);
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(canceled)]);
    expect(answer(await ask("select count(*) as n from pets"))).toEqual([201, [{ n: 0 }]]);
    expect((await ask("set statement_timeout = '1min'; select 1")).status).toBe(201);
  });

  it("has the settings that the project overrides, the timeout of statements too", async () => {
    const shown = async () =>
      (await ask("select current_setting('work_mem') as m, current_setting('statement_timeout') as t")).json;
    const before = await shown();
    const config = `/v1/projects/${REF}/config/database/postgres`;
    const body = { work_mem: "8MB", statement_timeout: "200ms", log_lock_waits: true };
    expect((await under.call("PUT", config, { body })).status).toBe(200);
    expect(await shown()).toEqual([{ m: "8MB", t: "200ms" }]);
    const path = `/v1/projects/${REF}/database/query/read-only`;
    for (const url of [path, path.replace("/read-only", "")]) {
      const late = await under.call("POST", url, {
        body: { query: "select count(*) from generate_series(1, 1e15::bigint)" },
      });
      expect([late.status, message(late)]).toEqual([400, expect.stringContaining("57014")]);
    }
    expect((await under.call("PUT", config, { body: {} })).status).toBe(200);
    expect(await shown()).toEqual(before);
  });

  it("is 544 when its answer is larger than what it may use, and nobody else notices", async () => {
    const large = ask("select repeat('x', 1000) || n from generate_series(1, 3000000) n");
    expect((await under.call("GET", "/v1/projects")).status).toBe(200);
    expect((await large).status).toBe(544);
    expect(answer(await ask("select 1 as x"))).toEqual([201, [{ x: 1 }]]);
  });

  it("is 544 when it does not survive what it is asked", async () => {
    // an answer that would fill the memory
    const ended = await ask("select repeat('x', 10000000) from generate_series(1, 15)");
    expect([ended.status, message(ended)]).toEqual([544, expect.stringContaining("connection terminated")]);
    expect((await ask("select 1")).status).toBe(201);
  });
});

describe("a database whose disk is full", () => {
  it("reads, writes where a statement insists, and writes again while the mode is set aside", async () => {
    const insert = "insert into pets values (7, 1) returning id";
    await under.control.disk.fill({ ref: REF, usedPercent: 97 });
    const refused = await ask(insert);
    expect([refused.status, message(refused)]).toEqual([
      400,
      expect.stringContaining("25006: cannot execute INSERT in a read-only transaction"),
    ]);
    expect((await ask("select 1")).status).toBe(201);
    expect((await ask(`set transaction read write; ${insert}; delete from pets`)).status).toBe(201);
    const migration = { query: "create table m (x int)" };
    expect((await under.call("POST", `/v1/projects/${REF}/database/migrations`, { body: migration })).status).toBe(400);
    await client.readOnlyMode.disableTemporarily({ ref: REF });
    expect((await ask(insert)).status).toBe(201);
    await under.control.disk.fill({ ref: REF, usedPercent: 10 });
  });
});
