import type { Operation } from "../../api/contract/operation.ts";
import { type Caller, isMember } from "../access.ts";
import { ApiFailure, forbidden, notFound, unauthorized } from "../failure.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { roleOn } from "../organizations/project-roles.ts";
import { isGoingDown, projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { planRefusal } from "./plans.ts";
import { missingInRole } from "./roles.ts";
import { missingInToken } from "./token-rights.ts";

/**
 * Whether a caller may do an operation: the token's own rights first, then those of its user in the organization that the request is
 * about, then the organization's plan. Of an organization that the caller does not see nothing is told: what it asks for is not found.
 *
 * @param asked.caller undefined: nobody whose token is known
 * @param asked.scope what the request counts against: the ref or slug that it is about
 * @returns the caller; undefined only for an operation that takes no token
 * @throws ApiFailure 401 without a caller, 403 naming what is missing, 402 or 400 for the plan; then 406 for the configuration of a project that
 *   is going down (facts.md §5), and 404 for all else of it but itself
 */
export function authorize(
  world: World,
  operation: Operation,
  { caller, scope }: { readonly caller: Caller | undefined; readonly scope: string | undefined },
): Caller | undefined {
  if (operation.access === "public") return caller;
  if (caller === undefined) throw unauthorized();
  const lacks = missingInToken(caller, operation);
  if (lacks !== undefined) throw forbidden(`The token lacks: ${lacks}.`);
  const project = scope === undefined ? undefined : projectByRef(world, scope);
  const organization = world.organizations.get(project?.organizationSlug ?? scope ?? "");
  if (organization === undefined || !isMember(organization, caller)) return caller;
  const role = roleOn(world, organization, caller.userId, project);
  const missing = role === undefined ? undefined : missingInRole(operation, role);
  if (missing !== undefined) throw forbidden(`The role ${role} lacks: ${missing}.`);
  const refusal = planRefusal(operation, organization.plan);
  if (refusal !== undefined) throw refusal;
  refuseEnding(world, operation, project);
  return caller;
}

const SHOWS_IT_GO: ReadonlySet<string> = new Set(["projects.get", "projects.delete"]);

/** @throws ApiFailure 406 or 404 for a project that is going down */
function refuseEnding(world: World, { id, errors }: Operation, project: ProjectRecord | undefined): void {
  if (project === undefined || !isGoingDown(world, project) || SHOWS_IT_GO.has(id)) return;
  if (!errors.includes(406)) throw notFound("Project");
  throw new ApiFailure(406, "Failed to retrieve the configuration of a project that was deleted");
}
