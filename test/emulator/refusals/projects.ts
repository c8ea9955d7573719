import { operations } from "../../../src/api/contract/contract.ts";
import {
  allOfThem,
  type Refusal,
  alike,
  asked,
  branch,
  forced,
  onPlan,
  OTHER,
  PROJECT,
} from "../../support/emulator/refusal.ts";

/** Organizations, projects, their lives, moves and upgrades. */

const NEW = { name: "new", db_pass: "correct horse", organization_slug: "acme" };
const transferTo = (slug: string) => ({
  data: { type: "project_transfer_input", attributes: { target_organization_slug: slug } },
});

const organizations: readonly Refusal[] = [
  {
    id: "organizations.create",
    status: 400,
    because: "it has no name",
    body: { name: "" },
    says: "name: Too small: expected string to have >=1 characters, received string",
  },
  {
    id: "organizations.listProjects",
    status: 400,
    because: "projects are listed by two statuses only",
    query: "statuses=PAUSING",
    says: "statuses: Invalid enum value. Expected 'ACTIVE_HEALTHY' | 'INACTIVE', received 'PAUSING'",
  },
  {
    id: "organizations.listMembers",
    status: 400,
    because: "a page is never empty",
    query: "page[size]=0",
    says: "page.size: Too small: expected number to be >=1, received '0'",
  },
  {
    id: "organizations.listRoles",
    status: 400,
    because: "a page has no such size",
    query: "page[size]=101",
    says: "page.size: Too big: expected number to be <=100, received '101'",
  },
  ...["listMembers", "listRoles"].map((verb) => ({
    id: `organizations.${verb}`,
    status: 400,
    of: ["page[after]/page[before] uuid cursors"],
    because: "a page is found by a uuid",
    query: "page[after]=first",
    says: "page.after: expected the cursor of a page, a uuid, received 'first'",
  })),
  ...["get", "listProjects", "entitlements", "members"].map((verb) => ({
    id: `organizations.${verb}`,
    status: 404,
    because: "nobody has an organization of this slug",
    path: `/v1/organizations/nowhere${{ get: "", listProjects: "/projects" }[verb] ?? `/${verb}`}`,
    says: "Organization not found",
  })),
  ...["members", "roles"].map((what) => ({
    id: `organizations.list${what === "members" ? "Members" : "Roles"}`,
    status: 404,
    because: "nobody has an organization of this slug",
    path: `/v2/organizations/nowhere/${what}`,
    says: "Organization not found",
  })),
];

const making: readonly Refusal[] = [
  {
    id: "projects.create",
    status: 400,
    because: "the organization is named by what is no slug of one",
    body: { ...NEW, organization_slug: "nowhere" },
    says: "organization_slug: Organization not found; expected the slug of an organization, not its id",
  },
  {
    id: "projects.create",
    status: 400,
    of: ["create with bad enum"],
    because: "there is no such plan",
    body: { ...NEW, plan: "gold" },
    says: "plan: Invalid enum value. Expected 'free' | 'pro', received 'gold'",
  },
  {
    id: "projects.create",
    status: 400,
    because: "its region is full",
    given: async ({ control }) => {
      await control.regions.patch({ region: "eu-central-1", largestSize: null });
    },
    body: { ...NEW, region_selection: { type: "specific", code: "eu-central-1" } },
    says: "region_selection: there is no room for the size micro in eu-central-1 on the plan enterprise",
  },
  {
    id: "projects.create",
    status: 400,
    because: "the plan has no such compute size",
    given: onPlan("free", { projects: 9 }),
    body: { ...NEW, desired_instance_size: "large" },
    says: "desired_instance_size: Add-ons are not available on the free plan of the organization",
  },
  {
    id: "projects.create",
    status: 402,
    because: "the plan has room for no more projects",
    given: onPlan("free", { projects: 2 }),
    says: "The organization has reached its limit of 2 projects on its plan",
  },
  {
    id: "projects.create",
    status: 409,
    of: ["POST projects same name in org"],
    because: "the organization has a project of this name",
    body: { ...NEW, name: "other" },
    says: 'Project with name "other" already exists in your organization',
  },
  {
    id: "projects.get",
    status: 404,
    of: ["GET project of unknown ref, **and of a branch's ref**"],
    because: "the ref is that of a branch",
    given: branch("dev"),
    path: "/v1/projects/BRANCH_REF",
    says: "Project not found",
  },
  {
    id: "projects.update",
    status: 400,
    because: "the name is too long",
    body: { name: "x".repeat(257) },
    says: "name: Too big: expected string to have <=256 characters, received 257",
  },
  {
    id: "projects.update",
    status: 409,
    because: "another project of the organization has the name",
    body: { name: "other" },
    says: 'Project with name "other" already exists in your organization',
  },
  {
    id: "projects.delete",
    status: 400,
    of: ["DELETE project still provisioning"],
    because: "it is still being made",
    given: asked("POST", "/v1/projects", NEW),
    path: "/v1/projects/ID",
    says: "Project not ready for deletion.",
  },
  {
    id: "projects.availableRegions",
    status: 400,
    because: "the organization is named by what is no slug of one",
    query: "organization_slug=nowhere",
    says: "organization_slug: Organization not found; expected the slug of an organization, not its id",
  },
  {
    id: "projects.health",
    status: 400,
    because: "there is no such service",
    query: "services=mail",
    says: "services.0: Invalid enum value. Expected 'auth' | 'db' | 'db_postgres_user' | 'pooler' | 'realtime' | 'rest' | 'storage' | 'pg_bouncer', received 'mail'",
  },
  {
    id: "projects.updatePassword",
    status: 400,
    because: "the password is too short",
    body: { password: "abc" },
    says: "password: Too small: expected string to have >=4 characters, received string",
  },
];

