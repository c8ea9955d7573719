import type { Permissions } from "../api/contract/operation.ts";
import { missingPermissions } from "./access/permissions.ts";
import { notFound } from "./failure.ts";
import type { OAuthApp, OAuthGrant } from "./oauth/oauth-state.ts";
import type { TokenRecord } from "./access/token-state.ts";
import type { BranchRecord } from "./branches/branch-state.ts";
import type { OrganizationRecord } from "./organizations/organization-state.ts";
import type { ProjectRecord } from "./projects/project-state.ts";
import { sha256 } from "./state/ids.ts";
import { branchByProjectRef, isThere, projectByRef, stayingProject } from "./state/presence.ts";
import type { World } from "./state/world.ts";

/**
 * Who asks and what they see. What a token, an app, a role and a plan allow is in access/, one file each; access/authorize.ts asks them
 * all, for every operation alike.
 */

export interface Caller {
  readonly userId: string;
  readonly token: TokenRecord;
  /** what the user granted the app whose token it is; absent for the user's own tokens */
  readonly grant?: OAuthGrant;
}

/** The caller of an Authorization header; undefined when it names no token that is known, or one whose time or grant is over. */
export function callerOf(world: World, authorization: string | undefined): Caller | undefined {
  const text = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  const token = text === undefined ? undefined : world.tokens.get(sha256(text));
  if (token?.kind !== "oauth") return token === undefined ? undefined : { userId: token.userId, token };
  const grant = world.oauthGrants.get(token.grantId);
  if (grant === undefined || world.clock.now() >= token.expiresAtMs) return undefined;
  return { userId: token.userId, token, grant };
}

/** Whose budget a request spends: the app, else the user, else the address (behaviour.md, Authentication 6). */
export function identityOf(caller: Caller | undefined, address: string): string {
  if (caller === undefined) return `address:${address}`;
  return caller.grant === undefined ? `user:${caller.userId}` : `app:${caller.grant.clientId}`;
}

/** The app through which a request came. */
export function appOf(world: World, { grant }: Caller): OAuthApp | undefined {
  return grant === undefined ? undefined : world.oauthApps.get(grant.clientId);
}

/**
 * Whether a token holds the permissions; a personal token holds all (behaviour.md, Authentication 2 and 3), and an app's token, which has
 * scopes instead, is not asked for them.
 */
export function mayCall({ token }: Caller, permissions: Permissions): boolean {
  return token.kind !== "fine-grained" || missingPermissions(permissions, token.permissions) === undefined;
}

/** @throws ApiFailure 404, also for an organization that the caller is no member of */
export function visibleOrganization(world: World, caller: Caller, slug: string): OrganizationRecord {
  const organization = world.organizations.get(slug);
  if (organization === undefined || !isMember(organization, caller)) throw notFound("Organization");
  return organization;
}

/** Whether the caller belongs to it; an app only where its user let it in. */
export function isMember(organization: OrganizationRecord | undefined, caller: Caller): boolean {
  if (organization === undefined || !Object.hasOwn(organization.members, caller.userId)) return false;
  return caller.grant === undefined || caller.grant.organizationSlug === organization.slug;
}

/**
 * A project by ref, preview projects of branches included.
 * @throws ApiFailure 404, also for one that the caller may not see, or that is going down, be it since the request began
 */
export function visibleProject(world: World, caller: Caller, ref: string): ProjectRecord {
  return seen(world, caller, stayingProject(world, ref));
}

/**
 * A project that is none of a branch, and may be going down: by its own path a branch's ref is unknown (facts.md §5). @throws ApiFailure 404
 */
export function visibleMainProject(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = seen(world, caller, projectByRef(world, ref));
  if (project.branchOf !== undefined) throw notFound("Project");
  return project;
}

function seen(world: World, caller: Caller, project: ProjectRecord | undefined): ProjectRecord {
  if (project !== undefined && isMember(world.organizations.get(project.organizationSlug), caller)) return project;
  throw notFound("Project");
}

/** @throws ApiFailure 404, also for a branch of a project that the caller may not see */
export function visibleBranch(world: World, caller: Caller, idOrRef: string): BranchRecord {
  const branch = branchByIdOrRef(world, idOrRef);
  const parent = branch === undefined ? undefined : projectByRef(world, branch.parentRef);
  if (branch === undefined || !isMember(world.organizations.get(parent?.organizationSlug ?? ""), caller)) {
    throw notFound("Branch");
  }
  return branch;
}

/** A branch that is there, by its id or by the ref of its project. */
export function branchByIdOrRef(world: World, idOrRef: string): BranchRecord | undefined {
  const byId = world.branches.get(idOrRef);
  if (byId !== undefined) return isThere(world, byId) ? byId : undefined;
  return branchByProjectRef(world, idOrRef);
}
