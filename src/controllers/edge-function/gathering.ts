import type { Clock } from "../../base/clock.ts";

/** An update of settings that a run found due and left to be made together with others. */
export interface Wish {
  /** uid of the object */
  readonly uid: string;
  /** whether everything that it rests on is as it was */
  readonly stands: () => boolean;
  /** asks for another run of the object */
  readonly wake: () => void;
}

/** How long the first one waits for others, milliseconds: those that are applied at once, or found to differ by one list, come within moments. */
export const GATHER_MS = 1000;
/** The net below being woken by whoever makes the update, milliseconds. */
export const UNTIL_MADE_MS = 5000;

/** What a run finds of its object when it begins. */
export type Visit<Outcome> =
  /** it is part of an update that somebody else is making */
  | { readonly kind: "under way" }
  | {
      readonly kind: "free";
      /** it has waited for others long enough */
      readonly due: boolean;
      /** what came of the update that somebody else made for it */
      readonly outcome: Outcome | undefined;
    };

/**
 * Brings updates together that one request can make (K-32): each run leaves its wish and ends, so that nobody holds a worker; the first one comes
 * back after GATHER_MS and makes the update for all whose wishes still stand. A wish lasts from the end of a run to the beginning of the next: so an
 * object is never written for while a run of its own, an edit or a deletion say, is under way, and no run begins while it is.
 */
export class Gathering<W extends Wish, Outcome> {
  readonly #clock: Clock;
  /** by what they can be made together in, and uid */
  readonly #wishes = new Map<object, Map<string, W>>();
  /** by uid: when it is to come back by itself, monotonic milliseconds */
  readonly #dueMs = new Map<string, number>();
  readonly #underway = new Set<string>();
  readonly #outcomes = new Map<string, Outcome>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A run of the object begins: its wish is taken back. */
  begin(uid: string): Visit<Outcome> {
    if (this.#underway.has(uid)) return { kind: "under way" };
    this.#withdraw(uid);
    const outcome = this.#outcomes.get(uid);
    this.#outcomes.delete(uid);
    const dueMs = this.#dueMs.get(uid);
    return { kind: "free", due: dueMs !== undefined && this.#clock.monotonic() >= dueMs, outcome };
  }

  /** Whether others wait in that place. */
  isAwaited(place: object): boolean {
    return this.#wishes.has(place);
  }

  /** Leaves a wish. @returns in how many milliseconds to come back, unless woken before */
  leave(place: object, wish: W): number {
    const { uid } = wish;
    const nowMs = this.#clock.monotonic();
    const wishes = this.#wishes.get(place) ?? new Map<string, W>();
    const dueMs = this.#dueMs.get(uid) ?? nowMs + (wishes.size === 0 ? GATHER_MS : UNTIL_MADE_MS);
    this.#dueMs.set(uid, dueMs);
    this.#wishes.set(place, wishes.set(uid, wish));
    return Math.max(1, dueMs - nowMs);
  }

  /** Takes all wishes of a place that stand, to be made by the caller; those that do not are left to their own runs, which whatever changed wakes. */
  depart(place: object): Departure<W, Outcome> {
    const wishes = [...(this.#wishes.get(place)?.values() ?? [])].filter((wish) => wish.stands());
    this.#wishes.delete(place);
    for (const { uid } of wishes) this.#underway.add(uid);
    return {
      wishes,
      made: ({ uid }, outcome) => void this.#outcomes.set(uid, outcome),
      [Symbol.dispose]: () => {
        for (const { uid, wake } of wishes) {
          this.#underway.delete(uid);
          this.#dueMs.delete(uid);
          wake();
        }
      },
    };
  }

  /** The object waits for nobody any more: it is as declared, or was written for. */
  settle(uid: string): void {
    this.#dueMs.delete(uid);
  }

  forget(uid: string): void {
    this.#withdraw(uid);
    this.#dueMs.delete(uid);
    this.#outcomes.delete(uid);
  }

  /** Of whom anything is known. */
  uids(): Iterable<string> {
    return new Set([...this.#dueMs.keys(), ...this.#outcomes.keys()]);
  }

  #withdraw(uid: string): void {
    for (const [place, wishes] of this.#wishes) {
      if (wishes.delete(uid) && wishes.size === 0) this.#wishes.delete(place);
    }
  }
}

/** Wishes on their way; disposed of when what came of them is known, which wakes the objects. */
export interface Departure<W, Outcome> extends Disposable {
  readonly wishes: readonly W[];
  made(wish: W, outcome: Outcome): void;
}
