import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { writeDurably } from "./durable.ts";
import { chunks, eachLine, type ReadLines } from "./lines.ts";
import { damaged, otherVersion } from "./state-error.ts";

/**
 * The files of saved state. A snapshot is the whole state at one moment, one row a line; the journal of the same number, and those of
 * higher numbers, are the transactions since then. All is JSON, one document a line.
 */

/** Rises when the layout of files or lines changes. */
const FORMAT = 3;
const header = z.strictObject({ format: z.literal(FORMAT), rows: z.number() });
const anyHeader = z.object({ format: z.number() });
const row = z.tuple([z.string(), z.string(), z.unknown()]);
/** A row, or null for one that was removed. */
const transaction = z.array(row);

export type SavedRow = z.output<typeof row>;

const snapshotName = (number: number): string => `snapshot-${number}.jsonl`;
export const journalName = (number: number): string => `journal-${number}.jsonl`;

/** What is there: the newest snapshot's number, 0 for none, and the journals from it on, ascending and without a gap. */
export interface SavedFiles {
  readonly snapshot: number;
  readonly journals: readonly number[];
}

/** @throws StateError when one is missing */
export async function listSavedFiles(folder: string): Promise<SavedFiles> {
  const names = await readdir(folder);
  const snapshot = Math.max(0, ...numbered(names, /^snapshot-(\d+)\.jsonl$/));
  const journals = numbered(names, /^journal-(\d+)\.jsonl$/)
    .filter((number) => number >= snapshot)
    .toSorted((a, b) => a - b);
  // a journal is there before its snapshot is; the first one of all has number 1 and no snapshot for a moment
  const first = Math.max(1, snapshot);
  const last = Math.max(snapshot, ...journals);
  for (let number = first; number <= last; number += 1) {
    if (!journals.includes(number)) throw damaged(folder, `${journalName(number)} is missing`);
  }
  return { snapshot, journals };
}

function numbered(names: readonly string[], pattern: RegExp): readonly number[] {
  return names.flatMap((name) => {
    const number = pattern.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

/** Calls back for each row. @throws StateError, also when it has called back already */
export function readSnapshot(folder: string, number: number, take: (row: SavedRow) => void): void {
  const name = snapshotName(number);
  let said: number | undefined;
  let there = 0;
  eachLine(join(folder, name), (text, line) => {
    const place = { folder, name, line };
    if (line === 1) said = parse(header, text, place).rows;
    else {
      there += 1;
      take(parse(row, text, place));
    }
  });
  if (said === undefined) throw damaged(folder, `${name} is damaged: it has no first line`);
  if (there !== said) throw damaged(folder, `${name} is damaged: it has ${there} rows of ${said}`);
}

/**
 * Calls back for each row of a journal in its order. A last line without an end was being written when the process died: nobody was told
 * that it happened, so it did not.
 *
 * @throws StateError, also when it has called back already
 */
export function readJournal(folder: string, number: number, take: (row: SavedRow) => void): ReadLines {
  const name = journalName(number);
  return eachLine(join(folder, name), (text, line) => {
    for (const one of parse(transaction, text, { folder, name, line })) take(one);
  });
}

interface Place {
  readonly folder: string;
  readonly name: string;
  readonly line: number;
}

function parse<S extends z.ZodType>(schema: S, text: string, { folder, name, line }: Place): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw damaged(folder, `${name}, line ${line} is damaged`, error);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const format = anyHeader.safeParse(value).data?.format ?? FORMAT;
  const is = format === FORMAT ? "is not of this version" : `is of format ${format}, this version's is ${FORMAT}`;
  throw otherVersion(folder, `${name}, line ${line} ${is}`);
}

/** Rows as lines, made when they are written. */
export interface SnapshotLines extends Iterable<string> {
  readonly length: number;
}

/** Writes a snapshot: it is there as a whole, on the disk, or not at all. */
export async function writeSnapshot(folder: string, number: number, rows: SnapshotLines): Promise<void> {
  await writeDurably(join(folder, snapshotName(number)), chunks(withHeader(rows)));
}

function* withHeader(rows: SnapshotLines): Iterable<string> {
  yield JSON.stringify({ format: FORMAT, rows: rows.length });
  yield* rows;
}

/** Removes what a newer snapshot has replaced, and drafts that a crash left. */
export async function removeOlder(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = /^(?:snapshot|journal)-(\d+)\.jsonl(\.new)?$/.exec(name);
    if (found === null) continue;
    if (found[2] !== undefined || Number(found[1]) < number) await rm(join(folder, name), { force: true });
  }
}
