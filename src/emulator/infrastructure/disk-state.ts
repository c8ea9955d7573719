import { z } from "zod";
import { wantedDiskSchema } from "../../api/contract/disk.ts";

/** The disk of a project's primary database, and the read-only mode into which a full one puts it. */

/** How the disk grows by itself; null where nothing is set. */
export const autoscaleSchema = z.strictObject({
  growthPercent: z.number().int().min(1).max(100).nullable(),
  minIncrementGb: z.number().int().min(1).nullable(),
  maxSizeGb: z.number().int().min(1).nullable(),
});

const diskRecord = z
  .strictObject({
    attributes: wantedDiskSchema.readonly(),
    usedBytes: z.number(),
    /** size of the file system until the last change is applied */
    previousSizeGb: z.number(),
    modifiedAtMs: z.number().optional(),
    appliedAtMs: z.number(),
    autoscale: autoscaleSchema.readonly(),
  })
  .readonly();
export type DiskRecord = z.output<typeof diskRecord>;

export const BYTES_PER_GB = 1024 ** 3;
const DEFAULT_SIZE_GB = 8;

export const disk = {
  name: "disk",
  row: diskRecord,
  default: {
    attributes: { type: "gp3", iops: 3000, size_gb: DEFAULT_SIZE_GB, throughput_mibps: 125 },
    usedBytes: BYTES_PER_GB,
    previousSizeGb: DEFAULT_SIZE_GB,
    appliedAtMs: 0,
    autoscale: { growthPercent: 50, minIncrementGb: 4, maxSizeGb: 60_000 },
  },
} as const;

/** From this share of the disk on, the database takes no more writes. */
const READ_ONLY_ABOVE = 0.95;

export function fileSystemBytes({ attributes, previousSizeGb, appliedAtMs }: DiskRecord, nowMs: number): number {
  return (nowMs < appliedAtMs ? previousSizeGb : attributes.size_gb) * BYTES_PER_GB;
}

/** Whether the disk is so full that the database is put into read-only mode. */
export function isFull(row: DiskRecord, nowMs: number): boolean {
  return row.usedBytes >= fileSystemBytes(row, nowMs) * READ_ONLY_ABOVE;
}

const readOnlyRecord = z
  .strictObject({
    /** end of the last override: "15 minutes" (behaviour.md, Other limits) */
    overrideUntilMs: z.number(),
  })
  .readonly();
export const readOnlyMode = { name: "readOnlyMode", row: readOnlyRecord, default: { overrideUntilMs: 0 } } as const;
