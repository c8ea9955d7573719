import { database } from "../../api/contract/database.ts";
import { allOf } from "../../api/contract/operation.ts";
import { type Caller, mayCall } from "../access.ts";
import { roleOn } from "../organizations/project-roles.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import type { World } from "../state/world.ts";
import { missingInRole } from "./roles.ts";
import { organizationOf } from "../organizations/organization-of.ts";

const WRITING = { ...database.query, permissions: allOf("database_write") };

/**
 * Whether a caller may run SQL that writes. The operation takes either right, `database_write` or `database_read`: who holds the second alone,
 * by the token or by the role, has SQL run read-only.
 */
export function mayWriteSql(world: World, caller: Caller, project: ProjectRecord): boolean {
  if (!mayCall(caller, WRITING.permissions)) return false;
  const role = roleOn(world, organizationOf(world, project), caller.userId, project);
  return role !== undefined && missingInRole(WRITING, role) === undefined;
}
