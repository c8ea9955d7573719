import type { Counter, Meter } from "../../base/meter.ts";

/** The same difference is written this often; then it is left alone (engine.md §6, convergence guard). */
const MOST_WRITES = 3;

interface Seen {
  readonly generation: number;
  readonly fields: Map<string, { difference: string; writes: number }>;
}

/** A difference that is about to be written. */
export interface Difference {
  readonly field: string;
  /** what is wanted and what was read, so that another difference counts anew; never a secret value */
  readonly difference: string;
}

/**
 * Notices fields that do not keep what is written to them (a server that normalises, or answers null, K-16), so that they are not
 * written for ever. Remembers in memory: after a restart three more writes are made.
 */
export class ConvergenceGuard {
  readonly #byUid = new Map<string, Seen>();
  readonly #total: Counter;

  constructor(meter: Meter) {
    this.#total = meter.counter({
      name: "baas_not_converging_total",
      help: "Fields that came back different after three writes and are written no more.",
      labels: ["kind"],
    });
  }

  /**
   * Splits differences into those to write now and those that were written in vain. What is not among `differences` any more has converged
   * and is forgotten.
   */
  admit<D extends Difference>(
    object: {
      readonly kind: string;
      readonly metadata: { readonly uid: string; readonly generation?: number | undefined };
    },
    differences: readonly D[],
  ): { readonly write: readonly D[]; readonly stuck: readonly D[] } {
    const { uid, generation = 0 } = object.metadata;
    const before = this.#byUid.get(uid);
    const known = before?.generation === generation ? before.fields : new Map<string, never>();
    const fields: Seen["fields"] = new Map();
    const write: D[] = [];
    const stuck: D[] = [];
    for (const item of differences) {
      const seen = known.get(item.field);
      const writes = seen?.difference === item.difference ? seen.writes : 0;
      if (writes < MOST_WRITES) write.push(item);
      else stuck.push(item);
      if (writes === MOST_WRITES) this.#total.increment({ kind: object.kind });
      fields.set(item.field, { difference: item.difference, writes: Math.min(writes + 1, MOST_WRITES + 1) });
    }
    if (fields.size === 0) this.#byUid.delete(uid);
    else this.#byUid.set(uid, { generation, fields });
    return { write, stuck };
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }
}
