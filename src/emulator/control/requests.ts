import { z } from "zod";
import { type Faults, faultRuleSchema } from "../http/faults.ts";
import { operationId } from "../http/known-operations.ts";
import type { Limiter } from "../http/limits.ts";
import { type LogEntry, requestFields, type RequestLog } from "../http/request-log.ts";
import { call, done, type Implementations, nothing } from "./call.ts";

/** Control calls about requests: the faults that hit them, the log of them, the limits that they count against. */

/** An entry of the log as it is shown: its time is text. */
const shownEntry = z.object({ sequence: z.number(), at: z.string(), ...requestFields });

export const requestCalls = {
  faults: {
    add: call({ summary: "Order a fault", input: faultRuleSchema, output: z.object({ id: z.number() }) }),
    list: call({
      summary: "Faults that were ordered, with how often they hit",
      input: nothing,
      output: z.array(z.object({ id: z.number(), hits: z.number(), rule: faultRuleSchema })),
    }),
    remove: call({
      summary: "Take a fault back",
      input: z.strictObject({ id: z.number() }),
      output: z.object({ removed: z.boolean() }),
    }),
    clear: call({ summary: "Take all faults back", input: nothing, output: done }),
  },
  log: {
    read: call({
      summary: "Requests that arrived, oldest first; bodies without secret values",
      input: z.strictObject({
        operation: operationId.optional(),
        /** only later ones */
        after: z.number().int().min(0).optional(),
        status: z.number().int().optional(),
      }),
      output: z.object({ entries: z.array(shownEntry), last: z.number() }),
    }),
    summary: call({
      summary: "How many requests, by operation and by status",
      input: nothing,
      output: z.object({
        total: z.number(),
        byOperation: z.record(z.string(), z.number()),
        byStatus: z.record(z.string(), z.number()),
      }),
    }),
    clear: call({ summary: "Forget the requests so far", input: nothing, output: done }),
  },
  limits: {
    reset: call({ summary: "Begin every limit window anew", input: nothing, output: done }),
  },
} as const;

/** What is known of requests, beside the state that they read and change. */
export interface RequestParts {
  readonly faults: Faults;
  readonly requests: RequestLog;
  readonly limiter: Limiter;
}

export function requestControl({ faults, requests, limiter }: RequestParts): Implementations<typeof requestCalls> {
  return {
    faults: {
      add: (rule) => ({ id: faults.add(rule) }),
      list: () => faults.list().map(({ id, hits, rule }) => ({ id, hits, rule })),
      remove: ({ id }) => ({ removed: faults.remove(id) }),
      clear: () => faults.clear(),
    },
    log: logControl(requests),
    limits: {
      reset: () => limiter.reset(),
    },
  };
}

function logControl(requests: RequestLog): Implementations<typeof requestCalls>["log"] {
  return {
    read: ({ operation, after = 0, status }) => ({
      entries: requests.entries
        .filter(
          (entry) =>
            entry.sequence > after &&
            (operation === undefined || entry.operation === operation) &&
            (status === undefined || entry.status === status),
        )
        .map((entry) => ({ ...entry, at: new Date(entry.atMs).toISOString() })),
      last: requests.entries.at(-1)?.sequence ?? after,
    }),
    summary: () => ({
      total: requests.entries.length,
      byOperation: counted(requests.entries, (entry) => entry.operation ?? "unknown route"),
      byStatus: counted(requests.entries, (entry) => String(entry.status ?? "none")),
    }),
    clear: () => requests.clear(),
  };
}

function counted(entries: readonly LogEntry[], key: (entry: LogEntry) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) counts[key(entry)] = (counts[key(entry)] ?? 0) + 1;
  return counts;
}
