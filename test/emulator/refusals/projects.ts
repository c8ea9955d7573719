import { operations } from "../../../src/api/contract/contract.ts";
import {
  allOfThem,
  type Refusal,
  alike,
  asked,
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
  { id: "organizations.create", status: 400, because: "it has no name", body: { name: "" }, says: "name" },
  {
    id: "organizations.listProjects",
    status: 400,
    because: "projects are listed by two statuses only",
    query: "statuses=PAUSING",
    says: "'ACTIVE_HEALTHY' | 'INACTIVE', received 'PAUSING'",
  },
  {
    id: "organizations.listMembers",
    status: 400,
    because: "a page is never empty",
    query: "page[size]=0",
    says: "size",
  },
  {
    id: "organizations.listRoles",
    status: 400,
    because: "a page has no such size",
    query: "page[size]=101",
    says: "size",
  },
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
    says: "organization_slug: Organization not found",
  },
  {
    id: "projects.create",
    status: 400,
    because: "its region is full",
    given: async ({ control }) => {
      await control.regions.patch({ region: "eu-central-1", largestSize: null });
    },
    body: { ...NEW, region_selection: { type: "specific", code: "eu-central-1" } },
    says: "no room for the size",
  },
  {
    id: "projects.create",
    status: 400,
    because: "the plan has no such compute size",
    given: onPlan("free", { projects: 9 }),
    body: { ...NEW, desired_instance_size: "large" },
    says: "Add-ons are not available on the free plan",
  },
  {
    id: "projects.create",
    status: 402,
    because: "the plan has room for no more projects",
    given: onPlan("free", { projects: 2 }),
    says: "limit of 2 projects",
  },
  {
    id: "projects.create",
    status: 409,
    because: "the organization has a project of this name",
    body: { ...NEW, name: "other" },
    says: '"other" already exists in your organization',
  },
  {
    id: "projects.update",
    status: 400,
    because: "the name is too long",
    body: { name: "x".repeat(257) },
    says: "name",
  },
  {
    id: "projects.update",
    status: 409,
    because: "another project of the organization has the name",
    body: { name: "other" },
    says: '"other" already exists in your organization',
  },
  {
    id: "projects.delete",
    status: 400,
    because: "it is still being made",
    given: forced("COMING_UP"),
    says: "Project not ready for deletion.",
  },
  {
    id: "projects.availableRegions",
    status: 400,
    because: "the organization is named by what is no slug of one",
    query: "organization_slug=nowhere",
    says: "organization_slug: Organization not found",
  },
  { id: "projects.health", status: 400, because: "there is no such service", query: "services=mail", says: "services" },
  {
    id: "projects.updatePassword",
    status: 400,
    because: "the password is too short",
    body: { password: "abc" },
    says: "password",
  },
];

const living: readonly Refusal[] = [
  ...alike(["projects.pause", "projects.restart"], {
    status: 400,
    because: "the project does not run",
    given: forced("INACTIVE"),
    says: "it is INACTIVE",
  }),
  {
    id: "projects.restore",
    status: 400,
    because: "it is still on its way into the pause",
    given: asked("POST", `${PROJECT}/pause`),
    says: "no longer in a paused state, it is PAUSING",
  },
  {
    id: "projects.cancelRestore",
    status: 400,
    because: "nothing is being restored",
    says: "not being restored, it is ACTIVE_HEALTHY",
  },
  {
    id: "transfers.preview",
    status: 400,
    because: "the input is of another type",
    body: { data: { ...transferTo("beta").data, type: "project" } },
    says: "type",
  },
  {
    id: "transfers.create",
    status: 400,
    because: "it is in that organization already",
    body: transferTo("acme"),
    says: "organization",
  },
  {
    id: "transfers.create",
    status: 400,
    because: "the other organization has a project of its name",
    given: asked("POST", "/v1/projects", { ...NEW, organization_slug: "beta", name: "shop" }),
    body: transferTo("beta"),
    says: "name",
  },
  {
    id: "upgrades.start",
    status: 400,
    because: "the database has an extension that the new version lacks",
    given: async ({ control }) => {
      await control.upgrades.obstruct({ ref: "abcdefghijklmnopqrst", unsupportedExtensions: ["plv8"] });
    },
    says: "not eligible for an upgrade: unsupported_extension",
  },
  {
    id: "upgrades.start",
    status: 400,
    because: "it runs the newest version",
    path: `/v1/projects/${OTHER}/upgrade`,
    says: "it runs the newest version already",
  },
  {
    id: "upgrades.status",
    status: 400,
    because: "the upgrade is asked for by a parameter that there is not",
    query: "tracking=1",
    says: "tracking",
  },
];

