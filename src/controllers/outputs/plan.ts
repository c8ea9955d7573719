import type { Looked, Missing } from "./looked.ts";

/** What an output is to hold: a text for each key, or why there is none. */
export type WantedEntries = ReadonlyMap<string, Looked<string>>;

/** A key that nothing can be told for now. */
export interface MissingEntry {
  readonly key: string;
  readonly missing: Missing;
}

export interface OutputPlan {
  /** keys whose texts are to be written */
  readonly put: ReadonlyMap<string, string>;
  /** keys to take away */
  readonly remove: readonly string[];
  readonly missing: readonly MissingEntry[];
  /** nothing is written before what is awaited is there */
  readonly held: boolean;
}

/**
 * What to write so that an output holds what is wanted. Pure.
 *
 * - one that is not there is made whole: not before all that comes by itself has come (K-08)
 * - an entry whose text cannot be told now stays as it was written last; where it never was, it is left out
 * - entries that nobody asks for go: the output is this object's as a whole
 *
 * @param live what it holds; undefined: there is none
 */
export function planOutput(wanted: WantedEntries, live: ReadonlyMap<string, string> | undefined): OutputPlan {
  const put = new Map<string, string>();
  const missing: MissingEntry[] = [];
  for (const [key, looked] of wanted) {
    if (looked.kind !== "known") missing.push({ key, missing: looked });
    else if (live?.get(key) !== looked.value) put.set(key, looked.value);
  }
  const remove = [...(live?.keys() ?? [])].filter((key) => !wanted.has(key));
  const held = live === undefined && missing.some((entry) => entry.missing.kind === "awaited");
  return { put, remove, missing, held };
}

/** Whether there is anything to write over what is there. */
export function isInLine({ put, remove }: OutputPlan): boolean {
  return put.size === 0 && remove.length === 0;
}

/** `password, uri (why); anon-key (why)`: entries by what keeps them away. */
export function tellMissing(entries: readonly MissingEntry[]): string {
  const byWhy = new Map<string, string[]>();
  for (const { key, missing } of entries) {
    byWhy.set(missing.why, [...(byWhy.get(missing.why) ?? []), key]);
  }
  return [...byWhy].map(([why, keys]) => `${keys.join(", ")} (${why})`).join("; ");
}
