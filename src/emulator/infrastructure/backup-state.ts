import { z } from "zod";

/** When the daily backup of a project is made. Oldest change first; none: the platform's own time. */
const scheduleRow = z
  .strictObject({
    changes: z.array(z.strictObject({ scheduleFor: z.string(), atMs: z.number() }).readonly()).readonly(),
  })
  .readonly();
export type ScheduleRow = z.output<typeof scheduleRow>;
export const backupSchedule = { name: "backupSchedule", row: scheduleRow, default: { changes: [] } } as const;
