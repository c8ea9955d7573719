import { annotations } from "../../resources/annotations.ts";
import { terminal } from "../shared/failures.ts";
import type { BranchContext, BranchRun } from "./context.ts";

/** How often a branch that is gone is looked for all the same, milliseconds: a mistaken answer must heal. */
const RECHECK_MS = 300_000;

/** What follows when a recorded branch is gone. */
export type AfterLoss =
  | { readonly kind: "recreate" }
  /** @property why what keeps it from being made again, for people */
  | { readonly kind: "leave"; readonly why: string };

/**
 * Decides whether a recorded branch that is gone is made again. engine.md §4: "a recorded Project or persistent Branch" never is by itself;
 * what holds no data is restored. So a non-persistent one is, although it costs a rebuild: it was declared, and nothing in it was meant to
 * last. The default branch stands for the project itself, and reading alone, or reporting alone, makes nothing.
 */
export function afterLoss(run: BranchRun, { object, place, policies }: BranchContext, ref: string): AfterLoss {
  const { persistent, isDefault, syncedGeneration, parentRef } = run.status.current;
  if (policies.managementPolicy.value === "Observe") {
    return { kind: "leave", why: "managementPolicy Observe creates nothing" };
  }
  if (object.metadata.annotations?.[annotations.recreate] === ref) return { kind: "recreate" };
  if (isDefault === true) return { kind: "leave", why: "it was the default branch of its project" };
  if (persistent === true || object.spec.persistent === true) return { kind: "leave", why: "it was persistent" };
  // A project that was made anew never had it: that is no drift.
  const inForce =
    syncedGeneration === object.metadata.generation && (parentRef ?? place.projectRef) === place.projectRef;
  if (inForce && policies.driftPolicy.value !== "Correct") {
    return { kind: "leave", why: `driftPolicy ${policies.driftPolicy.value} repairs nothing` };
  }
  return { kind: "recreate" };
}

interface Missing {
  readonly why: string;
  /** until it is believed to be gone for good, milliseconds */
  readonly leftMs: number;
}

/** The failure to end a run with whose branch is gone and not made again. */
export function remoteMissing(run: BranchRun, ref: string, { why, leftMs }: Missing): Error {
  run.status.update({ state: undefined, projectState: undefined, services: undefined, underway: undefined });
  return terminal(
    "RemoteMissing",
    `the branch ${ref} does not exist any more and is not made again by itself (${why}): delete this object, ` +
      `or annotate it ${annotations.recreate}: ${ref} to have a new branch created`,
    { recheckAfterMs: leftMs > 0 ? leftMs : RECHECK_MS },
  );
}
