import { describe, expect, it } from "vitest";
import { emulatorUnderTest, TOKEN } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const SHOP = "abcdefghijklmnopqrst";
const LAB = "bbbbbbbbbbbbbbbbbbbb";

const acme = () =>
  emulatorUnderTest({
    seed: {
      users: [
        { username: "zoe", id: "00000000-0000-4000-8000-0000000000aa", email: "zoe@acme.test" },
        {
          username: "ann",
          id: "00000000-0000-4000-8000-0000000000bb",
          mfaEnabled: true,
          isSso: true,
          avatarUrl: "https://pictures.test/ann.png",
        },
        { username: "bob", id: "00000000-0000-4000-8000-0000000000cc" },
      ],
      tokens: [
        { token: TOKEN, user: "zoe" },
        { token: "bob", user: "bob" },
        { token: "stranger", user: "stranger" },
      ],
      organizations: [
        {
          slug: "acme",
          plan: "team",
          members: { zoe: "Owner", ann: "Developer", bob: "Read-only" },
          projectRoles: [{ user: "bob", role: "Administrator", projects: ["lab"] }],
        },
      ],
      projects: [
        { name: "shop", ref: SHOP },
        { name: "lab", ref: LAB },
      ],
    },
  });

describe("members of an organization", () => {
  it("are listed all at once with their role", async () => {
    await using under = await acme();
    await using client = typedClient(under);
    const members = await client.organizations.members({ slug: "acme" });
    expect(members.map(({ user_name, role_name }) => `${user_name} ${role_name}`)).toEqual([
      "zoe Owner",
      "ann Developer",
      "bob Read-only",
    ]);
    expect(members[1]).toEqual({
      user_id: "00000000-0000-4000-8000-0000000000bb",
      user_name: "ann",
      email: "ann@example.test",
      role_name: "Developer",
      avatar_url: "https://pictures.test/ann.png",
      mfa_enabled: true,
    });
  });

  it("are listed by cursor with all their roles", async () => {
    await using under = await acme();
    await using client = typedClient(under);
    const { data, links } = await client.organizations.listMembers({ slug: "acme", page: { size: 2 } });
    expect(data.map(({ attributes }) => attributes.username)).toEqual(["zoe", "ann"]);
    expect(links.prev).toBeNull();
    const next = new URL(links.next ?? "", "http://emulator.test");
    expect([next.pathname, next.searchParams.get("page[size]")]).toEqual(["/v2/organizations/acme/members", "2"]);
    const rest = await under.call("GET", links.next ?? "");
    expect(rest.json).toMatchObject({
      data: [
        {
          type: "organization_member",
          id: "00000000-0000-4000-8000-0000000000cc",
          attributes: {
            username: "bob",
            is_sso_user: false,
            roles: [
              { id: 4, name: "Read-only", scope: "organization", projects: [] },
              { name: "Administrator", scope: "project", projects: [{ ref: LAB, name: "lab" }] },
            ],
          },
        },
      ],
      links: { next: null },
    });
    const names: string[] = [];
    for await (const member of client.organizations.listMembers.each({ slug: "acme", page: { size: 1 } })) {
      names.push(member.attributes.username);
    }
    expect(names).toEqual(["zoe", "ann", "bob"]);
  });

  it.each([
    { filter: { username: "ann" }, names: ["ann"] },
    { filter: { primary_email: "zoe@acme.test" }, names: ["zoe"] },
    { filter: { mfa_enabled: true }, names: ["ann"] },
    { filter: { is_sso_user: false }, names: ["zoe", "bob"] },
    { filter: { role: "Administrator" }, names: ["bob"] },
    { filter: { username: "ann", mfa_enabled: false }, names: [] },
  ] as const)("are filtered by $filter", async ({ filter, names }) => {
    await using under = await acme();
    await using client = typedClient(under);
    const { data } = await client.organizations.listMembers({ slug: "acme", filter });
    expect(data.map(({ attributes }) => attributes.username)).toEqual(names);
  });

  it("join and change by a control call", async () => {
    await using under = await acme();
    await using client = typedClient(under);
    await under.control.organizations.patch({ slug: "acme", members: { kim: "Developer", ann: "Owner" } });
    const members = await client.organizations.members({ slug: "acme" });
    expect(members.map(({ user_name, role_name }) => `${user_name} ${role_name}`)).toEqual([
      "zoe Owner",
      "ann Owner",
      "bob Read-only",
      "kim Developer",
    ]);
  });
});

