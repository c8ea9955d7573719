import { z } from "zod";
import { CONFIG_GONE, USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Realtime, REST layer, storage": storage. */

/** bytes (facts.md §2, storage PATCH) */
export const MOST_FILE_SIZE = 536_870_912_000;
/** facts.md §1, "storage external.upstreamTarget" */
export const UPSTREAM_TARGETS = ["main", "canary"] as const;

const amount = z.number().int().min(0).optional();

/** "features each {enabled,…}" (facts.md §2) */
const storageFeatures = z.strictObject({
  imageTransformation: z.strictObject({ enabled: z.boolean() }).optional(),
  s3Protocol: z.strictObject({ enabled: z.boolean() }).optional(),
  icebergCatalog: z
    .strictObject({ enabled: z.boolean(), maxNamespaces: amount, maxTables: amount, maxCatalogs: amount })
    .optional(),
  vectorBuckets: z.strictObject({ enabled: z.boolean(), maxBuckets: amount, maxIndexes: amount }).optional(),
});

const storageUpdate = z.strictObject({
  /** bytes */
  fileSizeLimit: z.number().int().min(0).max(MOST_FILE_SIZE).optional(),
  features: storageFeatures.optional(),
  external: z.strictObject({ upstreamTarget: z.enum(UPSTREAM_TARGETS) }).optional(),
});
export type StorageUpdate = z.output<typeof storageUpdate>;

const enabled = response({ enabled: z.boolean() });
const seenAmount = z.number().int().nullish();

export const storageConfigSchema = response({
  /** bytes */
  fileSizeLimit: z.number().int(),
  features: response({
    imageTransformation: enabled.optional(),
    s3Protocol: enabled.optional(),
    icebergCatalog: response({
      enabled: z.boolean(),
      maxNamespaces: seenAmount,
      maxTables: seenAmount,
      maxCatalogs: seenAmount,
    }).optional(),
    vectorBuckets: response({ enabled: z.boolean(), maxBuckets: seenAmount, maxIndexes: seenAmount }).optional(),
  }),
  capabilities: response({ list_v2: z.boolean().optional(), iceberg_catalog: z.boolean().optional() }).optional(),
  external: response({ upstreamTarget: openEnum(UPSTREAM_TARGETS) }).optional(),
  migrationVersion: z.string().optional(),
  databasePoolMode: z.string().optional(),
});
export type StorageConfig = z.output<typeof storageConfigSchema>;

export const bucketSchema = response({
  id: z.string(),
  name: z.string(),
  owner: z.string().nullish(),
  created_at: z.string(),
  updated_at: z.string(),
  public: z.boolean(),
});
export type Bucket = z.output<typeof bucketSchema>;

const onProject = { params: projectParams, query: noQuery, limitScope: "project", stability: "stable" } as const;

export const storage = {
  get: operation({
    ...onProject,
    id: "storage.get",
    summary: "Read the configuration of storage",
    method: "GET",
    path: "/v1/projects/{ref}/config/storage",
    success: { kind: "json", status: 200, schema: storageConfigSchema },
    errors: [...CONFIG_GONE, ...USUAL_ERRORS_500],
    scopes: [],
    permissions: allOf("storage_config_read"),
    retry: "read",
  }),
  update: operation({
    ...onProject,
    id: "storage.update",
    summary: "Change the configuration of storage; what is not said stays",
    method: "PATCH",
    path: "/v1/projects/{ref}/config/storage",
    body: { encoding: "json", schema: storageUpdate },
    success: { kind: "empty", status: 200 },
    errors: [400, 404, ...USUAL_ERRORS_500],
    scopes: [],
    permissions: allOf("storage_config_write"),
    retry: "once",
  }),
  listBuckets: operation({
    ...onProject,
    id: "storage.listBuckets",
    summary: "List the buckets of a project",
    method: "GET",
    path: "/v1/projects/{ref}/storage/buckets",
    success: { kind: "json", status: 200, schema: z.array(bucketSchema) },
    errors: [404, ...USUAL_ERRORS_500],
    scopes: ["storage:read"],
    permissions: allOf("storage_read"),
    retry: "read",
  }),
} as const;
