import type { Chance } from "./chance.ts";

/**
 * Sorts of trouble that are to come once, beside what chance brings: chance alone leaves some of them out, and others with each new choice. Each
 * comes at the first moment that it fits, one at a few moments.
 */
export class Quota<T> {
  readonly #due: T[];
  readonly #chance: Chance;
  readonly #mostApart: number;
  #pass: number;

  /** @param mostApart how many moments may pass between two of them */
  constructor(due: readonly T[], chance: Chance, mostApart: number) {
    this.#due = chance.shuffled(due);
    this.#chance = chance;
    this.#mostApart = mostApart;
    this.#pass = chance.between(0, mostApart);
  }

  /** What comes at this moment, if anything: it is owed no more. */
  take(fits: (sort: T) => boolean): T | undefined {
    this.#pass -= 1;
    const sort = this.#pass < 0 ? this.#due.find(fits) : undefined;
    if (sort === undefined) return undefined;
    this.#due.splice(this.#due.indexOf(sort), 1);
    this.#pass = this.#chance.between(0, this.#mostApart);
    return sort;
  }
}

/** What has its turn to come, by which it is noted then. */
export interface Owed {
  readonly hit: string;
}

/** Those that have not come yet, then the others: what is taken from the beginning comes before anything comes twice. */
export function missingFirst<T extends Owed>(all: readonly T[], hits: ReadonlyMap<string, number>): readonly T[] {
  return all.toSorted((a, b) => Number(hits.has(a.hit)) - Number(hits.has(b.hit)));
}