const living: readonly Refusal[] = [
  ...["pause", "restart"].map((verb) => ({
    id: `projects.${verb}`,
    status: 400,
    because: "the project does not run",
    given: forced("INACTIVE"),
    says: `Project cannot be ${verb}${verb === "pause" ? "d" : "ed"}, it is INACTIVE`,
  })),
  {
    id: "projects.restore",
    status: 400,
    of: ["restore while PAUSING"],
    because: "it is still on its way into the pause",
    given: asked("POST", `${PROJECT}/pause`),
    says: "Project is no longer in a paused state, it is PAUSING",
  },
  {
    id: "projects.cancelRestore",
    status: 400,
    because: "nothing is being restored",
    says: "Project is not being restored, it is ACTIVE_HEALTHY",
  },
  {
    id: "transfers.preview",
    status: 400,
    because: "the input is of another type",
    body: { data: { ...transferTo("beta").data, type: "project" } },
    says: "data.type: Invalid enum value. Expected 'project_transfer_input', received 'project'",
  },
  {
    id: "transfers.create",
    status: 400,
    because: "it is in that organization already",
    body: transferTo("acme"),
    says: "The project belongs to the target organization already",
  },
  {
    id: "transfers.create",
    status: 400,
    because: "the other organization has a project of its name",
    given: asked("POST", "/v1/projects", { ...NEW, organization_slug: "beta", name: "shop" }),
    body: transferTo("beta"),
    says: 'The target organization has a project named "shop"',
  },
  {
    id: "upgrades.start",
    status: 400,
    because: "the database has an extension that the new version lacks",
    given: async ({ control }) => {
      await control.upgrades.obstruct({ ref: "abcdefghijklmnopqrst", unsupportedExtensions: ["plv8"] });
    },
    says: "Project is not eligible for an upgrade: unsupported_extension",
  },
  {
    id: "upgrades.start",
    status: 400,
    because: "it runs the newest version",
    path: `/v1/projects/${OTHER}/upgrade`,
    says: "Project is not eligible for an upgrade: it runs the newest version already",
  },
  {
    id: "upgrades.status",
    status: 400,
    because: "the upgrade is asked for by a parameter that there is not",
    query: "tracking=1",
    says: "query: Unrecognized key(s): 'tracking'",
  },
];

const configReads = operations.filter(({ method, path }) => method === "GET" && path.includes("{ref}/config/"));
const DELETED = allOfThem(
  async ({ control }) => {
    await control.settings.patch({ timings: { goingDownMs: 500 } });
  },
  asked("DELETE", PROJECT),
);

/** "treat both as gone" */
const ending: readonly Refusal[] = [
  ...alike(
    configReads.map(({ id }) => id),
    {
      status: 406,
      of: ["config GETs of a deleted project"],
      because: "the project was deleted, and is going down still",
      given: DELETED,
      says: "Failed to retrieve the configuration of a project that was deleted",
    },
  ),
  ...alike(
    configReads.filter(({ path }) => !/\{ref\}.*\{/.test(path)).map(({ id }) => id),
    {
      status: 404,
      of: ["config GETs of a deleted project"],
      because: "the project was deleted, and is gone",
      given: allOfThem(DELETED, async ({ clock }) => {
        clock.advance(501);
      }),
      says: "Project not found",
    },
  ),
];

export const PROJECT_REFUSALS: readonly Refusal[] = [...organizations, ...making, ...living, ...ending];
