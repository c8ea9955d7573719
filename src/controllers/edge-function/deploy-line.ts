/** Who comes to deploy. */
export interface Comer {
  /** names it */
  readonly id: string;
  /** ref of the project or branch */
  readonly place: string;
  /** this moment, as the list of the place's functions tells it */
  readonly mark: number;
  /** asks for another run, `afterMs` milliseconds from now */
  readonly wake: (afterMs: number) => void;
}

export type Turn<T> =
  | { readonly taken: true; readonly value: T }
  /** `again`: it was turned away before */
  | { readonly taken: false; readonly again: boolean };

/**
 * Deployments of one project go one at a time: the platform refuses a second one with 409 (K-31).
 *
 * Whoever comes while one is under way is turned away and woken when it is over, in order of arrival, so that nobody holds a worker while
 * waiting (engine.md §1). Whoever has nothing to deploy (any more) says so with `leave`, and the next one is woken in its place.
 */
export class DeployLine {
  readonly #working = new Set<string>();
  /** by id, in order of arrival */
  readonly #waiting = new Map<string, Comer>();
  /** by place: who was woken last and has not come yet */
  readonly #expected = new Map<string, string>();
  /** by id: when it first came */
  readonly #came = new Map<string, number>();

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
  ): Promise<Turn<T>> {
    const { id, place } = comer;
    const cameAt = this.#came.get(id) ?? comer.mark;
    if (this.#working.has(place)) {
      const again = this.#came.has(id);
      this.#waiting.set(id, comer);
      this.#came.set(id, cameAt);
      return { taken: false, again };
    }
    this.#waiting.delete(id);
    this.#came.delete(id);
    this.#expected.delete(place);
    this.#working.add(place);
    let pause = 0;
    try {
      return { taken: true, value: await work(cameAt) };
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
      if (expected === id && !this.#working.has(place)) this.#wakeNext(place, 0);
    }
  }

  /** Whether somebody is still to have a turn in that place. */
  isCrowded(place: string): boolean {
    return this.#expected.has(place) || this.#waiting.values().some((comer) => comer.place === place);
  }

  /** How many wait and were not woken yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Whoever does not come although it was woken (its object is paused, say) has lost its turn, and keeps nobody waiting. */
  #wakeNext(place: string, afterMs: number): void {
    this.#expected.delete(place);
    for (const comer of this.#waiting.values()) {
      if (comer.place !== place) continue;
      this.#waiting.delete(comer.id);
      this.#expected.set(place, comer.id);
      comer.wake(afterMs);
      return;
    }
  }
}
