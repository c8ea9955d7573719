import type { Operation, Permissions } from "../api/contract/operation.ts";
import { forbidden, notFound, unauthorized } from "./failure.ts";
import type { OrganizationRecord, ProjectRecord, TokenRecord } from "./state/records.ts";
import { branchByProjectRef, isThere, projectByRef, sha256, type World } from "./state/world.ts";
import type { BranchRecord } from "./state/records.ts";

/** Who asks, and what they may see and do. */
export interface Caller {
  readonly userId: string;
  readonly token: TokenRecord;
}

/** The caller of an Authorization header; undefined when it names no token that is known. */
export function callerOf(world: World, authorization: string | undefined): Caller | undefined {
  const text = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
  const token = text === undefined ? undefined : world.tokens.get(sha256(text));
  return token === undefined ? undefined : { userId: token.userId, token };
}

/** Whose budget a request spends: the user, or the address where there is none (behaviour.md, Authentication 6). */
export function identityOf(caller: Caller | undefined, address: string): string {
  return caller === undefined ? `address:${address}` : `user:${caller.userId}`;
}

/** The second half of the budget's key (facts.md, "Scope of a request"); undefined: the identity alone. */
export function scopeOf(
  world: World,
  operation: Operation,
  params: Readonly<Record<string, string>>,
  body: unknown,
): string | undefined {
  switch (operation.limitScope) {
    case "project":
      return params["ref"];
    case "organization":
      return params["slug"];
    case "bodyOrganization": {
      const slug =
        typeof body === "object" && body !== null && "organization_slug" in body ? body.organization_slug : "";
      return typeof slug === "string" && slug !== "" ? slug : undefined;
    }
    case "branchParent":
      return branchByIdOrRef(world, params["branch_id_or_ref"] ?? "")?.parentRef;
    case "identity":
      return undefined;
    default:
      return operation.limitScope satisfies never;
  }
}

/** @throws ApiFailure 401 without a caller, 403 when the token or the caller's role is not enough */
export function authorize(
  world: World,
  operation: Operation,
  caller: Caller | undefined,
  scope: string | undefined,
): Caller {
  if (caller === undefined) throw unauthorized();
  if (!mayCall(caller, operation.permissions)) {
    throw forbidden(`The token lacks: ${inWords(operation.permissions)}.`);
  }
  const organization = organizationOfScope(world, scope);
  const role = organization?.members[caller.userId];
  if (role === "Read-only" && operation.retry !== "read") throw forbidden("The role Read-only changes nothing.");
  return caller;
}

/** Whether a token holds the permissions; a personal token holds all (behaviour.md, Authentication 2 and 3). */
export function mayCall(caller: Caller, permissions: Permissions): boolean {
  const { token } = caller;
  if (token.kind === "personal" || permissions.length === 0) return true;
  return permissions.some((alternative) => alternative.every((name) => token.permissions.includes(name)));
}

function inWords(permissions: Permissions): string {
  return permissions.map((alternative) => alternative.join(" and ")).join(" or ");
}

function organizationOfScope(world: World, scope: string | undefined): OrganizationRecord | undefined {
  if (scope === undefined) return undefined;
  const project = projectByRef(world, scope);
  return world.organizations.get(project === undefined ? scope : project.organizationSlug);
}

/** @throws ApiFailure 404, also for an organization that the caller is no member of */
export function visibleOrganization(world: World, caller: Caller, slug: string): OrganizationRecord {
  const organization = world.organizations.get(slug);
  if (organization === undefined || !isMember(organization, caller)) throw notFound("Organization");
  return organization;
}

export function isMember(organization: OrganizationRecord | undefined, caller: Caller): boolean {
  return organization !== undefined && Object.hasOwn(organization.members, caller.userId);
}

/** A project by ref, preview projects of branches included. @throws ApiFailure 404, also for one the caller may not see */
export function visibleProject(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = projectByRef(world, ref);
  if (project === undefined || !isMember(world.organizations.get(project.organizationSlug), caller)) {
    throw notFound("Project");
  }
  return project;
}

/** A project that is none of a branch: by its own path a branch's ref is unknown (facts.md §5). @throws ApiFailure 404 */
export function visibleMainProject(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = visibleProject(world, caller, ref);
  if (project.branchOf !== undefined) throw notFound("Project");
  return project;
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

function branchByIdOrRef(world: World, idOrRef: string): BranchRecord | undefined {
  const byId = world.branches.get(idOrRef);
  if (byId !== undefined) return isThere(world, byId) ? byId : undefined;
  return branchByProjectRef(world, idOrRef);
}
