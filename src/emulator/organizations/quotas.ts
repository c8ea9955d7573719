import type { Plan } from "../../api/contract/operation.ts";
import type { Quotas } from "./organization-state.ts";

/** How much each plan allows where nothing else is said. "~100 secrets per project" on all (facts.md §2). */
export const DEFAULT_QUOTAS: Readonly<Record<Plan, Quotas>> = {
  free: { projects: 2, functionsPerProject: 100, secretsPerProject: 100 },
  pro: { projects: 100, functionsPerProject: 500, secretsPerProject: 100 },
  team: { projects: 500, functionsPerProject: 1000, secretsPerProject: 100 },
  enterprise: { projects: 10_000, functionsPerProject: 10_000, secretsPerProject: 100 },
  platform: { projects: 10_000, functionsPerProject: 10_000, secretsPerProject: 100 },
};
