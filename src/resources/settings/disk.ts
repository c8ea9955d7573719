import { z } from "zod";
import { choice } from "../fields.ts";

const positive = z.int().min(1).max(1_000_000);

/** spec.disk. Source: facts.md §2, disk POST. */
export const diskSettings = z
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
