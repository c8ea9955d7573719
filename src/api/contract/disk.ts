import { z } from "zod";
import { CONFIG_GONE, DISK_TYPES, USUAL_ERRORS_500, noQuery, openEnum, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Disk": the volume of the primary database. */

const positive = z.number().int().positive();

/** Wanted attributes: one of two forms, all above 0 (facts.md §2, disk POST). */
export const wantedDiskSchema = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("gp3"),
    iops: positive,
    size_gb: positive,
    throughput_mibps: positive.optional(),
  }),
  z.strictObject({ type: z.literal("io2"), iops: positive, size_gb: positive }),
]);
export type WantedDisk = z.output<typeof wantedDiskSchema>;

export const diskSchema = response({
  attributes: response({
    type: openEnum(DISK_TYPES),
    iops: z.number().int(),
    size_gb: z.number().int(),
    throughput_mibps: z.number().int().optional(),
  }),
  last_modified_at: z.string().optional(),
});

const diskAutoscaleSchema = response({
  growth_percent: z.number().int().nullable(),
  min_increment_gb: z.number().int().nullable(),
  max_size_gb: z.number().int().nullable(),
});

const common = {
  params: projectParams,
  query: noQuery,
  limitScope: "project",
  stability: "stable",
  scopes: [],
} as const;
const read = {
  ...common,
  method: "GET",
  errors: [...CONFIG_GONE, ...USUAL_ERRORS_500],
  permissions: allOf("infra_disk_config_read"),
  retry: "read",
} as const;

export const disk = {
  get: operation({
    ...read,
    id: "disk.get",
    summary: "Read the disk's attributes",
    path: "/v1/projects/{ref}/config/disk",
    success: { kind: "json", status: 200, schema: diskSchema },
  }),
  update: operation({
    ...common,
    id: "disk.update",
    summary: "Change the disk's attributes; another change is refused for about six hours",
    method: "POST",
    path: "/v1/projects/{ref}/config/disk",
    body: { encoding: "json", schema: z.strictObject({ attributes: wantedDiskSchema }) },
    success: { kind: "empty", status: 201, body: {} },
    errors: [400, 404, ...USUAL_ERRORS_500],
    permissions: allOf("infra_disk_config_write"),
    retry: "once",
  }),
  utilization: operation({
    ...read,
    id: "disk.utilization",
    summary: "Read how full the disk is",
    path: "/v1/projects/{ref}/config/disk/util",
    success: {
      kind: "json",
      status: 200,
      schema: response({
        timestamp: z.string(),
        metrics: response({
          fs_size_bytes: z.number().int(),
          fs_avail_bytes: z.number().int(),
          fs_used_bytes: z.number().int(),
        }),
      }),
    },
  }),
  autoscale: operation({
    ...read,
    id: "disk.autoscale",
    summary: "Read how the disk grows by itself",
    path: "/v1/projects/{ref}/config/disk/autoscale",
    success: { kind: "json", status: 200, schema: diskAutoscaleSchema },
  }),
} as const;
