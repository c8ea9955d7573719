import { z } from "zod";
import { choice } from "../fields.ts";
import { type Rule, ruled } from "../rules.ts";

const positive = z.int().min(1).max(1_000_000);

const ofGp3: Rule<{ readonly type?: string | undefined; readonly throughputMibps?: number | undefined }> = {
  cel: "!has(self.throughputMibps) || !has(self.type) || self.type == 'GP3'",
  message: "an IO2 disk has no throughput of its own: remove throughputMibps, or write type GP3",
  fieldPath: ".throughputMibps",
  holds: ({ type, throughputMibps }) => throughputMibps === undefined || type !== "IO2",
};

const diskObject = z
  .object({
    type: choice("Kind of the disk.", ["GP3", "IO2"]).optional(),
    sizeGb: positive
      .describe("Least size in GB. A disk never shrinks: one that is larger, or grew by itself, is left as it is.")
      .optional(),
    iops: positive.describe("Operations a second.").optional(),
    throughputMibps: positive.describe("Throughput in MiB a second; of a GP3 disk alone.").optional(),
  })
  .describe(
    "The disk of the primary database. After a change it rests for hours, until which another change waits. How it grows by itself is told in " +
      "status.diskAutoscale and cannot be set. What is not declared is left as it is.",
  );

/** spec.disk. Source: facts.md §2, disk POST. */
export const diskSettings = ruled(diskObject, [ofGp3]);
