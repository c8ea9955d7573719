import type { Finding, Missing } from "./looked.ts";
import type { OutputSource } from "./read.ts";

/** One entry that an output is to hold. */
export interface WantedEntry {
  /** its text, or why there is none */
  readonly looked: Finding<string>;
  /** what the text is made of */
  readonly sources: ReadonlySet<OutputSource>;
}

/** What an output is to hold, by key. */
export type WantedEntries = ReadonlyMap<string, WantedEntry>;

/** What an output holds. */
export interface HeldEntries {
  readonly entries: ReadonlyMap<string, string>;
  /** whether it is of the project or branch that is wanted, and not of one that was there before */
  readonly isOfRef: boolean;
  /** of what its entries were made of, what is another now, as far as both are known */
  readonly changed: ReadonlySet<OutputSource>;
}

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
 * What to write so that an output holds what is wanted. Pure. Whoever reads an output reads what it held before or what is wanted, and no mixture:
 *
 * - nothing is written before all that comes by itself has come (K-08): until then there is none, or the one before as it is
 * - an entry whose text cannot be told now stays as it was written last, unless that was made of what has changed, or is of another project or branch;
 *   where it never was, it is left out. It may be the last copy of a password or key: that another text beside it differs, as where somebody edits it or
 *   its template, says nothing
 * - what is only delayed holds up no output that is there, and stays in it as it is, whatever changed: it is told within a look or two
 * - entries that nobody asks for go: the output is this object's as a whole
 *
 * @param live what it holds; undefined: there is none
 * @param isAwaiting whether another output of the object awaits something: one project or branch takes the place of another in all of them at once
 */
export function planOutput(wanted: WantedEntries, live: HeldEntries | undefined, isAwaiting: boolean): OutputPlan {
  const put = new Map<string, string>();
  const missing: MissingEntry[] = [];
  for (const [key, { looked }] of wanted) {
    if (looked.kind !== "known") missing.push({ key, missing: looked });
    else if (live?.entries.get(key) !== looked.value) put.set(key, looked.value);
  }
  const valid = new Set(stillValid(wanted, live));
  const remove = [...(live?.entries.keys() ?? [])].filter((key) => !valid.has(key));
  const isThere = live?.isOfRef === true;
  const awaits = missing.some(({ missing: { kind } }) => kind === "awaited" || (kind === "delayed" && !isThere));
  return { put, remove, missing, held: awaits || (isAwaiting && live?.isOfRef === false) };
}

/** Wanted keys, but those whose text is not known and may be another than was written last. */
function stillValid(wanted: WantedEntries, live: HeldEntries | undefined): readonly string[] {
  const stays = ({ looked, sources }: WantedEntry): boolean =>
    looked.kind === "known" ||
    looked.kind === "delayed" ||
    (live?.isOfRef === true && live.changed.isDisjointFrom(sources));
  return [...wanted].flatMap(([key, entry]) => (stays(entry) ? [key] : []));
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
