import { UPGRADE_ERRORS, UPGRADE_PROGRESS, type UpgradeEligibility } from "../../api/contract/upgrades.ts";
import { begin, type Phases, statusAt, stepAt } from "../state/life.ts";
import { isActive } from "./project-life.ts";
import type { ProjectRecord, ProjectStatus } from "./project-state.ts";
import { releaseOf, upgradeTargets } from "./releases.ts";
import { lasts } from "../state/settings.ts";
import type { PostgresRelease, UpgradeObstacles, EmulatedUpgrade } from "./upgrade-state.ts";
import { goThrough } from "./go-through.ts";
import { newId } from "../state/ids.ts";
import { updateProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";

/** Upgrades of a project's database: what stands in the way, and how one goes on over time. */

type UpgradeProgress = (typeof UPGRADE_PROGRESS)[number];
type UpgradeError = (typeof UPGRADE_ERRORS)[number];
type ValidationError = UpgradeEligibility["validation_errors"][number];

/** The project serves on its new version from this step on. */
const COMPLETED = UPGRADE_PROGRESS.indexOf("9_completed_upgrade");

/** What keeps a project from any upgrade, in the words of the API. */
export function validationErrors(obstacles: UpgradeObstacles, status: ProjectStatus): readonly ValidationError[] {
  const reported = obstacles.validationErrors.map(({ type, dependents }) => ({
    type,
    ...(dependents === undefined ? {} : { dependents: [...dependents] }),
  }));
  const follows = [
    ...(obstacles.unsupportedExtensions.length === 0 ? [] : ["unsupported_extension"]),
    ...(obstacles.userDefinedObjectsInInternalSchemas.length === 0 ? [] : ["user_defined_objects_in_internal_schemas"]),
    ...(status === "INACTIVE" || status === "PAUSING" ? ["project_hibernating"] : []),
  ];
  const more = follows.filter((type) => !reported.some((known) => known.type === type));
  return [...reported, ...more.map((type) => ({ type }))];
}

/** Whether an upgrade may begin now. */
export function isEligible(world: World, project: ProjectRecord): boolean {
  const nowMs = world.clock.now();
  const status = statusAt(project.life, nowMs);
  const errors = validationErrors(world.upgradeObstacles.get(project.ref), status);
  return isActive(status) && errors.length === 0 && upgradeTargets(world, releaseOf(project, nowMs)).length > 0;
}

/** Begins an upgrade; the caller has made sure that it may. It fails where an obstacle says so, once. */
export function beginUpgrade(world: World, project: ProjectRecord, target: PostgresRelease): EmulatedUpgrade {
  const nowMs = world.clock.now();
  const stepMs = lasts(world.settings, "upgradingMs") / COMPLETED;
  const obstacles = world.upgradeObstacles.get(project.ref);
  const error = obstacles.nextError;
  const last = error === null ? UPGRADE_PROGRESS.length - 1 : lastStepBefore(error);
  const [first, ...rest] = UPGRADE_PROGRESS;
  const steps: Phases<UpgradeProgress> = [
    { status: first, forMs: stepMs },
    ...rest.slice(0, last).map((status) => ({ status, forMs: stepMs })),
  ];
  const upgrade: EmulatedUpgrade = {
    trackingId: newId(),
    target,
    initiatedAtMs: nowMs,
    progress: begin(nowMs, steps),
    ...(error === null ? {} : { failure: { error, atMs: nowMs + stepMs * (last + 1) } }),
  };
  if (error !== null) world.upgradeObstacles.set(project.ref, { ...obstacles, nextError: null });
  world.upgrades.set(project.ref, upgrade);
  const completes = last >= COMPLETED;
  const upgradingMs = stepMs * (completes ? COMPLETED : last + 1);
  const running = updateProject(world, project, {
    release: releaseOf(project, nowMs),
    nextRelease: completes ? { fromMs: nowMs + upgradingMs, release: target } : undefined,
  });
  goThrough(world, running, [
    { status: "UPGRADING", forMs: upgradingMs },
    { status: "ACTIVE_HEALTHY", forMs: 0 },
  ]);
  return upgrade;
}

/** "Error n leaves the upgrade at progress n." */
function lastStepBefore(error: UpgradeError): number {
  return UPGRADE_ERRORS.indexOf(error) + 1;
}

/** How far an upgrade is. While a control call holds its project in UPGRADING it neither ends nor fails. */
export function upgradeAt(
  { progress, failure }: EmulatedUpgrade,
  project: ProjectRecord,
  nowMs: number,
): { readonly progress: UpgradeProgress; readonly sinceMs: number; readonly error?: UpgradeError } {
  const { status, atMs } = stepAt(progress, nowMs);
  if (statusAt(project.life, nowMs) === "UPGRADING") {
    const held = UPGRADE_PROGRESS[Math.min(UPGRADE_PROGRESS.indexOf(status), COMPLETED - 1)] ?? status;
    return { progress: held, sinceMs: progress.steps.find((step) => step.status === held)?.atMs ?? atMs };
  }
  if (failure === undefined || nowMs < failure.atMs) return { progress: status, sinceMs: atMs };
  return { progress: status, sinceMs: failure.atMs, error: failure.error };
}
