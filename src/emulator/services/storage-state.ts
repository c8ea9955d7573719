import { z } from "zod";
import { MOST_FILE_SIZE, UPSTREAM_TARGETS } from "../../api/contract/storage.ts";
import type { Plan } from "../../api/contract/operation.ts";

/** Storage of a project: its configuration and its buckets. */

const amount = z.number();
const storageRecord = z
  .strictObject({
    /** bytes */
    fileSizeLimit: z.number(),
    features: z
      .strictObject({
        imageTransformation: z.strictObject({ enabled: z.boolean() }),
        s3Protocol: z.strictObject({ enabled: z.boolean() }),
        icebergCatalog: z.strictObject({
          enabled: z.boolean(),
          maxNamespaces: amount,
          maxTables: amount,
          maxCatalogs: amount,
        }),
        vectorBuckets: z.strictObject({ enabled: z.boolean(), maxBuckets: amount, maxIndexes: amount }),
      })
      .readonly(),
    upstreamTarget: z.enum(UPSTREAM_TARGETS),
  })
  .readonly();
export type StorageRecord = z.output<typeof storageRecord>;

/** "fileSizeLimit 52428800 (50 MiB)" (facts.md §4); the texts show no other default of storage. */
const FRESH_STORAGE: StorageRecord = {
  fileSizeLimit: 52_428_800,
  features: {
    imageTransformation: { enabled: false },
    s3Protocol: { enabled: true },
    icebergCatalog: { enabled: false, maxNamespaces: 10, maxTables: 10, maxCatalogs: 2 },
    vectorBuckets: { enabled: false, maxBuckets: 10, maxIndexes: 5 },
  },
  upstreamTarget: "main",
};

export const storageConfig = { name: "storageConfig", row: storageRecord, default: FRESH_STORAGE } as const;

/** The largest file that a plan allows, bytes. */
export const FILE_SIZE_OF_PLAN: Readonly<Record<Plan, number>> = {
  free: 52_428_800,
  pro: MOST_FILE_SIZE,
  team: MOST_FILE_SIZE,
  enterprise: MOST_FILE_SIZE,
  platform: MOST_FILE_SIZE,
};

/** Under the bucket's id, which is its name. */
const bucketRecord = z
  .strictObject({
    name: z.string(),
    public: z.boolean(),
    owner: z.string(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
  })
  .readonly();
export type BucketRecord = z.output<typeof bucketRecord>;
export const buckets = { name: "buckets", row: bucketRecord } as const;
