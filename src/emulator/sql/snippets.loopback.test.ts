import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const SHOP = "abcdefghijklmnopqrst";
const OTHER = "bcdefghijklmnopqrstu";
const SHARED = "11111111-1111-4111-8111-111111111111";
const PRIVATE = "22222222-2222-4222-8222-222222222222";
const BOBS = "33333333-3333-4333-8333-333333333333";

let under: EmulatorUnderTest;
let client: ReturnType<typeof typedClient>;
let bob: ReturnType<typeof typedClient>;

beforeAll(async () => {
  under = await emulatorUnderTest({
    seed: {
      organizations: [{ slug: "acme", members: { owner: "Owner", bob: "Developer" } }],
      tokens: [
        { token: "bob", user: "bob" },
        { token: "stranger", user: "stranger" },
        { token: "fine", user: "owner", permissions: ["projects_read"] },
      ],
      projects: [
        { name: "shop", ref: SHOP },
        { name: "other", ref: OTHER },
      ],
      snippets: [
        {
          id: SHARED,
          project: "shop",
          name: "customers",
          sql: "select 1",
          visibility: "project",
          description: "All of them",
        },
      ],
    },
  });
  client = typedClient(under);
  bob = typedClient(under, "bob");
  under.clock.advance(1000);
  await under.control.snippets.put({ id: PRIVATE, project: SHOP, name: "a draft", sql: "select 2", favorite: true });
  under.clock.advance(1000);
  await under.control.snippets.put({ id: BOBS, project: OTHER, owner: "bob", name: "bob's", sql: "select 3" });
});
afterAll(async () => {
  await client.close();
  await bob.close();
  await under[Symbol.asyncDispose]();
});

const ids = async (
  of: typeof client,
  query: Parameters<typeof client.snippets.list>[0] = {},
): Promise<readonly string[]> => (await of.snippets.list(query)).data.map(({ id }) => id);

describe("SQL snippets", () => {
  it("are read whole, and listed without their SQL", async () => {
    const user = { id: expect.any(Number), username: "owner" };
    const summary = {
      id: SHARED,
      inserted_at: "2026-01-01T00:00:00.000Z",
      updated_at: "2026-01-01T00:00:00.000Z",
      type: "sql",
      visibility: "project",
      name: "customers",
      description: "All of them",
      project: { id: expect.any(Number), name: "shop" },
      owner: user,
      updated_by: user,
      favorite: false,
    };
    expect((await client.snippets.list({})).data).toContainEqual(summary);
    expect(await client.snippets.get({ id: SHARED })).toEqual({
      ...summary,
      content: { favorite: false, schema_version: "1.0", sql: "select 1" },
    });
  });

  it("are seen by their owner, and by others where they are shared", async () => {
    expect(await ids(client)).toEqual([PRIVATE, SHARED]);
    expect(await ids(bob)).toEqual([BOBS, SHARED]);
    expect((await under.call("GET", "/v1/snippets", { token: "stranger" })).json).toEqual({ data: [] });
    expect((await under.call("GET", "/v1/snippets", { token: "fine" })).status).toBe(403);
  });

  it("are those of one project where it is named", async () => {
    expect(await ids(bob, { project_ref: OTHER })).toEqual([BOBS]);
    expect(await ids(client, { project_ref: OTHER })).toEqual([]);
    const unknown = await under.call("GET", `/v1/snippets?project_ref=${"z".repeat(20)}`);
    expect([unknown.status, message(unknown)]).toEqual([404, "Project not found"]);
  });

  it("come in the order that is asked for, page by page; a page holds when its last snippet is gone", async () => {
    expect(await ids(client, { sort_order: "asc" })).toEqual([SHARED, PRIVATE]);
    expect(await ids(client, { sort_by: "name", sort_order: "asc" })).toEqual([PRIVATE, SHARED]);
    expect(await ids(client, { sort_by: "name" })).toEqual([SHARED, PRIVATE]);
    const extra = await under.control.snippets.put({ project: SHOP, name: "b", sql: "" });
    const order = { sort_by: "name", sort_order: "asc", limit: "2" } as const;
    const first = await client.snippets.list(order);
    expect(first.data.map(({ name }) => name)).toEqual(["a draft", "b"]);
    await under.control.snippets.remove({ id: extra.id });
    const second = await client.snippets.list({ ...order, cursor: first.cursor ?? "" });
    expect([second.data.map(({ name }) => name), second.cursor]).toEqual([["customers"], undefined]);
  });

  it("are replaced by a control call, and go with their project", async () => {
    under.clock.advance(5000);
    const { id } = await under.control.snippets.put({ project: OTHER, name: "once", sql: "select 1" });
    under.clock.advance(1000);
    await under.control.snippets.put({ id, project: OTHER, name: "twice", sql: "select 2" });
    const { name, inserted_at, updated_at, content } = await client.snippets.get({ id });
    expect([name, content.sql, Date.parse(updated_at) - Date.parse(inserted_at)]).toEqual(["twice", "select 2", 1000]);
    await under.control.projects.remove({ ref: OTHER });
    expect((await under.call("GET", `/v1/snippets/${id}`)).status).toBe(406);
    await expect(under.control.snippets.put({ project: OTHER, name: "x", sql: "" })).rejects.toThrow(
      `project: no project ${OTHER}`,
    );
  });

  it("are 406 where they are not found, with an id for the platform's support", async () => {
    const refused = await under.call("GET", "/v1/snippets/none");
    const errorEventId = expect.stringMatching(/^\w{32}$/);
    expect([refused.status, refused.json]).toEqual([406, { message: "Failed to retrieve snippet", errorEventId }]);
  });

  it.each([
    { at: `/${PRIVATE}`, token: "bob", status: 406, because: "it is somebody else's own" },
    { at: "/44444444-4444-4444-8444-444444444444", token: "test-token", status: 406, because: "there is none" },
    { at: "?cursor=x", token: "test-token", status: 400, because: "that is no cursor" },
    { at: "?limit=0", token: "test-token", status: 400, because: "pages are not empty" },
    { at: "?limit=101", token: "test-token", status: 400, because: "pages are not that long" },
    { at: "?sort_by=owner", token: "test-token", status: 400, because: "they are not sorted so" },
  ])("$at is $status: $because", async ({ at, token, status }) => {
    const refused = await under.call("GET", `/v1/snippets${at}`, { token });
    expect(refused.status).toBe(status);
  });
});
