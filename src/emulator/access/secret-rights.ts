import { allOf, type Operation } from "../../api/contract/operation.ts";
import type { Caller } from "../access.ts";
import { roleOn } from "../organizations/project-roles.ts";
import { projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { missingInRole } from "./roles.ts";
import { missingInToken } from "./token-rights.ts";

/** Who is told the secrets that some answers hold beside what the operation is for. */

/**
 * A fine-grained token needs the permission. An app's token has scopes instead: whatever else it may read, it needs the one for secrets, since
 * it is "limited to approved scopes" (behaviour.md, Authentication 2).
 */
const READING_SECRETS = { scopes: ["secrets:read"], retry: "read" } as const;

type Holding = Operation & Required<Pick<Operation, "secretPermission">>;

/**
 * What a caller lacks to be told a project's secret, as a sentence; undefined: nothing. It takes a right of its own (facts.md §3 and §6.9), of
 * the token and of its user's role.
 *
 * @param asked.operation whose answer holds the secret
 */
export function missingForSecrets(
  world: World,
  caller: Caller,
  { operation, ref }: { readonly operation: Holding; readonly ref: string },
): string | undefined {
  const permissions = allOf(operation.secretPermission);
  const lacks = missingInToken(caller, { ...READING_SECRETS, permissions });
  if (lacks !== undefined) return `The token lacks: ${lacks}.`;
  const project = projectByRef(world, ref);
  const organization = world.organizations.get(project?.organizationSlug ?? "");
  const role = organization === undefined ? undefined : roleOn(world, organization, caller.userId, project);
  if (role === undefined) return "The user is no member of the project's organization.";
  const missing = missingInRole({ ...operation, permissions }, role);
  return missing === undefined ? undefined : `The role ${role} lacks: ${missing}.`;
}