/** A code of the owner's consent, as CODE. */
const consented =
  (pkce: { readonly codeChallenge?: string } = {}): NonNullable<Refusal["given"]> =>
  async ({ control }) => {
    const consent = { clientId: "app", user: "owner", organization: "acme" };
    const { code } = await control.oauth.approve({ ...consent, scopes: ["projects:read"], ...pkce });
    return { CODE: code };
  };
const exchange = (changes: Readonly<Record<string, string>>) =>
  new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "app",
    client_secret: "app-secret",
    code: "CODE",
    redirect_uri: "https://app.example.test/callback",
    ...changes,
  });

const GUESSED = { client_id: "app", client_secret: "guessed", refresh_token: "any" };

const claims: readonly Refusal[] = [
  {
    id: "oauth.authorize",
    status: 400,
    because: "no such app is registered",
    query: "client_id=nobody&response_type=code&redirect_uri=https://app.example.test/callback",
    says: "client_id: there is no such OAuth app",
  },
  {
    id: "oauth.authorizeProjectClaim",
    status: 400,
    because: "the app never said that it returns there",
    query: `project_ref=${OTHER}&client_id=app&response_type=code&redirect_uri=https://elsewhere.test`,
    says: "redirect_uri: not one of the app's",
  },
  {
    id: "oauth.authorizeProjectClaim",
    status: 404,
    because: "there is no such project",
    query: `project_ref=${"z".repeat(20)}&client_id=app&response_type=code&redirect_uri=https://app.example.test/callback`,
    says: "Project not found",
  },
  {
    id: "oauth.token",
    status: 400,
    because: "nobody was given this code",
    body: exchange({ code: "made-up" }),
    says: "code",
  },
  {
    id: "oauth.token",
    status: 400,
    because: "it asks for a scope that was not granted, and the code is good all the same",
    given: consented(),
    body: exchange({ scope: "secrets:write" }),
    says: "scope: not granted: secrets:write",
  },
  {
    id: "oauth.token",
    status: 400,
    because: "the verifier is that of another code",
    given: consented({ codeChallenge: "c".repeat(43) }),
    body: exchange({ code_verifier: "v".repeat(43) }),
    says: "code_verifier",
  },
  {
    id: "oauth.token",
    status: 400,
    because: "the code was issued for another address",
    given: consented(),
    body: exchange({ redirect_uri: "https://app.example.test/other" }),
    says: "redirect_uri: not the one",
  },
  {
    id: "oauth.token",
    status: 401,
    because: "the app does not know its own secret",
    body: new URLSearchParams({ ...GUESSED, grant_type: "refresh_token" }),
    says: "client_id or client_secret: wrong or missing",
  },
  {
    id: "oauth.revoke",
    status: 401,
    because: "the app does not know its own secret",
    body: GUESSED,
    says: "client_id or client_secret: wrong or missing",
  },
  {
    id: "oauth.revoke",
    status: 400,
    because: "it is not said what to revoke",
    body: { client_id: "app", client_secret: "app-secret" },
    says: "refresh_token",
  },
];

const configReads = operations.filter(({ method, path }) => method === "GET" && path.includes("{ref}/config/"));

const ending: readonly Refusal[] = alike(
  configReads.map(({ id }) => id),
  {
    status: 406,
    because: "the project was deleted, and is going down still",
    given: allOfThem(
      async ({ control }) => {
        await control.settings.patch({ timings: { goingDownMs: 500 } });
      },
      asked("DELETE", PROJECT),
    ),
    says: "Failed to retrieve the configuration",
  },
);

export const PROJECT_REFUSALS: readonly Refusal[] = [...organizations, ...making, ...living, ...ending, ...claims];
