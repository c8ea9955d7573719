import { z } from "zod";
import { CONFIG_GONE, USUAL_ERRORS, noQuery, projectParams, response } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Realtime, REST layer, storage": realtime. */

/** Least and most of each number (facts.md §2, realtime PATCH). */
export const REALTIME_RANGES = {
  connection_pool: [1, 100],
  max_concurrent_users: [1, 50_000],
  max_events_per_second: [1, 50_000],
  max_bytes_per_second: [1, 10_000_000],
  max_channels_per_client: [1, 10_000],
  max_joins_per_second: [1, 5000],
  max_presence_events_per_second: [1, 5000],
  max_payload_size_in_kb: [1, 10_000],
} as const;

const within = ([least, most]: readonly [number, number]): z.ZodNumber => z.number().int().min(least).max(most);

/** The fields of RealtimeConfig with what may be written into each. */
const fields = {
  private_only: z.boolean(),
  connection_pool: within(REALTIME_RANGES.connection_pool),
  max_concurrent_users: within(REALTIME_RANGES.max_concurrent_users),
  max_events_per_second: within(REALTIME_RANGES.max_events_per_second),
  max_bytes_per_second: within(REALTIME_RANGES.max_bytes_per_second),
  max_channels_per_client: within(REALTIME_RANGES.max_channels_per_client),
  max_joins_per_second: within(REALTIME_RANGES.max_joins_per_second),
  max_presence_events_per_second: within(REALTIME_RANGES.max_presence_events_per_second),
  max_payload_size_in_kb: within(REALTIME_RANGES.max_payload_size_in_kb),
  suspend: z.boolean(),
  presence_enabled: z.boolean(),
} as const;

/** RealtimeConfig as it is stored and written. */
export const realtimeSettings = z.strictObject(fields);

const count = z.number().int().nullish();
const flag = z.boolean().nullish();

/** As it is read: ranges may widen on the service. */
const realtimeConfigSchema = response({
  private_only: flag,
  connection_pool: count,
  max_concurrent_users: count,
  max_events_per_second: count,
  max_bytes_per_second: count,
  max_channels_per_client: count,
  max_joins_per_second: count,
  max_presence_events_per_second: count,
  max_payload_size_in_kb: count,
  suspend: flag,
  presence_enabled: flag,
});

const onProject = {
  params: projectParams,
  query: noQuery,
  scopes: [],
  limitScope: "project",
  stability: "stable",
} as const;

export const realtime = {
  get: operation({
    ...onProject,
    id: "realtime.get",
    summary: "Read the configuration of realtime",
    method: "GET",
    path: "/v1/projects/{ref}/config/realtime",
    success: { kind: "json", status: 200, schema: realtimeConfigSchema },
    errors: [...CONFIG_GONE, ...USUAL_ERRORS],
    permissions: allOf("realtime_config_read"),
    retry: "read",
  }),
  update: operation({
    ...onProject,
    id: "realtime.update",
    summary: "Change the configuration of realtime; what is not said stays",
    method: "PATCH",
    path: "/v1/projects/{ref}/config/realtime",
    body: { encoding: "json", schema: realtimeSettings.partial() },
    success: { kind: "empty", status: 204 },
    errors: [400, 404, ...USUAL_ERRORS],
    permissions: allOf("realtime_config_write"),
    retry: "once",
  }),
  shutdown: operation({
    ...onProject,
    id: "realtime.shutdown",
    summary: "Shut down the realtime connections of a project",
    method: "POST",
    path: "/v1/projects/{ref}/config/realtime/shutdown",
    success: { kind: "empty", status: 204 },
    errors: [404, ...USUAL_ERRORS],
    permissions: allOf("realtime_config_write"),
    retry: "once",
  }),
} as const;
