import { branches } from "../../api/contract/branches.ts";
import { allOf, type Operation } from "../../api/contract/operation.ts";
import type { Caller } from "../access.ts";
import { roleOn } from "../organizations/project-roles.ts";
import { projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { missingPermissions } from "./permissions.ts";
import { missingInRole } from "./roles.ts";
import { missingScopes } from "./scopes.ts";

/** Who is told the secrets that some answers hold beside what the operation is for. */

const READING_SECRETS = { scopes: ["secrets:read"], retry: "read" } as const;

/**
 * What a token lacks to be told a secret, in words; undefined: nothing. A fine-grained one needs a permission of its own (facts.md §6.9).
 * An app's token has scopes instead: whatever else it may read, it needs the one for secrets, since it is "limited to approved scopes"
 * (behaviour.md, Authentication 2).
 */
export function missingForSecrets(
  { token }: Caller,
  { secretPermission }: Required<Pick<Operation, "secretPermission">>,
): string | undefined {
  switch (token.kind) {
    case "personal":
      return undefined;
    case "fine-grained":
      return missingPermissions(allOf(secretPermission), token.permissions);
    case "oauth":
      return missingScopes(READING_SECRETS, token.scopes);
    default:
      return token satisfies never;
  }
}

const CREDENTIALS = { ...branches.get, permissions: allOf(branches.get.secretPermission) };

/** Whether a caller sees the credentials of a branch, which are "hidden without rights" (facts.md §3), the token's and the user's. */
export function maySeeCredentials(world: World, caller: Caller, ref: string): boolean {
  if (missingForSecrets(caller, branches.get) !== undefined) return false;
  const project = projectByRef(world, ref);
  const organization = world.organizations.get(project?.organizationSlug ?? "");
  const role = organization === undefined ? undefined : roleOn(world, organization, caller.userId, project);
  return role !== undefined && missingInRole(CREDENTIALS, role) === undefined;
}
