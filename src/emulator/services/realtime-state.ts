import { z } from "zod";
import { realtimeSettings } from "../../api/contract/realtime.ts";

/** Realtime of a project. */
const realtimeRecord = z
  .strictObject({
    settings: realtimeSettings.readonly(),
    /** when its connections were shut down last; the service is back a little later */
    shutDownAtMs: z.number().optional(),
  })
  .readonly();
type RealtimeRecord = z.output<typeof realtimeRecord>;

/** Of a fresh project; the contract texts show no defaults of realtime. */
const FRESH_REALTIME: RealtimeRecord = {
  settings: {
    private_only: false,
    connection_pool: 2,
    max_concurrent_users: 200,
    max_events_per_second: 100,
    max_bytes_per_second: 100_000,
    max_channels_per_client: 100,
    max_joins_per_second: 100,
    max_presence_events_per_second: 100,
    max_payload_size_in_kb: 3000,
    suspend: false,
    presence_enabled: true,
  },
};
export const realtimeConfig = { name: "realtimeConfig", row: realtimeRecord, default: FRESH_REALTIME } as const;
