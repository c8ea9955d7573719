import {
  UPGRADE_PROGRESS,
  UPGRADE_STATUS,
  type UpgradeEligibility,
  type UpgradeStatus,
} from "../../api/contract/upgrades.ts";
import { visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { isActive } from "./project-life.ts";
import type { ProjectRecord } from "./project-state.ts";
import { newestRelease, releaseOf, upgradeTargets } from "./releases.ts";
import type { PostgresRelease, EmulatedUpgrade } from "./upgrade-state.ts";
import { beginUpgrade, isEligible, upgradeAt, validationErrors } from "./upgrade-schedule.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";
import type { upgrades } from "../../api/contract/upgrades.ts";

type StartBody = HandlerRequest<(typeof upgrades)["start"]>["body"];

/** Upgrades of a project's database. */
export function upgradesHandlers(world: World): SectionHandlers<"upgrades"> {
  return {
    eligibility: ({ params, caller }) => eligibility(world, visibleProject(world, caller, params.ref)),
    start: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      refuseIneligible(world, project);
      return { tracking_id: beginUpgrade(world, project, targetOf(world, project, body)).trackingId };
    },
    status: ({ params, query, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const upgrade = world.upgrades.get(project.ref);
      const other = query.tracking_id !== undefined && query.tracking_id !== upgrade?.trackingId;
      return { databaseUpgradeStatus: upgrade === null || other ? null : progress(world, project, upgrade) };
    },
  };
}

function eligibility(world: World, project: ProjectRecord): UpgradeEligibility {
  const nowMs = world.clock.now();
  const current = releaseOf(project, nowMs);
  const obstacles = world.upgradeObstacles.get(project.ref);
  return {
    eligible: isEligible(world, project),
    current_app_version: current.version,
    current_app_version_release_channel: current.channel,
    latest_app_version: newestRelease(world, current.engine === "17-oriole" ? current.engine : undefined).version,
    target_upgrade_versions: upgradeTargets(world, current).map(({ version, engine, channel }) => ({
      postgres_version: engine,
      release_channel: channel,
      app_version: version,
    })),
    duration_estimate_hours: 1,
    legacy_auth_custom_roles: [...obstacles.legacyAuthCustomRoles],
    objects_to_be_dropped: [...obstacles.objectsToBeDropped],
    unsupported_extensions: [...obstacles.unsupportedExtensions],
    user_defined_objects_in_internal_schemas: [...obstacles.userDefinedObjectsInInternalSchemas],
    validation_errors: [...validationErrors(obstacles, statusAt(project.life, nowMs))],
    warnings: obstacles.warnings.map((type) => ({ type })),
  };
}

/** @throws ApiFailure 400 with what is in the way */
function refuseIneligible(world: World, project: ProjectRecord): void {
  const nowMs = world.clock.now();
  const status = statusAt(project.life, nowMs);
  const errors = validationErrors(world.upgradeObstacles.get(project.ref), status).map(({ type }) => type);
  if (errors.length > 0) throw badRequest(`Project is not eligible for an upgrade: ${errors.join(", ")}`);
  if (!isActive(status)) throw badRequest(`Project is not eligible for an upgrade, it is ${status}`);
  if (upgradeTargets(world, releaseOf(project, nowMs)).length === 0) {
    throw badRequest("Project is not eligible for an upgrade: it runs the newest version already");
  }
}

/** A target is named by its engine, which means the newest of it, or by its whole version. @throws ApiFailure 400 */
function targetOf(world: World, project: ProjectRecord, body: StartBody): PostgresRelease {
  const targets = upgradeTargets(world, releaseOf(project, world.clock.now()));
  const named = targets.filter(
    ({ version, engine, channel }) =>
      (engine === body.target_version || version === body.target_version) &&
      (body.release_channel === undefined || channel === body.release_channel),
  );
  const target = named.findLast(({ channel }) => channel === "ga") ?? named.at(-1);
  if (target !== undefined) return target;
  const possible = targets.map(({ version, channel }) => `'${version}' (${channel})`).join(" | ");
  throw badRequest(`target_version: Expected ${possible}, received '${body.target_version.slice(0, 80)}'`);
}

function progress(
  world: World,
  project: ProjectRecord,
  upgrade: EmulatedUpgrade,
): NonNullable<UpgradeStatus["databaseUpgradeStatus"]> {
  const { progress: step, sinceMs, error } = upgradeAt(upgrade, project, world.clock.now());
  const isOver = step === UPGRADE_PROGRESS.at(-1);
  return {
    initiated_at: new Date(upgrade.initiatedAtMs).toISOString(),
    latest_status_at: new Date(sinceMs).toISOString(),
    target_version: Number.parseInt(upgrade.target.engine, 10),
    ...(error === undefined ? {} : { error }),
    progress: step,
    status: error !== undefined ? UPGRADE_STATUS.failed : isOver ? UPGRADE_STATUS.upgraded : UPGRADE_STATUS.upgrading,
  };
}
