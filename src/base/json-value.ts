/** What of a value JSON cannot say, or a program that reads it would lose: neither may come into a state that is kept as JSON. */

export interface Unsayable {
  readonly path: readonly PropertyKey[];
  /** what was expected there, and what came */
  readonly message: string;
}

/** Whatever walks a value goes a call deeper for each of its levels: the stack would end at some thousands, and in a circle nothing does. */
export const DEEPEST = 500;

/**
 * The first of it; undefined: all can be said. Fields that are undefined are as good as left out. The value itself is not repeated.
 *
 * @param input what a schema made the value of, without the names that are lost on the way
 */
export function unsayable(value: unknown, input: unknown = value): Unsayable | undefined {
  return firstOf(value, words, DEEPEST) ?? (input === value ? undefined : firstOf(input, () => undefined, DEEPEST));
}

function firstOf(value: unknown, wrongWith: typeof words, levels: number): Unsayable | undefined {
  const message = wrongWith(value);
  if (message !== undefined) return { path: [], message };
  if (typeof value !== "object" || value === null) return undefined;
  if (levels === 0) return { path: [], message: TOO_DEEP };
  const isList = Array.isArray(value);
  for (const [key, inner] of Object.entries(value)) {
    if (inner === undefined && !isList) continue;
    const isLost = !isList && key === LOST;
    const found = isLost ? { path: [], message: LOST_WORDS } : firstOf(inner, wrongWith, levels - 1);
    if (found !== undefined) return { ...found, path: [isList ? Number(key) : key, ...found.path] };
  }
  return undefined;
}

const TOO_DEEP = `expected at most ${DEEPEST} levels, received more`;
/** Assigned to an object it is no field of it, and so it is gone from a copy. */
const LOST = "__proto__";
const LOST_WORDS = "expected another name: no value can be kept under this one";
/** `1e400` in JSON text is read as Infinity. */
const BOUNDS = `expected a number between ${-Number.MAX_VALUE} and ${Number.MAX_VALUE}`;

function words(value: unknown): string | undefined {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return undefined;
  if (typeof value === "number") return Number.isFinite(value) ? undefined : `${BOUNDS}, received ${value}`;
  if (typeof value !== "object") return `${VALUES}, received ${typeof value}`;
  return Array.isArray(value) || isPlain(value) ? undefined : `${VALUES}, received a class's`;
}

const VALUES = "expected a value as of JSON";

/** Whether an object is of no class, in whatever realm: what all objects of one descend from descends from nothing. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}
