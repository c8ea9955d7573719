import { ApiFailure, badRequest, notFound } from "../failure.ts";
import { issueCode, newGrant } from "./oauth-grants.ts";
import type { OAuthRequest } from "./oauth-state.ts";
import type { OrganizationRecord, Role } from "../organizations/organization-state.ts";
import { sha256 } from "../state/ids.ts";
import { projectByRef, stayingProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { returnTo } from "./oauth-authorize.ts";
import type { Account, ConsentView } from "./oauth-consent-page.ts";
import { transfer } from "../projects/transfers.ts";

/** What a user's answer to an app does. Whoever opens the page answers as any member that it offers: the emulator has no sign-in. */

/** A request that waits for its answer. @throws ApiFailure 404 */
export function openRequest(world: World, id: string): OAuthRequest {
  const request = world.oauthRequests.get(sha256(id));
  if (request === undefined || world.clock.now() >= request.expiresAtMs || !world.oauthApps.has(request.clientId)) {
    throw new ApiFailure(404, "This request is unknown, answered already, or too old. Start again from the app.");
  }
  return request;
}

export function consentView(world: World, request: OAuthRequest): ConsentView {
  const { clientId, scopes, redirectUri, claimedRef } = request;
  const project = claimedRef === undefined ? undefined : projectByRef(world, claimedRef);
  return {
    app: world.oauthApps.get(clientId)?.name ?? clientId,
    scopes,
    accounts: accountsOf(world, request),
    returnsTo: redirectUri,
    project: project === undefined ? claimedRef : `${project.name} (${project.ref})`,
  };
}

/** Members of the organization that was asked for, or of all; a claimed project goes to owners and administrators only. */
function accountsOf(world: World, { organizationSlug, claimedRef }: OAuthRequest): readonly Account[] {
  return [...world.organizations.values()]
    .filter(({ slug }) => organizationSlug === undefined || organizationSlug === slug)
    .flatMap((organization) =>
      Object.entries(organization.members)
        .filter(([, role]) => claimedRef === undefined || isAdministrator(role))
        .map(([userId, role]) => ({
          value: accountKey(userId, organization),
          label: `${organization.name}, as ${world.users.get(userId)?.username ?? userId} (${role})`,
        })),
    );
}

function isAdministrator(role: Role): boolean {
  return role === "Owner" || role === "Administrator";
}

function accountKey(userId: string, { slug }: OrganizationRecord): string {
  return `${userId} ${slug}`;
}

/** The user says no. @returns where the browser goes */
export function deny(world: World, id: string): string {
  const { redirectUri, state } = openRequest(world, id);
  world.oauthRequests.delete(sha256(id));
  return returnTo(redirectUri, { error: "access_denied", error_description: "The user said no.", state });
}

/**
 * The user says yes.
 * @param account one of those that the page offered
 * @returns where the browser goes, with the code
 * @throws ApiFailure 400 for another account, and for a project that cannot be brought there
 */
export function approve(world: World, id: string, account: string): string {
  const request = openRequest(world, id);
  const offered = accountsOf(world, request).some(({ value }) => value === account);
  if (!offered) throw badRequest("account: none of those offered");
  const [userId = "", organizationSlug = ""] = account.split(" ");
  if (request.claimedRef !== undefined) claim(world, { ref: request.claimedRef, slug: organizationSlug, userId });
  world.oauthRequests.delete(sha256(id));
  const { clientId, scopes, redirectUri, state } = request;
  const grantId = newGrant(world, { clientId, userId, organizationSlug, scopes, standing: false });
  return returnTo(redirectUri, { code: issueCode(world, grantId, request), state });
}

/** The project goes to the organization of the user who claims it, unless it is there already. */
function claim(
  world: World,
  { ref, slug, userId }: { readonly ref: string; readonly slug: string; readonly userId: string },
): void {
  const project = stayingProject(world, ref);
  if (project === undefined) throw notFound("Project");
  if (project.organizationSlug === slug) return;
  transfer(world, { project, target: world.organizations.get(slug), caller: { userId } });
}
