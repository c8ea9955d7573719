import { z } from "zod";
import { DATABASE_STATUSES } from "../../api/contract/fields.ts";
import { lifeSchema } from "../state/life.ts";

export type DatabaseStatus = (typeof DATABASE_STATUSES)[number];

/** A read replica under its identifier. One that is REMOVED is gone. */
const replicaRecord = z
  .strictObject({
    identifier: z.string(),
    region: z.string(),
    createdAtMs: z.number(),
    life: lifeSchema(DATABASE_STATUSES),
  })
  .readonly();
export type ReplicaRecord = z.output<typeof replicaRecord>;
export const readReplicas = { name: "readReplicas", row: replicaRecord } as const;
