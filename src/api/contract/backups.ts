import { z } from "zod";
import { USUAL_ERRORS, USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Backups and replicas": backups, their schedule, going back in time. */

const BACKUP_STATUSES = ["COMPLETED", "FAILED", "PENDING", "REMOVED", "ARCHIVED", "CANCELLED"] as const;

export const backupsSchema = response({
  region: z.string(),
  walg_enabled: z.boolean(),
  pitr_enabled: z.boolean(),
  backups: z.array(
    response({
      id: z.number().int().optional(),
      is_physical_backup: z.boolean(),
      status: openEnum(BACKUP_STATUSES),
      inserted_at: z.string(),
    }),
  ),
  physical_backup_data: response({
    earliest_physical_backup_date_unix: z.number().int().optional(),
    latest_physical_backup_date_unix: z.number().int().optional(),
  }),
});
export type Backups = z.output<typeof backupsSchema>;

export const backupScheduleSchema = response({ schedule_for: z.string(), updated_at: z.string() });

/** Time of day, UTC. */
const timeOfDaySchema = z
  .string()
  .regex(/^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$/, 'expected a time of day as HH:MM:SS, such as "03:30:00"');

const common = { params: projectParams, query: noQuery, limitScope: "project", stability: "stable" } as const;
const read = { scopes: ["database:read"], permissions: allOf("backups_read") } as const;
const write = { scopes: ["database:write"], permissions: allOf("backups_write") } as const;
const schedule = {
  path: "/v1/projects/{ref}/database/backups/schedule",
  success: { kind: "json", status: 200, schema: backupScheduleSchema },
  plans: ["enterprise"],
} as const;

export const backups = {
  list: operation({
    ...common,
    ...read,
    id: "backups.list",
    summary: "List the backups",
    method: "GET",
    path: "/v1/projects/{ref}/database/backups",
    success: { kind: "json", status: 200, schema: backupsSchema },
    errors: [404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
  restorePitr: operation({
    ...common,
    ...write,
    id: "backups.restorePitr",
    summary: "Restore the database to a point in time",
    method: "POST",
    path: "/v1/projects/{ref}/database/backups/restore-pitr",
    body: {
      encoding: "json",
      /** seconds since the epoch */
      schema: z.strictObject({ recovery_time_target_unix: z.number().int().min(0) }),
    },
    success: { kind: "empty", status: 201, body: {} },
    errors: [400, 404, ...USUAL_ERRORS],
    retry: "once",
  }),
  getSchedule: operation({
    ...common,
    ...read,
    ...schedule,
    id: "backups.getSchedule",
    summary: "Read when the daily backup is made",
    method: "GET",
    errors: [402, 404, ...USUAL_ERRORS_500],
    retry: "read",
  }),
  updateSchedule: operation({
    ...common,
    ...write,
    ...schedule,
    id: "backups.updateSchedule",
    summary: "Set when the daily backup is made; at most three times in 24 hours",
    method: "PATCH",
    body: { encoding: "json", schema: z.strictObject({ schedule_for: timeOfDaySchema }) },
    errors: [400, 402, 404, ...USUAL_ERRORS_500],
    retry: "once",
  }),
} as const;
