import type { Clock, Timer } from "../../base/clock.ts";
import { risenLevel, TAKING_TURNS } from "../../runtime/lane.ts";

/** Who comes to deploy. */
export interface Comer {
  /** names it */
  readonly id: string;
  /** ref of the project or branch */
  readonly place: string;
  /** how urgent it is, as the work queue has it before it ages (lane.ts): 0 is the most */
  readonly level: number;
  /** this moment, as the list of the place's functions tells it */
  readonly mark: number;
  /** asks for another run, `afterMs` milliseconds from now */
  readonly wake: (afterMs: number) => void;
}

export type DeployTurn<T> =
  | { readonly taken: true; readonly value: T }
  /** `again`: it was turned away before */
  | { readonly taken: false; readonly again: boolean };

/** How long the turn is left to who was woken for it, milliseconds: it finds a worker, and may have to look first. */
const TO_COME_MS = 10_000;

const [EDITS, OVERDUE] = TAKING_TURNS;

interface WaitingDeploy extends Comer {
  /** when it first came, monotonic milliseconds */
  readonly sinceMs: number;
}

/**
 * Deployments of one project go one at a time: the platform refuses a second one with 409 (K-31).
 *
 * Whoever comes while one is under way is turned away and woken when it is over, so that nobody holds a worker while waiting (engine.md §1). The
 * most urgent one is woken first, and of those the one that came first; who waits moves up as in the work queue, and who has come to be overdue takes
 * turns with the edits. Whoever has nothing to deploy (any more) says so with `leave`, and the next one is woken in its place.
 */
export class DeployLine {
  readonly #clock: Clock;
  readonly #working = new Set<string>();
  /** by id, in order of arrival: who came and had no turn yet, as urgent as it ever came */
  readonly #came = new Map<string, WaitingDeploy>();
  /** ids of those who were not woken yet */
  readonly #waiting = new Set<string>();
  /** by place: who was woken last and has not come yet, and when that has taken too long */
  readonly #expected = new Map<string, { readonly id: string; readonly late: Timer }>();
  /** places where an edit had the last turn */
  readonly #afterEdit = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Does the work if nobody else does any in that place.
   *
   * @param work is told the mark of who comes: of its first visit, where it was turned away before
   * @param pauseMs tells of a failure how long it would meet the next one too, milliseconds
   * @throws what the work throws
   */
  async enter<T>(
    comer: Comer,
    work: (cameAt: number) => Promise<T>,
    pauseMs: (error: unknown) => number,
  ): Promise<DeployTurn<T>> {
    const { id, place } = comer;
    const before = this.#came.get(id);
    const come = this.#joined(comer, before);
    if (this.#working.has(place) || this.#isAnothersTurn(come)) {
      this.#came.set(id, come);
      this.#waiting.add(id);
      return { taken: false, again: before !== undefined };
    }
    this.#begin(come);
    let pause = 0;
    try {
      return { taken: true, value: await work(come.mark) };
    } catch (error) {
      pause = pauseMs(error);
      throw error;
    } finally {
      this.#working.delete(place);
      this.#wakeNext(place, pause);
    }
  }

  leave(id: string): void {
    this.#waiting.delete(id);
    this.#came.delete(id);
    for (const [place, expected] of this.#expected) {
      if (expected.id === id && !this.#working.has(place)) this.#wakeNext(place, 0);
    }
  }

  /** Whether somebody is still to have a turn in that place. */
  isCrowded(place: string): boolean {
    return this.#expected.has(place) || this.#waitingIn(place).length > 0;
  }

  /** How many wait and were not woken yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** A visit and those before it: whoever comes by again, as for the net below being woken, is no less urgent for that. */
  #joined(comer: Comer, before: WaitingDeploy | undefined): WaitingDeploy {
    if (before === undefined) return { ...comer, sinceMs: this.#clock.monotonic() };
    const { mark, sinceMs } = before;
    const { level, wake } = before.level < comer.level ? before : comer;
    return { ...comer, level, wake, mark, sinceMs };
  }

  #begin(comer: WaitingDeploy): void {
    const { id, place } = comer;
    this.#waiting.delete(id);
    this.#came.delete(id);
    this.#expectNobody(place);
    this.#working.add(place);
    if (this.#levelOf(comer) === EDITS) this.#afterEdit.add(place);
    else this.#afterEdit.delete(place);
  }

  /** Whether somebody more urgent was woken just now: many who wait come by all the time, and would be there before it. */
  #isAnothersTurn(comer: WaitingDeploy): boolean {
    const { id = comer.id } = this.#expected.get(comer.place) ?? {};
    const expected = this.#came.get(id);
    if (expected === undefined || id === comer.id) return false;
    return this.#rankOf(expected) < this.#rankOf(comer);
  }

  /**
   * Whoever does not come although it was woken (its object is paused, say) has lost its turn, and keeps nobody waiting for long: those who were turned away
   * for it come by themselves only much later.
   */
  #wakeNext(place: string, afterMs: number): void {
    this.#expectNobody(place);
    const waiting = this.#waitingIn(place).map((comer) => ({ comer, rank: this.#rankOf(comer) }));
    const best = Math.min(...waiting.map(({ rank }) => rank));
    const next = waiting.find(({ rank }) => rank === best)?.comer;
    if (next === undefined) {
      this.#afterEdit.delete(place);
      return;
    }
    this.#waiting.delete(next.id);
    const late = this.#clock.setTimer(afterMs + TO_COME_MS, () => this.#wakeNext(place, 0));
    this.#expected.set(place, { id: next.id, late });
    next.wake(afterMs);
  }

  #expectNobody(place: string): void {
    this.#expected.get(place)?.late.cancel();
    this.#expected.delete(place);
  }

  #waitingIn(place: string): readonly WaitingDeploy[] {
    return [...this.#came.values()].filter((comer) => comer.place === place && this.#waiting.has(comer.id));
  }

  #levelOf({ level, sinceMs }: WaitingDeploy): number {
    return risenLevel(level, this.#clock.monotonic() - sinceMs, undefined).level;
  }

  /** Who goes first, the least first: the level, but that whoever is overdue goes before the edits after one of those. */
  #rankOf(comer: WaitingDeploy): number {
    const level = this.#levelOf(comer);
    return level <= OVERDUE && this.#afterEdit.has(comer.place) ? EDITS + OVERDUE - level : level;
  }
}
