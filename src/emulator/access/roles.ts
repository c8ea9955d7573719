import type { Operation } from "../../api/contract/operation.ts";
import type { Role } from "../organizations/organization-state.ts";
import { missingPermissions } from "./permissions.ts";

/**
 * What members of an organization may do, by their role. The documents name the roles and not their rights; this table says them in the
 * permissions that the operations ask for, for tokens of every kind alike. docs/emulator/identity.md shows it.
 */

/** Changes to the organization, to what its projects are and cost, and to who gets in: for owners and administrators. */
export const ADMINISTRATION: ReadonlySet<string> = new Set([
  "organization_admin_write",
  "organization_projects_create",
  "project_admin_write",
  "backups_write",
  "custom_domain_write",
  "database_jit_write",
  "database_network_restrictions_write",
  "database_ssl_config_write",
  "infra_add_ons_write",
  "infra_disk_config_write",
  "infra_read_replicas_write",
  "vanity_subdomain_write",
]);

/** Work of every day, though its permission is also that of administration. */
const DEVELOPERS_TOO: ReadonlySet<string> = new Set([
  "projects.pause",
  "projects.restart",
  "projects.restore",
  "projects.cancelRestore",
]);

/** What the role lacks for the operation, in words; undefined: nothing. */
export function missingInRole(operation: Operation, role: Role): string | undefined {
  switch (role) {
    case "Owner":
    case "Administrator":
      return undefined;
    case "Developer":
      if (DEVELOPERS_TOO.has(operation.id)) return undefined;
      return missingPermissions(operation.permissions, (name) => !ADMINISTRATION.has(name));
    case "Read-only":
      if (operation.permissions.length === 0) return operation.retry === "read" ? undefined : "the right to change";
      return missingPermissions(
        operation.permissions,
        (name) => name.endsWith("_read") && !name.endsWith("_secret_read"),
      );
    default:
      return role satisfies never;
  }
}