describe("roles of an organization", () => {
  it("are those that every organization has, and those on projects", async () => {
    await using under = await acme();
    await using client = typedClient(under);
    const { data } = await client.organizations.listRoles({ slug: "acme" });
    expect(data.map(({ id, attributes }) => [id, attributes.name, attributes.scope])).toEqual([
      ["1", "Owner", "organization"],
      ["2", "Administrator", "organization"],
      ["3", "Developer", "organization"],
      ["4", "Read-only", "organization"],
      [expect.stringMatching(/^\d{3,}$/), "Administrator", "project"],
    ]);
    expect(data[4]?.attributes).toMatchObject({ base_role_id: 2, projects: [{ ref: LAB, name: "lab" }] });
    const own = await client.organizations.listRoles({ slug: "acme", filter: { scope: "project" } });
    expect(own.data).toEqual(data.slice(4));
    const names: string[] = [];
    for await (const role of client.organizations.listRoles.each({ slug: "acme", page: { size: 2 } })) {
      names.push(role.id);
    }
    expect(names).toEqual(data.map(({ id }) => id));
  });

  it("on a project go before the one in the organization, there and in its branches, and nowhere else", async () => {
    await using under = await acme();
    const rename = async (ref: string) =>
      (await under.call("PATCH", `/v1/projects/${ref}`, { token: "bob", body: { name: `${ref[0]}2` } })).status;
    expect([await rename(SHOP), await rename(LAB)]).toEqual([403, 200]);
  });
});

describe("entitlements", () => {
  it.each([
    { plan: "free", has: { log_drains: false, vanity_subdomain: false, "backup.schedule": false } },
    { plan: "pro", has: { log_drains: true, vanity_subdomain: true, "backup.schedule": false } },
    { plan: "enterprise", has: { log_drains: true, vanity_subdomain: true, "backup.schedule": true } },
    { plan: "platform", has: { log_drains: true, vanity_subdomain: true, "backup.schedule": true } },
  ] as const)("of the plan $plan say what its operations allow", async ({ plan, has }) => {
    await using under = await acme();
    await under.control.organizations.patch({ slug: "acme", plan, quotas: { functionsPerProject: 7 } });
    await using client = typedClient(under);
    const { entitlements } = await client.organizations.entitlements({ slug: "acme" });
    const access = Object.fromEntries(entitlements.map(({ feature, hasAccess }) => [feature.key, hasAccess]));
    expect(access).toMatchObject(has);
    expect(entitlements.find(({ feature }) => feature.key === "log_drains")).toEqual({
      feature: { key: "log_drains", type: "boolean" },
      hasAccess: has.log_drains,
      type: "boolean",
      config: { enabled: has.log_drains },
    });
    expect(entitlements.find(({ feature }) => feature.key === "function.max_count")?.config).toMatchObject({
      value: 7,
    });
  });

  it("agree with what is refused", async () => {
    await using under = await acme();
    await under.control.organizations.patch({ slug: "acme", plan: "free" });
    expect((await under.call("GET", `/v1/projects/${SHOP}/vanity-subdomain`)).status).toBe(400);
    await under.control.organizations.patch({ slug: "acme", plan: "pro" });
    expect((await under.call("GET", `/v1/projects/${SHOP}/vanity-subdomain`)).status).toBe(200);
  });
});

describe("lists of an organization", () => {
  const paths = ["/v1/organizations/acme/entitlements", "/v1/organizations/acme/members"];
  const cursorPaths = ["/v2/organizations/acme/members", "/v2/organizations/acme/roles"];

  it.each([...paths, ...cursorPaths])(
    "%s is not found by a stranger, nor for an unknown organization",
    async (path) => {
      await using under = await acme();
      expect((await under.call("GET", path, { token: "stranger" })).status).toBe(404);
      expect((await under.call("GET", path.replace("acme", "nobody"))).status).toBe(404);
      expect((await under.call("GET", path, { token: null })).status).toBe(401);
    },
  );

  it.each(cursorPaths.flatMap((path) => BAD_QUERIES.map(([query, says]) => [path, query, says] as const)))(
    "%s?%s is refused with 400",
    async (path, query, says) => {
      await using under = await acme();
      const refused = await under.call("GET", `${path}?${query}`);
      expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    },
  );
});

const BAD_QUERIES = [
  ["page[size]=0", "page.size"],
  ["page[size]=101", "page.size"],
  ["page[size]=x", "page.size"],
  ["page[after]=1", "page.after"],
  ["page[color]=red", "'color'"],
  ["page=2", "page"],
  ["filter[color]=red", "'color'"],
  ["limit=2", "'limit'"],
  [
    "page[after]=00000000-0000-4000-8000-000000000001&page[before]=00000000-0000-4000-8000-000000000002",
    "either the cursor",
  ],
] as const;
