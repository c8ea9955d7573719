import type { Counter, Meter } from "../../base/meter.ts";

/** The same difference is written this often; then it is left alone (engine.md §6, convergence guard). */
const MOST_WRITES = 3;

/** The part of an object that is looked at as a whole. */
const WHOLE = "";

interface Seen {
  readonly generation: number;
  readonly fields: ReadonlyMap<string, SeenField>;
}

interface SeenField {
  readonly difference: string;
  /** how often it was written */
  readonly writes: number;
  /** that it is written no more was counted */
  readonly counted: boolean;
}

/** A difference that is about to be written. */
export interface Difference {
  readonly field: string;
  /** what is wanted and what was read, so that another difference counts anew; never a secret value */
  readonly difference: string;
}

/** The object whose fields are watched over. */
interface Guarded {
  readonly kind: string;
  readonly metadata: { readonly uid: string; readonly generation?: number | undefined };
}

/**
 * Notices fields that do not keep what is written to them (a server that normalises, or answers null, K-16), so that they are not
 * written for ever. Remembers in memory: after a restart three more writes are made.
 */
export class ConvergenceGuard {
  readonly #byUid = new Map<string, ReadonlyMap<string, Seen>>();
  readonly #total: Counter;

  constructor(meter: Meter) {
    this.#total = meter.counter({
      name: "baas_not_converging_total",
      help: "Fields that came back different after three writes and are written no more",
      labels: ["kind"],
    });
  }

  /**
   * Splits differences into those to write now and those that were written in vain. What is not among `differences` any more has converged
   * and is forgotten.
   *
   * @param part of the object whose differences they are all, for what is looked at in parts
   */
  admit<D extends Difference>(
    object: Guarded,
    differences: readonly D[],
    part = WHOLE,
  ): { readonly write: readonly D[]; readonly stuck: readonly D[] } {
    const known = this.#known(object, part);
    const fields = new Map<string, SeenField>();
    const write: D[] = [];
    const stuck: D[] = [];
    for (const item of differences) {
      const { field, difference } = item;
      const seen = known.get(field);
      const before = seen?.difference === difference ? seen : { difference, writes: 0, counted: false };
      const isStuck = before.writes >= MOST_WRITES;
      (isStuck ? stuck : write).push(item);
      if (isStuck && !before.counted) this.#total.increment({ kind: object.kind });
      fields.set(field, { ...before, counted: isStuck });
    }
    this.#remember(object, part, fields);
    return { write, stuck };
  }

  /** A difference was written: an attempt that failed is none, and is repeated as often as it takes. */
  wrote(object: Guarded, { field, difference }: Difference, part = WHOLE): void {
    const known = this.#known(object, part);
    const seen = known.get(field);
    const writes = seen?.difference === difference ? seen.writes : 0;
    this.#remember(object, part, new Map([...known, [field, { difference, writes: writes + 1, counted: false }]]));
  }

  /** How many objects have fields that were written. */
  get size(): number {
    return this.#byUid.size;
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  #known({ metadata: { uid, generation = 0 } }: Guarded, part: string): Seen["fields"] {
    const seen = this.#byUid.get(uid)?.get(part);
    return seen?.generation === generation ? seen.fields : new Map();
  }

  #remember({ metadata: { uid, generation = 0 } }: Guarded, part: string, fields: Seen["fields"]): void {
    const parts = new Map(this.#byUid.get(uid));
    if (fields.size === 0) parts.delete(part);
    else parts.set(part, { generation, fields });
    if (parts.size === 0) this.#byUid.delete(uid);
    else this.#byUid.set(uid, parts);
  }
}
