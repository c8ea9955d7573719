import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

describe("the REST layer's configuration", () => {
  it("is that of facts.md on a fresh project, and keeps what a change does not say", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const { jwt_secret, ...fresh } = await client.dataApi.get({ ref });
    expect(fresh).toEqual({
      db_schema: "public,graphql_public",
      max_rows: 1000,
      db_extra_search_path: "public, extensions",
      db_pool: null,
    });
    const changed = await client.dataApi.update({ ref, body: { max_rows: 10, db_pool: 5 } });
    expect(changed).toEqual({ ...fresh, max_rows: 10, db_pool: 5 });
    expect(await client.dataApi.get({ ref })).toEqual({ ...changed, jwt_secret });
    expect(await client.dataApi.update({ ref, body: { db_pool: null } })).toEqual({ ...fresh, max_rows: 10 });
  });

  it.each([
    { said: "public, graphql_public", stored: "public,graphql_public", because: "no blanks between schemas" },
    { said: " api ,api,,public", stored: "api,public", because: "each schema once, none without a name" },
    { said: "", stored: "", because: "none: the Data API is off" },
  ])("stores the schemas '$said' as '$stored': $because", async ({ said, stored }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const search = await client.dataApi.update({ ref, body: { db_schema: said, db_extra_search_path: "a,b , a" } });
    expect(search).toMatchObject({ db_schema: stored, db_extra_search_path: "a, b" });
    expect(await client.dataApi.get({ ref })).toMatchObject(search);
  });

  it("without schemas makes the service rest unhealthy until there are some again, and is what the switch of the emulator sets", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await using client = typedClient(under);
    const rest = async () => (await client.projects.health({ ref, services: ["rest"] }))[0]?.status;
    const shown = async () => (await under.control.state.read()).projects[0]?.dataApi;
    await client.dataApi.update({ ref, body: { db_schema: "" } });
    expect([await rest(), await shown()]).toEqual(["UNHEALTHY", false]);
    await under.control.projects.patch({ ref, dataApi: true });
    expect(await rest()).toBe("ACTIVE_HEALTHY");
    expect((await client.dataApi.get({ ref })).db_schema).toBe("public,graphql_public");
    await under.control.projects.patch({ ref, dataApi: false });
    expect((await client.dataApi.get({ ref })).db_schema).toBe("");
  });

  it("shows the JWT secret only with data_api_config_secret_read, always the same one", async () => {
    await using under = await emulatorUnderTest({
      seed: {
        tokens: [
          { token: "with", user: "owner", permissions: ["data_api_config_read", "data_api_config_secret_read"] },
          { token: "without", user: "owner", permissions: ["data_api_config_read"] },
        ],
      },
    });
    const ref = await aProject(under);
    await using personal = typedClient(under);
    await using reader = typedClient(under, "with");
    await using other = typedClient(under, "without");
    const { jwt_secret: secret } = await personal.dataApi.get({ ref });
    expect(secret).toEqual(expect.stringMatching(/^.{20,}$/));
    expect((await reader.dataApi.get({ ref })).jwt_secret).toBe(secret);
    expect(await other.dataApi.get({ ref })).not.toHaveProperty("jwt_secret");
    expect(await personal.dataApi.update({ ref, body: {} })).not.toHaveProperty("jwt_secret");
  });

  it.each([
    { body: { max_rows: 1_000_001 }, says: "max_rows", because: "too many rows" },
    { body: { max_rows: -1 }, says: "max_rows", because: "fewer than none" },
    { body: { db_pool: 1001 }, says: "db_pool", because: "too large a pool" },
    { body: { db_schema: null }, says: "db_schema", because: "off is the empty string, not null" },
    { body: { jwt_secret: "x" }, says: "'jwt_secret'", because: "the secret is not for callers to set" },
    { body: { dbSchema: "public" }, says: "'dbSchema'", because: "the field is unknown" },
  ])("refuses $body with 400: $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("PATCH", `/v1/projects/${ref}/postgrest`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });
});
