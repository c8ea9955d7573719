import type { Branch } from "../../api/contract/branches.ts";
import type { BranchStatus } from "../../resources/branch/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { isFailedState, passingState, type Phase } from "../shared/project-states.ts";

type Status = DeepReadonly<BranchStatus>;

/** What the platform says of a branch. */
export interface BranchCondition {
  /** state of the branch itself: what its workflow has come to */
  readonly state: string;
  /** state of the project that the branch has; undefined where the platform does not say */
  readonly projectState: string | undefined;
  /** services that are not healthy; asked for only when `mayServe` */
  readonly unhealthy: readonly string[];
  /** whether MIGRATIONS_PASSED is where this branch ends: see `endsWithMigrations` */
  readonly migrationsAreTheEnd: boolean;
}

/** States of a branch that pass by themselves, and what is under way in them. */
const PASSING: ReadonlyMap<string, string> = new Map([
  ["CREATING_PROJECT", "Creating"],
  ["RUNNING_MIGRATIONS", "Migrating"],
  ["MIGRATIONS_PASSED", "DeployingFunctions"],
]);

/** Whether an action run works on the branch, so that another one has to wait. Pure. */
export function isAtWork(state: string): boolean {
  return state === "CREATING_PROJECT" || state === "RUNNING_MIGRATIONS";
}

const FAILED: ReadonlySet<string> = new Set(["MIGRATIONS_FAILED", "FUNCTIONS_FAILED"]);

/** How long a branch may stand at MIGRATIONS_PASSED before no functions are expected any more, milliseconds. */
const FUNCTIONS_AWAITED_MS = 300_000;

/**
 * Whether MIGRATIONS_PASSED is the end of a branch's way. FUNCTIONS_DEPLOYED is final by its name (facts.md §1); of MIGRATIONS_PASSED the
 * facts do not say whether a branch without functions goes on from it. So it counts as final once a branch has stood there for five minutes:
 * never Ready too early, and never stalled for want of functions. Pure.
 *
 * @param sinceMs for how long the branch has been seen there, milliseconds
 */
export function endsWithMigrations(sinceMs: number): boolean {
  return sinceMs >= FUNCTIONS_AWAITED_MS;
}

function isFinal({ state, migrationsAreTheEnd }: Pick<BranchCondition, "state" | "migrationsAreTheEnd">): boolean {
  return state === "FUNCTIONS_DEPLOYED" || (state === "MIGRATIONS_PASSED" && migrationsAreTheEnd);
}

/** Whether all that is left to ask is how the services do (K-24). Pure. */
export function mayServe(condition: Omit<BranchCondition, "unhealthy">): boolean {
  return isFinal(condition) && condition.projectState === "ACTIVE_HEALTHY";
}

/**
 * Reads what the platform says. Pure; states that nobody knows yet count as under way, since enums are open. Ready needs a final, good
 * state, the branch's project up, and every service healthy (K-24).
 */
export function phaseOf(condition: BranchCondition): Phase {
  const { state, projectState, unhealthy } = condition;
  const failed = [FAILED.has(state) ? state : "", projectState ?? ""].find(
    (name) => FAILED.has(name) || isFailedState(name),
  );
  if (failed !== undefined) {
    const message = `the platform reports ${failed}: see the branch on the platform; nothing is deleted or made again by itself`;
    return { kind: "failed", reason: "ProvisioningFailed", message };
  }
  if (!isFinal(condition)) {
    const operation = PASSING.get(state) ?? state;
    return { kind: "underway", reason: "Provisioning", operation, message: `the branch is ${state}` };
  }
  if (projectState === "INACTIVE") {
    const message =
      "the platform paused the project of the branch: restore it there, by its ref in status.ref, or delete this object; what is declared is applied once it runs";
    return { kind: "failed", reason: "Paused", message };
  }
  if (projectState !== "ACTIVE_HEALTHY") {
    const known = projectState ?? "of a state that the platform does not tell";
    const message = `the project of the branch is ${known}`;
    return { kind: "underway", ...passingState(projectState ?? "UNKNOWN"), message };
  }
  if (unhealthy.length === 0) return { kind: "ready", reason: "Available", message: "the branch is as declared" };
  const message = `not healthy: ${unhealthy.join(", ")}`;
  return { kind: "underway", reason: "Unhealthy", operation: "Recovering", message };
}

/** The platform's facts as the status shows them. Pure. */
export function factsOf(remote: Branch): Partial<Status> {
  return {
    id: remote.id,
    ref: remote.project_ref,
    parentRef: remote.parent_project_ref,
    name: remote.name,
    state: remote.status,
    isDefault: remote.is_default,
    persistent: remote.persistent,
    createdAt: remote.created_at,
    deletionScheduledAt: remote.deletion_scheduled_at ?? undefined,
  };
}
