import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP } from "./scene.ts";

const ANN = "00000000-0000-4000-8000-0000000000aa";
const NO_MEMBER = "no operation makes a member of an organization";

/** Ann joins the organization of the scene, and one of her own, where she has a role on one project. */
async function annJoins({ control }: Scene): Promise<void> {
  await control.state.seed({
    users: [{ username: "ann", id: ANN, email: "ann@acme.test", mfaEnabled: true }],
    tokens: [{ token: "anns", user: "ann" }],
    organizations: [
      {
        slug: "lab",
        members: { owner: "Owner", ann: "Read-only" },
        projectRoles: [{ user: "ann", role: "Developer", projects: ["probe"] }],
      },
    ],
    projects: [{ name: "probe", organization: "lab", ref: "b".repeat(20) }],
  });
  await control.organizations.patch({ slug: "acme", members: { ann: "Developer" } });
}

export const profile: EffectsOf<"profile"> = {
  get: {
    because: "no operation makes a user",
    proof: async (scene) => {
      await annJoins(scene);
      expect(await scene.as("anns").profile.get()).toEqual({
        auth_id: ANN,
        primary_email: "ann@acme.test",
        username: "ann",
      });
    },
  },
};

export const organizations: EffectsOf<"organizations"> = {
  create: async ({ client }) => {
    const { id, slug } = await client.organizations.create({ body: { name: "Gamma" } });
    expect(await client.organizations.get({ slug })).toMatchObject({ id, name: "Gamma", plan: "free" });
  },
  list: async ({ client }) => {
    const made = await client.organizations.create({ body: { name: "Gamma" } });
    const listed = await client.organizations.list();
    expect([listed.map(({ name }) => name), listed.at(-1)]).toEqual([["acme", "beta", "Gamma"], made]);
  },
  get: async ({ client }) => {
    const { id, slug } = await client.organizations.create({ body: { name: "Gamma" } });
    expect(await client.organizations.get({ slug })).toEqual({
      id,
      name: "Gamma",
      plan: "free",
      opt_in_tags: [],
      allowed_release_channels: ["ga", "preview"],
    });
  },
  listProjects: async ({ client }) => {
    const wanted = { name: "another", db_pass: "long enough", organization_slug: "acme", region: "eu-west-1" } as const;
    const { ref } = await client.projects.create({ body: { ...wanted, desired_instance_size: "large" } });
    const { projects, pagination } = await client.organizations.listProjects({ slug: "acme", limit: 1 });
    expect(pagination).toEqual({ count: 2, limit: 1, offset: 0 });
    expect(projects).toMatchObject([
      { ref, name: "another", region: "eu-west-1", is_branch: false, status: "UNKNOWN" },
    ]);
    expect(projects[0]?.databases).toMatchObject([{ identifier: ref, type: "PRIMARY", infra_compute_size: "large" }]);
    const rest = await client.organizations.listProjects({ slug: "acme", offset: 1 });
    expect(rest.projects.map(({ name }) => name)).toEqual(["shop"]);
  },
  entitlements: {
    because: "no operation changes a plan",
    proof: async ({ client, control }) => {
      const of = async (feature: string) =>
        (await client.organizations.entitlements({ slug: "acme" })).entitlements.find(
          (one) => one.feature.key === feature,
        );
      const boolean = { feature: { key: "backup.schedule", type: "boolean" }, type: "boolean" };
      expect(await of("backup.schedule")).toEqual({ ...boolean, hasAccess: true, config: { enabled: true } });
      await control.organizations.patch({ slug: "acme", plan: "pro" });
      expect(await of("backup.schedule")).toEqual({ ...boolean, hasAccess: false, config: { enabled: false } });
    },
  },
  members: {
    because: NO_MEMBER,
    proof: async (scene) => {
      await annJoins(scene);
      const [owner, ann] = await scene.client.organizations.members({ slug: "acme" });
      expect(owner).toMatchObject({ user_name: "owner", role_name: "Owner", mfa_enabled: false });
      expect(ann).toMatchObject({
        user_id: ANN,
        user_name: "ann",
        email: "ann@acme.test",
        role_name: "Developer",
        mfa_enabled: true,
      });
    },
  },
  listMembers: {
    because: NO_MEMBER,
    proof: async (scene) => {
      await annJoins(scene);
      const { data, links } = await scene.client.organizations.listMembers({
        slug: "lab",
        filter: { username: "ann" },
      });
      expect(data).toMatchObject([{ id: ANN, attributes: { primary_email: "ann@acme.test", is_sso_user: false } }]);
      expect(data[0]?.attributes.roles).toMatchObject([
        { name: "Read-only", scope: "organization" },
        { name: "Developer", scope: "project", projects: [{ ref: "b".repeat(20), name: "probe" }] },
      ]);
      expect(links).toMatchObject({ prev: null, next: null });
    },
  },
  listRoles: {
    because: "no operation makes a role",
    proof: async (scene) => {
      await annJoins(scene);
      const { data } = await scene.client.organizations.listRoles({ slug: "lab" });
      expect(data.map(({ attributes: { name, scope } }) => `${name} of ${scope}`)).toEqual([
        "Owner of organization",
        "Administrator of organization",
        "Developer of organization",
        "Read-only of organization",
        "Developer of project",
      ]);
      expect(data[4]?.attributes.projects).toEqual([{ ref: "b".repeat(20), name: "probe" }]);
    },
  },
};

const asked = (slug: string) =>
  ({ data: { type: "project_transfer_input", attributes: { target_organization_slug: slug } } }) as const;

export const transfers: EffectsOf<"transfers"> = {
  preview: async ({ client }) => {
    const preview = async () => (await client.transfers.preview({ ref: SHOP, body: asked("beta") })).data.attributes;
    expect(await preview()).toMatchObject({ valid: true, errors: [], warnings: [] });
    await client.projects.create({ body: { name: "shop", db_pass: "long enough", organization_slug: "beta" } });
    expect(await preview()).toMatchObject({ valid: false, errors: [{ key: "project_name_taken" }] });
  },
  create: async ({ client }) => {
    expect(await client.transfers.create({ ref: SHOP, body: asked("beta") })).toBeUndefined();
    expect((await client.projects.get({ ref: SHOP })).organization_slug).toBe("beta");
    const of = async (slug: string) =>
      (await client.organizations.listProjects({ slug })).projects.map(({ ref }) => ref);
    expect([await of("acme"), await of("beta")]).toEqual([[], [SHOP]]);
  },
};
