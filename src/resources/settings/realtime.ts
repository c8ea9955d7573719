import { z } from "zod";
import { flag, integer, size } from "./builders.ts";

const perSecond = (max: number) => ({ min: 1, max });

/** spec.realtime. Ranges: facts.md §2, realtime PATCH. */
export const realtimeSettings = z
  .object({
    privateOnly: flag("private_only", "Whether only private channels are allowed."),
    connectionPool: integer("connection_pool", "Connections to the database that realtime keeps.", {
      min: 1,
      max: 100,
    }),
    maxConcurrentUsers: integer("max_concurrent_users", "Most clients connected at the same time.", perSecond(50_000)),
    maxEventsPerSecond: integer("max_events_per_second", "Most events a second.", perSecond(50_000)),
    maxBytesPerSecond: size("max_bytes_per_second", "Most bytes a second.", {
      max: "10M",
      example: "100k",
      notZero: true,
    }),
    maxChannelsPerClient: integer("max_channels_per_client", "Most channels of one client.", perSecond(10_000)),
    maxJoinsPerSecond: integer("max_joins_per_second", "Most joins of channels a second.", perSecond(5000)),
    maxPresenceEventsPerSecond: integer(
      "max_presence_events_per_second",
      "Most presence events a second.",
      perSecond(5000),
    ),
    maxPayloadSize: size("max_payload_size_in_kb", "Largest message.", {
      max: "10M",
      example: "100k",
      unit: 1000,
      notZero: true,
    }),
    suspended: flag("suspend", "Whether realtime is suspended: it serves nobody until it is set to false."),
    presenceEnabled: flag("presence_enabled", "Whether clients see who else is in a channel."),
  })
  .describe("Realtime. What is not declared is left as it is.");
