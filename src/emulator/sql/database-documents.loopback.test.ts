import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PAUSED = "cdefghijklmnopqrstuv";

let under: EmulatorUnderTest;
let client: ReturnType<typeof typedClient>;

const sql = (query: string) => client.database.query({ ref: REF, body: { query } });

beforeAll(async () => {
  under = await emulatorUnderTest({
    limits: { requestsPerMinute: 0 },
    seed: { projects: [{ name: "shop", ref: REF }] },
  });
  client = typedClient(under);
  await sql(`create type mood as enum ('sad', 'glad');
    create table people (id bigint generated always as identity primary key, name text not null, mood mood default 'glad');
    create table pets (id int primary key, owner bigint not null references people (id), "full name" varchar(20));
    comment on table people is 'Who is there';
    create view glad as select id, name from people where mood = 'glad';
    create function add(a int, b int default 1) returns int language sql immutable as 'select a + b';
    create function wipe() returns void language sql as 'delete from pets'`);
});
afterAll(async () => {
  await client.close();
  await under[Symbol.asyncDispose]();
});

describe("documents of a database", () => {
  it("database.context names the database and its schemas", async () => {
    const { databases } = await client.database.context({ ref: REF });
    expect(databases).toEqual([
      { name: "postgres", schemas: expect.arrayContaining([{ name: "auth" }, { name: "public" }]) },
    ]);
  });

  it("database.context is limited to one request a second and ten a minute", async () => {
    await using limited = await emulatorUnderTest({
      seed: { projects: [{ name: "paused", ref: PAUSED, status: "INACTIVE" }] },
    });
    const get = async () => (await limited.call("GET", `/v1/projects/${PAUSED}/database/context`)).status;
    expect([await get(), await get()]).toEqual([400, 429]);
    const later: number[] = [];
    for (let second = 0; second < 11; second += 1) {
      limited.clock.advance(1000);
      later.push(await get());
    }
    expect(later).toEqual([...Array<number>(9).fill(400), 429, 429]);
  });

  it("database.typescriptTypes describes what is there now, by default of the schema public", async () => {
    const { types } = await client.database.typescriptTypes({ ref: REF });
    expect(types).toContain("export type Database = {\n  public: {");
    expect(types).toContain('mood: Database["public"]["Enums"]["mood"] | null');
    expect(types).not.toContain("auth: {");
    const both = await client.database.typescriptTypes({ ref: REF, included_schemas: "auth,public" });
    expect(both.types).toContain("encrypted_password: string | null");
  });

  it.each(["", "public,", "a%00b"])("database.typescriptTypes refuses '%s', which names no schemas", async (names) => {
    const path = `/v1/projects/${REF}/types/typescript?included_schemas=${names}`;
    const refused = await under.call("GET", path, {});
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("expected names of schemas")]);
  });

  it("database.openapi is the REST layer's document of a schema", async () => {
    const document = await client.database.openapi({ ref: REF });
    expect(document).toMatchObject({
      swagger: "2.0",
      host: `${REF}.emulator.test:443`,
      paths: {
        "/people": { get: {}, post: {}, patch: {}, delete: {} },
        "/glad": { get: {} },
        "/rpc/add": { get: {}, post: {} },
        "/rpc/wipe": { post: {} },
      },
      definitions: {
        people: {
          description: "Who is there",
          required: ["name"],
          properties: {
            id: { type: "integer", format: "bigint", description: "Note:\nThis is a Primary Key.<pk/>" },
            mood: { type: "string", format: "public.mood", enum: ["sad", "glad"], default: "glad" },
          },
        },
        pets: {
          properties: {
            owner: { description: "Note:\nThis is a Foreign Key to `people.id`.<fk table='people' column='id'/>" },
            "full name": { type: "string", format: "character varying", maxLength: 20 },
          },
        },
      },
    });
    const { paths } = z
      .object({ paths: z.record(z.string(), z.object({ get: z.object({}).optional() })) })
      .parse(document);
    expect(paths["/rpc/wipe"]?.get, "what may write is not got").toBeUndefined();
  });

  it("database.openapi serves the schemas that the Data API exposes, and none while that is off", async () => {
    const get = (query: string) => under.call("GET", `/v1/projects/${REF}/database/openapi${query}`);
    expect((await get("?schema=graphql_public")).status).toBe(200);
    const hidden = await get("?schema=auth");
    expect([hidden.status, message(hidden)]).toEqual([
      400,
      "schema: The schema must be one of the following: public, graphql_public",
    ]);
    await client.dataApi.update({ ref: REF, body: { db_schema: "auth" } });
    expect((await get("?schema=auth")).json).toMatchObject({ definitions: { users: {} } });
    await client.dataApi.update({ ref: REF, body: { db_schema: "" } });
    expect((await get("")).status).toBe(400);
    await client.dataApi.update({ ref: REF, body: { db_schema: "public,graphql_public" } });
  });

  it("database.enableWebhooks lets triggers record their calls, and may be called again", async () => {
    await client.database.enableWebhooks({ ref: REF });
    const hook = `create trigger hook after insert on people for each row
      execute function platform_functions.http_request('http://example.test', 'POST');
      insert into people (name) values ('Zoe'); select hook_name from platform_functions.hooks`;
    expect(await sql(hook)).toEqual([{ hook_name: "hook" }]);
    const again = await under.call("POST", `/v1/projects/${REF}/database/webhooks/enable`);
    expect([again.status, again.text]).toEqual([201, ""]);
    expect(await sql("select count(*) as n from platform_functions.hooks")).toEqual([{ n: 1 }]);
  });
});
