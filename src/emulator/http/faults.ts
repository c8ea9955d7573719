import { z } from "zod";
import { operationIdOrAll } from "./known-operations.ts";

/** Faults that tests order: which requests they hit, and what goes wrong with them. */

/** `before`: nothing happens on the server. `after`: the request takes effect and its answer is spoiled. */
const phase = z.enum(["before", "after"]);

export const faultSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("status"),
    status: z.number().int().min(200).max(599),
    /** default: `{"message": "Injected fault"}` */
    body: z.unknown().optional(),
    headers: z.record(z.string(), z.string()).optional(),
    phase: phase.default("before"),
  }),
  /** a page of some proxy on the way */
  z.strictObject({
    kind: z.literal("html"),
    status: z.number().int().min(200).max(599).default(502),
    phase: phase.default("before"),
  }),
  z.strictObject({ kind: z.literal("delay"), ms: z.number().min(0), phase: phase.default("before") }),
  /** the connection is reset instead of an answer */
  z.strictObject({ kind: z.literal("reset"), phase: phase.default("before") }),
  /** the connection stays open and nothing is ever sent */
  z.strictObject({ kind: z.literal("half-open"), phase: phase.default("before") }),
  /**
   * half of the body: `cut` closes the connection within it, `whole` frames the half as if it were all; before the effect, with the status of
   * a success and half of a small JSON object
   */
  z.strictObject({
    kind: z.literal("truncated"),
    framing: z.enum(["cut", "whole"]).default("cut"),
    phase: phase.default("after"),
  }),
  /** the answer's status with no body; before the effect, the status of a success */
  z.strictObject({ kind: z.literal("empty"), phase: phase.default("after") }),
]);
export type Fault = z.output<typeof faultSchema>;

export const faultRuleSchema = z.strictObject({
  /** operation id, or `*` for all */
  operation: operationIdOrAll,
  /** only requests whose path contains this text, for example a ref */
  pathContains: z.string().optional(),
  /** lets so many matching requests pass first */
  skip: z.number().int().min(0).default(0),
  /** hits so many requests; null: all */
  count: z.number().int().min(1).nullable().default(1),
  fault: faultSchema,
});
export type FaultRule = z.output<typeof faultRuleSchema>;
export type FaultRuleInput = z.input<typeof faultRuleSchema>;

/** The body of a fault that has none of its own. */
export const INJECTED = { message: "Injected fault" };

export interface ActiveFault {
  readonly id: number;
  readonly rule: FaultRule;
  readonly skipped: number;
  readonly hits: number;
}

export interface Faults {
  /** @returns the rule's number, for `remove` */
  add(rule: FaultRule): number;
  list(): readonly ActiveFault[];
  remove(id: number): boolean;
  clear(): void;
  /** The fault of a request that just arrived: the oldest rule that matches and is not used up. Counts the hit. */
  take(operation: string, path: string): Fault | undefined;
}

export function createFaults(): Faults {
  const active = new Map<number, ActiveFault>();
  let lastId = 0;
  return {
    add(rule) {
      lastId += 1;
      active.set(lastId, { id: lastId, rule, skipped: 0, hits: 0 });
      return lastId;
    },
    list: () => [...active.values()],
    remove: (id) => active.delete(id),
    clear: () => active.clear(),
    take(operation, path) {
      for (const entry of active.values()) {
        if (!matches(entry, operation, path)) continue;
        if (entry.skipped < entry.rule.skip) {
          active.set(entry.id, { ...entry, skipped: entry.skipped + 1 });
          continue;
        }
        active.set(entry.id, { ...entry, hits: entry.hits + 1 });
        return entry.rule.fault;
      }
      return undefined;
    },
  };
}

function matches({ rule, hits }: ActiveFault, operation: string, path: string): boolean {
  if (rule.operation !== "*" && rule.operation !== operation) return false;
  if (rule.pathContains !== undefined && !path.includes(rule.pathContains)) return false;
  return rule.count === null || hits < rule.count;
}
