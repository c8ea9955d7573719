import { z } from "zod";

/** When the daily backup of a project is made. Oldest change first; none: the platform's own time. */
const scheduleRecord = z
  .strictObject({
    changes: z.array(z.strictObject({ scheduleFor: z.string(), atMs: z.number() }).readonly()).readonly(),
  })
  .readonly();
export type ScheduleRecord = z.output<typeof scheduleRecord>;
export const backupSchedule = { name: "backupSchedule", row: scheduleRecord, default: { changes: [] } } as const;
