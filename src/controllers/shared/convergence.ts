import type { Clock } from "../../base/clock.ts";
import type { Counter, Meter } from "../../base/meter.ts";
import { annotations } from "../../resources/annotations.ts";
import type { ObjectMeta } from "../../resources/meta.ts";

/** The same difference is written this often; then it is left alone (engine.md §6, convergence guard). */
const MOST_WRITES = 3;

/**
 * Where no read shows a difference but only a record does, as for a rotated Secret, writes are bounded: so many within so long. Then the field is
 * left alone until that time is over.
 */
const MOST_ROTATIONS = 60;
const ROTATIONS_MS = 3_600_000;

/** The part of an object that is looked at as a whole. */
const WHOLE = "";

interface SeenObject {
  readonly generation: number;
  /** what `baas.dev/reconcile-at` said last: whoever asks for a look has all of it written anew */
  readonly asked: string | undefined;
  readonly fields: ReadonlyMap<string, SeenField>;
}

interface SeenField {
  readonly difference: string;
  /** of what is told by what was recorded: since when its writes count, milliseconds since the epoch */
  readonly rotatingSince: number | undefined;
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
  /**
   * told by what was recorded of the last write and not by what was read: that it comes back says that something else is to be written, or that the
   * record was lost, and nothing of what the platform keeps
   */
  readonly remembered?: true;
}

/** Differences, divided into those that may be written now and those whose writes have not helped. */
interface Admitted<D> {
  readonly write: readonly D[];
  readonly stuck: readonly D[];
  /** until the first of `stuck` may be written again, milliseconds; undefined where that takes another spec */
  readonly againInMs: number | undefined;
}

/** The object whose fields are watched over. */
interface Guarded {
  readonly kind: string;
  readonly metadata: Pick<ObjectMeta, "uid" | "generation" | "annotations">;
}

/**
 * Notices fields that do not keep what is written to them (a server that normalises, or answers null, K-16), so that they are not
 * written for ever; and what is another one again and again, such as passwords that are made of each other. Remembers in memory: after a restart as many
 * writes more are made, unless a status tells of them (`recall`).
 */
export class ConvergenceGuard {
  readonly #byUid = new Map<string, ReadonlyMap<string, SeenObject>>();
  readonly #clock: Clock;
  readonly #total: Counter;

  constructor(meter: Meter, clock: Clock) {
    this.#clock = clock;
    this.#total = meter.counter({
      name: "baas_not_converging_total",
      help: "Fields that are written no more, since they came back different after three writes or would be written without end",
      labels: ["kind"],
    });
  }

  /**
   * Splits differences into those to write now and those that were written in vain, or too often. What was read and is not among `differences` any more
   * has converged and is forgotten.
   *
   * @param part of the object whose differences they are all, for what is looked at in parts
   */
  admit<D extends Difference>(object: Guarded, differences: readonly D[], part = WHOLE): Admitted<D> {
    const known = this.#known(object, part);
    const fields = new Map([...known].filter(([, seen]) => this.#isRotating(seen)));
    const write: D[] = [];
    const stuck: D[] = [];
    let againInMs: number | undefined;
    for (const item of differences) {
      const { field } = item;
      const before = this.#before(known, item);
      const isStuck = before.writes >= (before.rotatingSince === undefined ? MOST_WRITES : MOST_ROTATIONS);
      (isStuck ? stuck : write).push(item);
      const { rotatingSince } = before;
      if (isStuck && rotatingSince !== undefined) {
        againInMs = Math.min(againInMs ?? Infinity, rotatingSince + ROTATIONS_MS - this.#clock.now());
      }
      if (isStuck && !before.counted) this.#total.increment({ kind: object.kind });
      fields.set(field, { ...before, counted: isStuck });
    }
    this.#remember(object, part, fields);
    return { write, stuck, againInMs };
  }

  /** A difference was written: an attempt that failed is none, and is repeated as often as it takes. */
  wrote(object: Guarded, written: Difference, part = WHOLE): void {
    const known = this.#known(object, part);
    const before = this.#before(known, written);
    const seen = { ...before, writes: before.writes + 1, counted: false };
    this.#remember(object, part, new Map([...known, [written.field, seen]]));
  }

  /** Those were written in vain before, by this life or another one: none is written until the spec changes, what is read, or somebody asks for a look. */
  recall(object: Guarded, differences: readonly Difference[], part = WHOLE): void {
    if (differences.length === 0) return;
    const known = this.#known(object, part);
    const seen = differences.map((one): readonly [string, SeenField] => {
      const before = this.#before(known, one);
      return [one.field, { ...before, writes: Math.max(before.writes, MOST_WRITES) }];
    });
    this.#remember(object, part, new Map([...known, ...seen]));
  }

  /** Whatever was written of a part counts no more. */
  beginAnew(object: Guarded, part = WHOLE): void {
    this.#remember(object, part, new Map());
  }

  #before(known: SeenObject["fields"], { field, difference, remembered }: Difference): SeenField {
    const seen = known.get(field);
    const isSame = remembered === true ? this.#isRotating(seen) : seen?.difference === difference;
    if (seen !== undefined && isSame) return seen;
    const rotatingSince = remembered === true ? this.#clock.now() : undefined;
    return { difference, rotatingSince, writes: 0, counted: false };
  }

  #isRotating(seen: SeenField | undefined): boolean {
    return seen?.rotatingSince !== undefined && this.#clock.now() < seen.rotatingSince + ROTATIONS_MS;
  }

  /** How many objects have fields that were written. */
  get size(): number {
    return this.#byUid.size;
  }

  forget(uid: string): void {
    this.#byUid.delete(uid);
  }

  #known({ metadata }: Guarded, part: string): SeenObject["fields"] {
    const seen = this.#byUid.get(metadata.uid)?.get(part);
    const asked = askedOf(metadata);
    const isSame = seen?.generation === generationOf(metadata) && (asked === undefined || asked === seen.asked);
    return isSame ? seen.fields : new Map();
  }

  #remember({ metadata }: Guarded, part: string, fields: SeenObject["fields"]): void {
    const { uid } = metadata;
    const parts = new Map(this.#byUid.get(uid));
    // That nobody says it any more asks for nothing.
    const asked = askedOf(metadata) ?? parts.get(part)?.asked;
    if (fields.size === 0) parts.delete(part);
    else parts.set(part, { generation: generationOf(metadata), asked, fields });
    if (parts.size === 0) this.#byUid.delete(uid);
    else this.#byUid.set(uid, parts);
  }
}

function askedOf({ annotations: given }: Guarded["metadata"]): string | undefined {
  return given?.[annotations.reconcileAt];
}

function generationOf({ generation = 0 }: Guarded["metadata"]): number {
  return generation;
}
