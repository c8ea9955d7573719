import type { Backups } from "../../api/contract/backups.ts";
import { visibleProject } from "../access.ts";
import type { Databases } from "../postgres/database.ts";
import type { Recoverable } from "../postgres/past.ts";
import { badRequest, notFound } from "../failure.ts";
import type { ScheduleRecord } from "./backup-state.ts";
import { backupTimes, RETENTION_DAYS } from "./backup-times.ts";
import { statusAt } from "../state/life.ts";
import { isActive, restoring } from "../projects/project-life.ts";
import { goThrough } from "../projects/go-through.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { answered } from "../sql/sql.ts";
import { stayingProject } from "../state/presence.ts";
import { lasts } from "../state/settings.ts";
import { DAY_MS } from "../state/spans.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";
import { recoveryWindow, wholeSeconds } from "./recovery-window.ts";

/** "at most 3 updates per 24 hours" (behaviour.md, Other limits) */
const UPDATES_PER_DAY = 3;

/** Backups: daily ones, and going back to a point in time with the add-on for it. */
export function backupsHandlers(world: World, databases: Databases): SectionHandlers<"backups"> {
  return {
    list: ({ params, caller }) => backupsOutput(world, visibleProject(world, caller, params.ref)),
    restorePitr: async ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const target = body.recovery_time_target_unix;
      refuseRestore(world, ref, target);
      const restored = databases.inTurn(ref, async (turn) => {
        refuseRestore(world, ref, target); // it may have waited until the project was paused, or gave up the add-on
        await turn.restore(target * 1000, () => refuseUnlessRunning(world, ref)); // it may have waited for room
        goThroughRestore(world, ref); // what waits behind it finds the project that way
      });
      await answered(restored);
      return undefined;
    },
    getSchedule: ({ params, caller }) =>
      scheduleOutput(world.backupSchedule.get(visibleProject(world, caller, params.ref).ref)),
    updateSchedule: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const changed = rescheduled(world.backupSchedule.get(ref), body.schedule_for, world.clock.now());
      world.backupSchedule.set(ref, changed);
      return scheduleOutput(changed);
    },
  };
}

function backupsOutput(world: World, project: ProjectRecord): Backups {
  const nowMs = world.clock.now();
  const { plan } = organizationOf(world, project);
  const keptFromMs = Math.max(project.createdAtMs, nowMs - RETENTION_DAYS[plan] * DAY_MS);
  const doneAfterMs = lasts(world.settings, "backupMs");
  const window = recoveryWindow(world, project.ref);
  return {
    region: project.region,
    walg_enabled: true,
    pitr_enabled: window !== undefined,
    backups: backupTimes(world.backupSchedule.get(project.ref), { fromMs: keptFromMs, toMs: nowMs })
      .map((atMs) => ({
        id: Math.floor(atMs / 1000), // no two begin in one second
        is_physical_backup: true,
        status: nowMs < atMs + doneAfterMs ? "PENDING" : "COMPLETED",
        inserted_at: new Date(atMs).toISOString(),
      }))
      .toReversed(),
    physical_backup_data: window === undefined ? {} : physicalOutput(window),
  };
}

function physicalOutput(window: Recoverable): Backups["physical_backup_data"] {
  const { earliest, latest } = wholeSeconds(window);
  return { earliest_physical_backup_date_unix: earliest, latest_physical_backup_date_unix: latest };
}

/** @throws ApiFailure 404; 400 without the add-on, outside the window, and while the project is not active */
function refuseRestore(world: World, ref: string, targetSeconds: number): void {
  presentProject(world, ref);
  const window = recoveryWindow(world, ref);
  if (window === undefined) throw badRequest("PITR is not enabled for this project");
  const { earliest, latest } = wholeSeconds(window);
  if (targetSeconds < earliest || targetSeconds > latest) {
    throw badRequest(
      `recovery_time_target_unix: expected seconds since the epoch from ${earliest} to ${latest}, received ${targetSeconds}`,
    );
  }
  refuseUnlessRunning(world, ref);
}

/** @throws ApiFailure 400, 404 */
function refuseUnlessRunning(world: World, ref: string): void {
  const status = statusAt(presentProject(world, ref).life, world.clock.now());
  if (!isActive(status)) throw badRequest(`Project cannot be restored to a point in time, it is ${status}`);
}

/** The database is restored: what the project shows of it, unless it was paused or the like meanwhile. @throws ApiFailure 404 */
function goThroughRestore(world: World, ref: string): void {
  const project = presentProject(world, ref);
  if (isActive(statusAt(project.life, world.clock.now()))) goThrough(world, project, restoring(world.settings));
}

/** @throws ApiFailure 404 */
function presentProject(world: World, ref: string): ProjectRecord {
  const project = stayingProject(world, ref);
  if (project === undefined) throw notFound("Project");
  return project;
}

/** @throws ApiFailure 404 where none was ever set */
function scheduleOutput({ changes }: ScheduleRecord): { schedule_for: string; updated_at: string } {
  const latest = changes.at(-1);
  if (latest === undefined) throw notFound("Backup schedule");
  return { schedule_for: latest.scheduleFor, updated_at: new Date(latest.atMs).toISOString() };
}

/** Changes that no kept backup depends on are forgotten, but for the newest of them. @throws ApiFailure 400 for a fourth one in a day */
function rescheduled({ changes }: ScheduleRecord, scheduleFor: string, nowMs: number): ScheduleRecord {
  const recent = changes.filter(({ atMs }) => atMs > nowMs - DAY_MS);
  const [oldest] = recent;
  if (oldest !== undefined && recent.length >= UPDATES_PER_DAY) {
    const again = new Date(oldest.atMs + DAY_MS).toISOString();
    throw badRequest(`The backup schedule can be updated ${UPDATES_PER_DAY} times in 24 hours; again from ${again} on`);
  }
  const longestMs = Math.max(...Object.values(RETENTION_DAYS)) * DAY_MS;
  const neededFrom = Math.max(
    0,
    changes.findLastIndex(({ atMs }) => atMs <= nowMs - longestMs),
  );
  return { changes: [...changes.slice(neededFrom), { scheduleFor, atMs: nowMs }] };
}
