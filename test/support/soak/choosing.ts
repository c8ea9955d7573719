import type { Chance } from "./chance.ts";
import type { Garden } from "./garden.ts";
import type { World } from "./world.ts";

/** Something that is done to a garden: in the model at once, and then in truth. */
export interface Action {
  readonly what: string;
  readonly act: () => Promise<void>;
}

/** Whoever makes choices in a round. */
export interface Choosing {
  readonly world: World;
  readonly garden: Garden;
  readonly chance: Chance;
  /** a text that was never there before */
  readonly word: string;
  /** names of what was touched in this round: each thing once, so that nobody has to say who was first */
  readonly touched: Set<string>;
}

/** @returns what is done, or undefined where there is nothing to do it to */
export type Choice = (choosing: Choosing) => Action | undefined;

/** One of the names that was not touched in this round, which it is from now on. */
export function untouched({ chance, touched }: Choosing, names: readonly string[]): string | undefined {
  const name = chance.maybeOneOf(names.filter((one) => !touched.has(one)));
  if (name !== undefined) touched.add(name);
  return name;
}

/** One of the choices, those of more weight more often. */
export function weighted<T>(choosing: Choosing, choices: readonly (readonly [number, (choosing: Choosing) => T])[]): T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let left = choosing.chance.random() * total;
  const chosen = choices.find(([weight]) => (left -= weight) < 0) ?? choices[0];
  if (chosen === undefined) throw new RangeError("nothing to choose from");
  return chosen[1](choosing);
}
