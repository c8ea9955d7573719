import type { ServiceHealth } from "../../api/contract/projects.ts";
import type { Reason } from "../../resources/conditions.ts";

/** States of a project, and of the project that a branch has for itself (facts.md §1), and what each means. Pure. */

/** A state that passes by itself. */
export interface PassingState {
  readonly reason: Reason;
  /** names what is under way, for the status */
  readonly operation: string;
}

const PASSING: ReadonlyMap<string, PassingState> = new Map<string, PassingState>(
  Object.entries({
    UNKNOWN: { reason: "Provisioning", operation: "Creating" },
    COMING_UP: { reason: "Provisioning", operation: "Creating" },
    PAUSING: { reason: "Pausing", operation: "Pausing" },
    RESTORING: { reason: "Resuming", operation: "Resuming" },
    RESTARTING: { reason: "Updating", operation: "Restarting" },
    UPGRADING: { reason: "Upgrading", operation: "Upgrading" },
    RESIZING: { reason: "Resizing", operation: "Resizing" },
    PROMOTING: { reason: "Updating", operation: "Promoting" },
    GOING_DOWN: { reason: "Deleting", operation: "Deleting" },
    ACTIVE_UNHEALTHY: { reason: "Unhealthy", operation: "Recovering" },
  }),
);

/** States that do not pass by themselves. */
const FAILED: ReadonlySet<string> = new Set(["INIT_FAILED", "RESTORE_FAILED", "PAUSE_FAILED"]);

export function isFailedState(state: string): boolean {
  return FAILED.has(state);
}

const UP: ReadonlySet<string> = new Set(["ACTIVE_HEALTHY", "ACTIVE_UNHEALTHY"]);

/** Whether the project serves requests, well or not. */
export function isUp(state: string): boolean {
  return UP.has(state);
}

/** Whether it is up and not well. */
export function isUnwell(state: string): boolean {
  return isUp(state) && state !== "ACTIVE_HEALTHY";
}

/** What is under way; a state that nobody knows yet counts as passing, since enums are open. */
export function passingState(state: string): PassingState {
  return PASSING.get(state) ?? { reason: "Provisioning", operation: state };
}

/** What the state of something remote means for its object. */
export type Phase =
  | { readonly kind: "ready"; readonly reason: Reason; readonly message: string }
  /** ends by itself; `operation` is what is under way */
  | { readonly kind: "underway"; readonly reason: Reason; readonly operation: string; readonly message: string }
  | { readonly kind: "failed"; readonly reason: Reason; readonly message: string };

/** Health of one service, as a status shows it. */
export interface ShownService {
  readonly name: string;
  readonly healthy: boolean;
  readonly state: string;
}

/** Health as a status shows it: in a fixed order, so that it changes only when a service does. Pure. */
export function servicesOf(services: readonly ServiceHealth[]): readonly ShownService[] {
  return services
    .map(({ name, healthy, status }) => ({ name, healthy, state: status }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
