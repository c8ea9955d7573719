import type { Chance } from "./chance.ts";
import type { Garden } from "./garden.ts";
import type { World } from "./world.ts";

/** Something that is done to a garden: in the model at once, and then in truth. */
export interface Action {
  readonly what: string;
  /** by which it is noted when it comes */
  readonly hit?: string;
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

/** A sort of what people do. */
export interface Sort {
  /** how often it is chosen, beside the others */
  readonly weight: number;
  /** by which it is noted when it comes */
  readonly hit: string;
  readonly choose: Choice;
}

/** One of the sorts, those of more weight more often; undefined where there is nothing to do of it. */
export function weighted(choosing: Choosing, sorts: readonly Sort[]): Action | undefined {
  const total = sorts.reduce((sum, { weight }) => sum + weight, 0);
  let left = choosing.chance.random() * total;
  const chosen = sorts.find(({ weight }) => (left -= weight) < 0) ?? sorts[0];
  if (chosen === undefined) throw new RangeError("nothing to choose from");
  return chosenAs(choosing, chosen);
}

export function chosenAs(choosing: Choosing, { hit, choose }: Pick<Sort, "hit" | "choose">): Action | undefined {
  const action = choose(choosing);
  return action && { ...action, hit };
}
