import { backups } from "../../api/contract/backups.ts";
import { logDrains } from "../../api/contract/log-drains.ts";
import type { Plan } from "../../api/contract/operation.ts";
import type { Entitlement } from "../../api/contract/organization-members.ts";
import { readReplicas } from "../../api/contract/read-replicas.ts";
import { vanitySubdomain } from "../../api/contract/vanity-subdomain.ts";
import type { OrganizationRecord } from "./organization-state.ts";
import { FILE_SIZE_OF_PLAN } from "../services/storage-state.ts";

/** What an organization's plan allows, told from where it is enforced: the operations' plans, its quotas, the limits of storage. */

const ABOVE_FREE: readonly Plan[] = ["pro", "team", "enterprise"];

/** Features that a plan has or has not. */
const FEATURES: Readonly<Record<string, readonly Plan[]>> = {
  "backup.schedule": backups.updateSchedule.plans,
  "instances.read_replicas": readReplicas.setup.plans,
  log_drains: logDrains.create.plans,
  vanity_subdomain: vanitySubdomain.activate.plans,
  // add-ons and hooks are refused on the free plan
  "auth.hooks": ABOVE_FREE,
  custom_domain: ABOVE_FREE,
  ipv4: ABOVE_FREE,
  pitr: ABOVE_FREE,
};

/** Of features by their key: whether the plan has them, and how much of those that are counted. */
export function entitlementsOf({ plan, quotas }: OrganizationRecord): Entitlement[] {
  const switches = Object.entries(FEATURES).map(([key, plans]) => {
    const hasAccess = plan === "platform" || plans.includes(plan);
    return { feature: { key, type: "boolean" }, hasAccess, type: "boolean", config: { enabled: hasAccess } };
  });
  const amounts = Object.entries({
    "function.max_count": quotas.functionsPerProject,
    "projects.max_count": quotas.projects,
    "secrets.max_count": quotas.secretsPerProject,
    "storage.max_file_size": FILE_SIZE_OF_PLAN[plan],
  }).map(([key, value]) => ({
    feature: { key, type: "numeric" },
    hasAccess: value > 0,
    type: "numeric",
    config: { enabled: value > 0, value },
  }));
  return [...switches, ...amounts].toSorted((a, b) => (a.feature.key < b.feature.key ? -1 : 1));
}
