import { describe, expect, it } from "vitest";
import type { SeedInput } from "../state/seed.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const to = (target_organization_slug: string) =>
  ({ data: { type: "project_transfer_input", attributes: { target_organization_slug } } }) as const;

type Seeded = Partial<NonNullable<SeedInput["organizations"]>[number]>;

/** Organization acme with the project shop, and beta, to which it shall go; of both the caller is the owner. */
function twoOrganizations(beta: Seeded = {}, acme: Seeded = {}): Promise<EmulatorUnderTest> {
  const members = { owner: "Owner" } as const;
  return emulatorUnderTest({
    seed: {
      organizations: [
        { slug: "acme", plan: "team", members, ...acme },
        { slug: "beta", plan: "team", members, ...beta },
        { slug: "foreign", members: { somebody: "Owner" } },
      ],
      projects: [{ name: "shop", ref: REF }],
    },
  });
}

/** What a project may use that the plan free has not, and how it comes to use it. */
const USED: readonly { what: string; use: (under: EmulatorUnderTest, ref: string) => Promise<unknown> }[] = [
  {
    what: "a vanity subdomain",
    use: ({ call }, ref) =>
      call("POST", `/v1/projects/${ref}/vanity-subdomain/activate`, { body: { vanity_subdomain: "shop" } }),
  },
  {
    what: "add-ons",
    use: ({ call }, ref) =>
      call("PATCH", `/v1/projects/${ref}/billing/addons`, {
        body: { addon_variant: "cd_default", addon_type: "custom_domain" },
      }),
  },
  {
    what: "the compute size large",
    use: async ({ call, clock }, ref) => {
      const body = { addon_variant: "ci_large", addon_type: "compute_instance" };
      await call("PATCH", `/v1/projects/${ref}/billing/addons`, { body });
      clock.advance(A_WHILE);
    },
  },
  {
    what: "files as large as the project allows",
    use: ({ call }, ref) =>
      call("PATCH", `/v1/projects/${ref}/config/storage`, { body: { fileSizeLimit: 60_000_000 } }),
  },
  {
    what: "log drains",
    use: ({ call }, ref) =>
      call("POST", `/v2/projects/${ref}/analytics/log-drains`, {
        body: {
          data: {
            type: "log_drain",
            attributes: { name: "logs", backend_type: "sentry", config: { dsn: "https://key@sentry.test/1" } },
          },
        },
      }),
  },
  {
    what: "read replicas",
    use: ({ call }, ref) =>
      call("POST", `/v1/projects/${ref}/read-replicas/setup`, { body: { read_replica_region: "eu-west-1" } }),
  },
];

