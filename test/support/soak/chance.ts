import { type Random, seededRandom } from "../../../src/base/random.ts";

/** Choices that a seed decides. */
export class Chance {
  readonly random: Random;

  constructor(seed: number) {
    this.random = seededRandom(seed);
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  is(probability: number): boolean {
    return this.random() < probability;
  }

  /** @throws RangeError where there is nothing to choose from */
  oneOf<T>(items: readonly T[]): T {
    const chosen = this.maybeOneOf(items);
    if (chosen === undefined) throw new RangeError("nothing to choose from");
    return chosen;
  }

  maybeOneOf<T>(items: readonly T[]): T | undefined {
    return items[this.between(0, items.length - 1)];
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, at: this.random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item);
  }
}

/** A number from texts, so that a choice depends on what it is made for and not on when (FNV-1a). */
export function seedOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const character of parts.join("/")) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}
