import type { Plan } from "../../api/contract/operation.ts";
import { DAY_MS } from "../state/spans.ts";
import type { ScheduleRecord } from "./backup-state.ts";

/** Daily backups as they follow from a schedule and the time: nothing has to tick for them to be made. Pure. */

/** Time of day of the backup where nobody set one, UTC. */
const PLATFORM_TIME = "03:00:00";

/** How many days backups are kept. */
export const RETENTION_DAYS: Readonly<Record<Plan, number>> = {
  free: 0,
  pro: 7,
  team: 14,
  enterprise: 30,
  platform: 30,
};

/** Wall times, milliseconds. */
export interface BackupSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * When backups began within a span, oldest first. A new time holds from its setting on: "the next window containing it; if the time
 * already passed today, first run is the next day" (behaviour.md, States).
 */
export function backupTimes({ changes }: ScheduleRecord, { fromMs, toMs }: BackupSpan): readonly number[] {
  const settings = [{ scheduleFor: PLATFORM_TIME, atMs: -Infinity }, ...changes];
  return settings.flatMap(({ scheduleFor, atMs }, index) =>
    daily(scheduleFor, {
      fromMs: Math.max(fromMs, atMs),
      toMs: Math.min(toMs, settings[index + 1]?.atMs ?? Infinity),
    }),
  );
}

/** Every occurrence of a time of day in a span, its end excluded. */
function daily(timeOfDay: string, { fromMs, toMs }: BackupSpan): readonly number[] {
  const [hours = 0, minutes = 0, seconds = 0] = timeOfDay.split(":").map(Number);
  const offsetMs = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  const firstDay = Math.ceil((fromMs - offsetMs) / DAY_MS);
  const count = Math.max(0, Math.ceil((toMs - offsetMs) / DAY_MS) - firstDay);
  return Array.from({ length: count }, (_, index) => (firstDay + index) * DAY_MS + offsetMs);
}
