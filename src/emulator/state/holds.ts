import type { BranchStatus } from "../branches/branch-state.ts";
import type { ProjectStatus } from "../projects/project-state.ts";
import { hold, type Life } from "./life.ts";
import type { HoldRule } from "./service-state.ts";
import type { World } from "./world.ts";

/** A life as it is under the holds that are set: any that names the thing stops it. */
export function underHolds<S extends ProjectStatus | BranchStatus>(
  world: World,
  { kind, names }: { readonly kind: HoldRule["kind"]; readonly names: readonly string[] },
  life: Life<S>,
): Life<S> {
  return world.holds
    .filter((rule) => rule.kind === kind && names.includes(rule.refOrName))
    .reduce((held, rule) => holdIfReached(held, rule.at, world.clock.now()), life);
}

function holdIfReached<S extends string>(life: Life<S>, status: string, nowMs: number): Life<S> {
  const step = life.steps.find((candidate) => candidate.status === status);
  return step === undefined ? life : hold(life, step.status, nowMs);
}