describe("the transfer of a project", () => {
  it("takes it with its branches to the other organization, where it counts from then on", async () => {
    await using under = await twoOrganizations({ quotas: { projects: 1 } }, { quotas: { projects: 1 } });
    await using client = typedClient(under);
    await aBranch(under, REF, "main");
    const branch = await aBranch(under, REF, "dev");
    const preview = await client.transfers.preview({ ref: REF, body: to("beta") });
    expect(preview.data).toMatchObject({ type: "project_transfer_result", attributes: { valid: true, errors: [] } });
    expect(await client.transfers.create({ ref: REF, body: to("beta") })).toBeUndefined();
    expect(await client.projects.get({ ref: REF })).toMatchObject({ organization_slug: "beta", name: "shop" });
    const refsOf = async (slug: string) =>
      (await client.organizations.listProjects({ slug })).projects.map(({ ref }) => ref).toSorted();
    expect(await refsOf("acme")).toEqual([]);
    expect(await refsOf("beta")).toEqual([REF, branch.project_ref].toSorted());
    expect(await client.branches.get({ branch_id_or_ref: branch.id }, { parentRef: REF })).toMatchObject({
      ref: branch.project_ref,
    });
    const create = (organization_slug: string) =>
      client.projects.create({ body: { name: "new", db_pass: "long enough", organization_slug } });
    await expect(create("beta")).rejects.toMatchObject({ status: 402 });
    expect((await create("acme")).organization_slug).toBe("acme");
  });

  it("gives it to the members of the other organization, and takes it from the others", async () => {
    const acme: Seeded = { members: { owner: "Owner", ann: "Developer" } };
    await using under = await twoOrganizations({ members: { owner: "Owner", bob: "Developer" } }, acme);
    for (const user of ["ann", "bob"]) await under.control.tokens.add({ token: user, user });
    const seenBy = async () =>
      Promise.all(
        ["ann", "bob"].map(async (token) => (await under.call("GET", `/v1/projects/${REF}`, { token })).status),
      );
    expect(await seenBy()).toEqual([200, 404]);
    await under.call("POST", `/v2/projects/${REF}/transfers`, { body: to("beta") });
    expect(await seenBy()).toEqual([404, 200]);
  });

  it.each<{ key: string; to: string; beta?: Seeded; arrange?: (under: EmulatorUnderTest) => Promise<unknown> }>([
    { key: "same_organization", to: "acme" },
    { key: "target_organization_not_found", to: "nobody" },
    { key: "target_organization_not_found", to: "foreign" },
    { key: "insufficient_role", to: "beta", beta: { members: { owner: "Developer" } } },
    { key: "project_limit_reached", to: "beta", beta: { quotas: { projects: 0 } } },
    {
      key: "project_name_taken",
      to: "beta",
      arrange: ({ control }) => control.state.seed({ projects: [{ name: "shop", organization: "beta" }] }),
    },
    {
      key: "project_not_ready",
      to: "beta",
      arrange: ({ control }) => control.projects.force({ ref: REF, status: "UPGRADING" }),
    },
    ...USED.map(({ use }) => ({
      key: "feature_not_in_plan",
      to: "beta",
      beta: { plan: "free" } as const,
      arrange: (under: EmulatorUnderTest) => use(under, REF),
    })),
  ])(
    "is foretold invalid for $key (to $to), and refused with the same words",
    async ({ key, to: slug, beta, arrange }) => {
      await using under = await twoOrganizations(beta);
      await using client = typedClient(under);
      expect((await client.transfers.preview({ ref: REF, body: to("beta") })).data.attributes.valid).toBe(
        beta?.quotas === undefined && beta?.members === undefined,
      );
      await arrange?.(under);
      const { attributes } = (await client.transfers.preview({ ref: REF, body: to(slug) })).data;
      expect([attributes.valid, attributes.errors.map((error) => error.key)]).toEqual([false, [key]]);
      const refused = await under.call("POST", `/v2/projects/${REF}/transfers`, { body: to(slug) });
      expect([refused.status, message(refused)]).toEqual([400, attributes.errors[0]?.message]);
      expect((await client.projects.get({ ref: REF })).organization_slug).toBe("acme");
    },
  );

  it.each(USED)("is refused for $what of a branch, which moves along, until the branch is gone", async (used) => {
    await using under = await twoOrganizations({ plan: "free" });
    await aBranch(under, REF, "main");
    const branch = await aBranch(under, REF, "dev");
    await used.use(under, branch.project_ref);
    const transfer = () => under.call("POST", `/v2/projects/${REF}/transfers`, { body: to("beta") });
    const refused = await transfer();
    expect([refused.status, message(refused)]).toEqual([
      400,
      `The branch "dev" uses ${used.what}, which the target organization's plan free does not have`,
    ]);
    await under.call("DELETE", `/v1/branches/${branch.id}`);
    expect((await transfer()).status).toBeLessThan(300);
  });

  it.each(["UPGRADING", "RESTORING", "COMING_UP", "RESIZING"] as const)(
    "is refused while a branch, which moves along, is %s, and goes on once it is not",
    async (status) => {
      await using under = await twoOrganizations();
      await aBranch(under, REF, "main");
      const { project_ref: ref } = await aBranch(under, REF, "dev");
      await under.control.projects.force({ ref, status });
      const send = (rest: string) => under.call("POST", `/v2/projects/${REF}/transfers${rest}`, { body: to("beta") });
      const says = `The branch "dev" cannot be transferred while it is ${status}`;
      expect((await send("/previews")).json).toMatchObject({
        data: { attributes: { valid: false, errors: [{ key: "project_not_ready", message: says }] } },
      });
      const refused = await send("");
      expect([refused.status, message(refused)]).toEqual([400, says]);
      await under.control.projects.force({ ref, status: "INACTIVE" });
      expect((await send("")).status).toBeLessThan(300);
    },
  );

  it("tells of the add-ons of all that moves along", async () => {
    await using under = await twoOrganizations();
    await using client = typedClient(under);
    await aBranch(under, REF, "main");
    const branch = await aBranch(under, REF, "dev");
    for (const ref of [REF, branch.project_ref]) {
      await client.addons.apply({ ref, body: { addon_variant: "ipv4_default", addon_type: "ipv4" } });
    }
    const { warnings } = (await client.transfers.preview({ ref: REF, body: to("beta") })).data.attributes;
    expect(warnings.map(({ message: words }) => words.slice(0, 9))).toEqual(["1 preview", "2 add-ons"]);
  });

  it("warns of branches and add-ons that move along, and tells of another plan", async () => {
    await using under = await twoOrganizations({ plan: "pro" });
    await using client = typedClient(under);
    await aBranch(under, REF, "main");
    await aBranch(under, REF, "dev");
    await client.addons.apply({ ref: REF, body: { addon_variant: "ipv4_default", addon_type: "ipv4" } });
    under.clock.advance(A_WHILE);
    const { attributes } = (await client.transfers.preview({ ref: REF, body: to("beta") })).data;
    expect(attributes.valid).toBe(true);
    expect(attributes.warnings.map(({ key }) => key)).toEqual(["branches_move", "addons_move"]);
    expect(attributes.info.map(({ key }) => key)).toEqual(["plan_changes", "members_change"]);
  });

  it("is for owners and administrators, its preview for every member", async () => {
    const everyone = { owner: "Owner", ann: "Developer", eve: "Read-only" } as const;
    await using under = await twoOrganizations({}, { members: everyone });
    for (const user of ["ann", "eve"]) await under.control.tokens.add({ token: user, user });
    const ask = async (token: string, rest: string) =>
      (await under.call("POST", `/v2/projects/${REF}/transfers${rest}`, { token, body: to("beta") })).status;
    expect([await ask("ann", "/previews"), await ask("eve", "/previews")]).toEqual([200, 200]);
    expect([await ask("ann", ""), await ask("eve", "")]).toEqual([403, 403]);
  });

  it("is not for a branch, nor for a project that is not there", async () => {
    await using under = await twoOrganizations();
    await aBranch(under, REF, "main");
    const branch = await aBranch(under, REF, "dev");
    for (const ref of [branch.project_ref, "z".repeat(20)]) {
      for (const rest of ["", "/previews"]) {
        const refused = await under.call("POST", `/v2/projects/${ref}/transfers${rest}`, { body: to("beta") });
        expect(refused.status).toBe(404);
      }
    }
  });

  it.each([
    { body: {}, because: "nothing is said" },
    { body: { data: { type: "project_transfer", attributes: { target_organization_slug: "beta" } } }, because: "type" },
    { body: to("not a slug"), because: "slug" },
    { body: { data: { ...to("beta").data, extra: 1 } }, because: "unknown field" },
  ])("is refused for a wrong body: $because", async ({ body }) => {
    await using under = await twoOrganizations();
    for (const rest of ["", "/previews"]) {
      expect((await under.call("POST", `/v2/projects/${REF}/transfers${rest}`, { body })).status).toBe(400);
    }
  });
});
