import { describe, expect, it } from "vitest";
import { z } from "zod";
import { organizationSummarySchema, orgProjectItemSchema, profileSchema } from "../../api/contract/organizations.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";

const page = z.looseObject({
  projects: z.array(orgProjectItemSchema),
  pagination: z.object({ count: z.number(), limit: z.number(), offset: z.number() }),
});

async function namesBy({ call }: EmulatorUnderTest, query: string): Promise<readonly string[]> {
  return bodyAs(page, await call("GET", `/v1/organizations/acme/projects${query}`)).projects.map(({ name }) => name);
}

describe("organizations", () => {
  it("begin with acme, which has an id that is not its slug, and no project", async () => {
    await using under = await emulatorUnderTest();
    const [acme, ...others] = bodyAs(z.array(organizationSummarySchema), await under.call("GET", "/v1/organizations"));
    expect([acme?.slug, acme?.name, others.length, acme?.id === "acme"]).toEqual(["acme", "acme", 0, false]);
    expect((await under.call("GET", "/v1/projects")).json).toEqual([]);
    expect((await under.call("GET", "/v1/organizations/acme")).json).toMatchObject({ id: acme?.id, plan: "pro" });
  });

  it("are created by their name, on the free plan, owned by who asks", async () => {
    await using under = await emulatorUnderTest();
    const made = await under.call("POST", "/v1/organizations", { body: { name: "Beta & Sons" } });
    expect(made.status).toBe(201);
    const { slug } = bodyAs(organizationSummarySchema, made);
    expect((await under.call("GET", `/v1/organizations/${slug}`)).json).toMatchObject({
      name: "Beta & Sons",
      plan: "free",
    });
    const project = await under.call("POST", "/v1/projects", {
      body: { ...NEW_PROJECT, organization_slug: slug, name: "x" },
    });
    expect(project.status).toBe(201);
  });

  it.each([
    { body: {} },
    { body: { name: "" } },
    { body: { name: "x".repeat(257) } },
    { body: { name: "a", plan: "pro" } },
  ])("are refused with 400 for $body", async ({ body }) => {
    await using under = await emulatorUnderTest();
    expect((await under.call("POST", "/v1/organizations", { body })).status).toBe(400);
  });

  it("are unknown to whoever is no member, in the same words as those that are not there", async () => {
    await using under = await emulatorUnderTest({ tokens: ["mine", "theirs"] });
    const [foreign, unknown] = await Promise.all(
      ["acme", "nobody"].map((slug) => under.call("GET", `/v1/organizations/${slug}`, { token: "theirs" })),
    );
    expect([foreign?.status, foreign?.text, unknown?.text]).toEqual([
      404,
      unknown?.text,
      '{"message":"Organization not found"}',
    ]);
    const projects = await under.call("GET", "/v1/organizations/acme/projects", { token: "theirs" });
    expect(projects.status).toBe(404);
    const create = await under.call("POST", "/v1/projects", { token: "theirs", body: { ...NEW_PROJECT, name: "x" } });
    expect([create.status, message(create)]).toEqual([400, expect.stringContaining("Organization not found")]);
  });

  it("let a read-only member read and change nothing", async () => {
    await using under = await emulatorUnderTest({ tokens: ["owner-token", "guest"] });
    await under.control.organizations.patch({ slug: "acme", members: { "user-2": "Read-only" } });
    const refused = await under.call("POST", "/v1/projects", { token: "guest", body: { ...NEW_PROJECT, name: "x" } });
    expect([refused.status, message(refused)]).toEqual([403, expect.stringContaining("Read-only")]);
    expect((await under.call("GET", "/v1/organizations/acme/projects", { token: "guest" })).status).toBe(200);
  });
});

describe("the list of an organization's projects", () => {
  it("sorts, searches, filters and pages", async () => {
    await using under = await emulatorUnderTest();
    for (const name of ["bravo", "alpha", "charlie"]) await aProject(under, name);
    const [bravo] = bodyAs(page, await under.call("GET", "/v1/organizations/acme/projects?search=bra")).projects;
    await under.control.projects.force({ ref: bravo?.ref ?? "", status: "INACTIVE" });
    expect(await namesBy(under, "")).toEqual(["alpha", "bravo", "charlie"]);
    expect(await namesBy(under, "?sort=name_desc")).toEqual(["charlie", "bravo", "alpha"]);
    expect(await namesBy(under, "?sort=created_asc")).toEqual(["bravo", "alpha", "charlie"]);
    expect(await namesBy(under, "?sort=created_desc")).toEqual(["charlie", "alpha", "bravo"]);
    expect(await namesBy(under, "?search=A&statuses=ACTIVE_HEALTHY")).toEqual(["alpha", "charlie"]);
    expect(await namesBy(under, "?statuses=INACTIVE,ACTIVE_HEALTHY")).toHaveLength(3);
    expect(await namesBy(under, "?offset=1&limit=1")).toEqual(["bravo"]);
    const { pagination } = bodyAs(page, await under.call("GET", "/v1/organizations/acme/projects?offset=2"));
    expect(pagination).toEqual({ count: 3, limit: 100, offset: 2 });
  });

  it("marks the projects of branches", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under, "shop");
    await aBranch(under, ref, "main");
    await aBranch(under, ref, "dev");
    const { projects } = bodyAs(page, await under.call("GET", "/v1/organizations/acme/projects"));
    expect(projects.map(({ name, is_branch }) => [name, is_branch])).toEqual([
      ["dev", true],
      ["shop", false],
    ]);
    expect(
      bodyAs(z.array(z.looseObject({ ref: z.string() })), await under.call("GET", "/v1/projects")).map(
        (one) => one.ref,
      ),
    ).toEqual([ref]);
  });

  it.each(["?limit=0", "?limit=101", "?offset=-1", "?sort=size", "?statuses=COMING_UP", "?limit=x", "?page=1"])(
    "is refused with 400 for %s",
    async (query) => {
      await using under = await emulatorUnderTest();
      expect((await under.call("GET", `/v1/organizations/acme/projects${query}`)).status).toBe(400);
    },
  );
});

describe("the profile", () => {
  it("says whose token it is", async () => {
    await using under = await emulatorUnderTest({ tokens: ["one", "two"] });
    const [one, two] = await Promise.all(["one", "two"].map((token) => under.call("GET", "/v1/profile", { token })));
    expect([one, two].map((answer) => answer && bodyAs(profileSchema, answer).username)).toEqual(["owner", "user-2"]);
  });
});
