import type { Clock } from "../../base/clock.ts";
import { durationMs, isDuration } from "../../resources/duration.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { type Key, keyToString } from "../../runtime/key.ts";
import { commonStatusOf } from "./common-status.ts";

/** How long what the platform refused rests before a look whether the plan or the add-ons are others now, where drift is ignored. */
export const REFUSED_LOOK_MS = 600_000;

/** One look at everything of an object: it is the same one until all was looked at, in however many runs. */
interface DriftCheck {
  readonly uid: string;
  /** before anything was looked at; monotonic milliseconds */
  readonly begunAtMs: number;
  /** when a second interval has passed since the one before: it has missed its turn then, as a key does (runtime/lane.ts) */
  readonly overdueAtMs: number;
  /** what was looked at for it, by name */
  readonly looked: Set<string>;
}

/** Why a run might look at everything. */
interface Asking {
  /** somebody asked for that, and it was not given yet */
  readonly isAsked: boolean;
  /** the time of the object's drift check has come, as the queue tells */
  readonly isItsTime: boolean;
}

/**
 * When everything of an object was looked at last. A key stands in the queue once, at the earliest of its times: what is looked at sooner, time and again,
 * or repeated with backoff for what fails, would never have a run for its drift check. So whichever run comes first once that is due makes it, as does the
 * first one of a process; and a check ends with the run that came to its end, whatever it found, so that no repetition of that is another one. In memory
 * alone.
 */
export class DriftChecks {
  readonly #clock: Clock;
  readonly #last = new Map<string, DriftCheck>();
  /** begun, and cut off before all was looked at */
  readonly #open = new Set<DriftCheck>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many objects are known. */
  get size(): number {
    return this.#last.size;
  }

  /** The check that a run of the object makes or goes on with, as it comes to what that looks at; undefined: none is due. */
  begin(key: Key, object: KubeObject, { isAsked, isItsTime }: Asking): DriftCheck | undefined {
    const { uid } = object.metadata;
    const last = this.#lastOf(key, uid);
    if (last !== undefined && this.#open.has(last) && !isAsked) return last;
    const nowMs = this.#clock.monotonic();
    const intervalMs = intervalMsOf(object) ?? Infinity;
    const isDue = last === undefined || nowMs - last.begunAtMs >= intervalMs;
    if (!isDue && !isItsTime && !isAsked) return undefined;
    const overdueAtMs = (last?.begunAtMs ?? nowMs) + 2 * intervalMs;
    const check = { uid, begunAtMs: nowMs, overdueAtMs, looked: new Set<string>() };
    this.forget(key);
    this.#last.set(keyToString(key), check);
    this.#open.add(check);
    return check;
  }

  /** All was looked at that was to be. */
  end(check: DriftCheck): void {
    this.#open.delete(check);
  }

  isOverdue({ overdueAtMs }: DriftCheck): boolean {
    return this.#clock.monotonic() >= overdueAtMs;
  }

  /** The object is gone. */
  forget(key: Key): void {
    const last = this.#last.get(keyToString(key));
    if (last !== undefined) this.#open.delete(last);
    this.#last.delete(keyToString(key));
  }

  #lastOf(key: Key, uid: string): DriftCheck | undefined {
    const last = this.#last.get(keyToString(key));
    return last?.uid === uid ? last : undefined;
  }
}

/**
 * The drift check that one run makes or goes on with, whatever it runs for. What it looks at it looks at once, in however many runs: else each of them would
 * as long as one look waits for budget.
 */
export class CheckOfRun {
  readonly #checks: DriftChecks;
  readonly #begin: () => DriftCheck | undefined;
  #begun: { readonly made: DriftCheck | undefined } | undefined;
  #isCutOff = false;

  /** @param begin as `DriftChecks.begin` */
  constructor(checks: DriftChecks, begin: () => DriftCheck | undefined) {
    this.#checks = checks;
    this.#begin = begin;
  }

  /** The run comes to the sections of its object: before that, none is begun that nothing would be looked at for. */
  begin(): void {
    this.#begun ??= { made: this.#begin() };
  }

  /** Undefined: none was due, or the run did not come to it. */
  get made(): DriftCheck | undefined {
    return this.#begun?.made;
  }

  get isOverdue(): boolean {
    return this.made !== undefined && this.#checks.isOverdue(this.made);
  }

  /** Whether something is to be looked at for it, and was not yet. @param what a name within the object */
  isDue(what: string): boolean {
    return this.made?.looked.has(what) === false;
  }

  looked(what: string): void {
    this.made?.looked.add(what);
  }

  /** Something was not looked at: another run goes on with it. */
  cutOff(): void {
    this.#isCutOff = true;
  }

  /** The run came to its end: what it reached of the check was looked at. */
  end(): void {
    if (this.made !== undefined && !this.#isCutOff) this.#checks.end(this.made);
  }
}

/** Milliseconds between two drift checks of an object, by the policies that it was looked at under last; undefined: it has none, or that is not known. */
function intervalMsOf(object: KubeObject): number | undefined {
  const { effective } = commonStatusOf(object);
  if (effective?.driftPolicy?.value === "Ignore") return hasRefused(object) ? REFUSED_LOOK_MS : undefined;
  const interval = effective?.driftInterval?.value;
  return interval !== undefined && isDuration(interval) ? durationMs(interval) : undefined;
}

/** Whether something of its sections is refused, whatever else goes on in it: other circumstances may have that taken. */
function hasRefused({ status }: KubeObject): boolean {
  const sections: unknown = typeof status === "object" && status !== null ? Reflect.get(status, "sections") : undefined;
  return Array.isArray(sections) && sections.some(isRefusedEntry);
}

function isRefusedEntry(entry: unknown): boolean {
  return typeof entry === "object" && entry !== null && Reflect.get(entry, "refused") !== undefined;
}
