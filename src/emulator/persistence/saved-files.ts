import { open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
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

/** @throws StateError */
export async function readSnapshot(folder: string, number: number): Promise<readonly SavedRow[]> {
  const name = snapshotName(number);
  const [first = "", ...lines] = (await readFile(join(folder, name), "utf8")).split("\n").slice(0, -1);
  const { rows } = parse(header, first, { folder, name, line: 1 });
  if (lines.length !== rows) throw damaged(folder, `${name} is damaged: it has ${lines.length} rows of ${rows}`);
  return lines.map((line, index) => parse(row, line, { folder, name, line: index + 2 }));
}

export interface ReadJournal {
  readonly rows: readonly SavedRow[];
  /** Whether it ends with a whole line: nothing may be added to half of one. */
  readonly isWhole: boolean;
}

/**
 * The rows of a journal in their order. A last line without an end was being written when the process died: nobody was told that it
 * happened, so it did not.
 *
 * @throws StateError
 */
export async function readJournal(folder: string, number: number): Promise<ReadJournal> {
  const name = journalName(number);
  const text = await readFile(join(folder, name), "utf8");
  const lines = text.split("\n").slice(0, -1);
  const rows = lines.flatMap((line, index) => parse(transaction, line, { folder, name, line: index + 1 }));
  return { rows, isWhole: text === "" || text.endsWith("\n") };
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

/** Writes a snapshot: it is there as a whole, on the disk, or not at all. */
export async function writeSnapshot(folder: string, number: number, rows: readonly string[]): Promise<void> {
  const draft = join(folder, `${snapshotName(number)}.new`);
  try {
    await writeWhole(draft, `${[JSON.stringify({ format: FORMAT, rows: rows.length }), ...rows].join("\n")}\n`);
    await rename(draft, join(folder, snapshotName(number)));
  } catch (error) {
    await rm(draft, { force: true }); // what is left of it may be what the disk has no room for
    throw error;
  }
  await syncFolder(folder);
}

async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes what a newer snapshot has replaced, and drafts that a crash left. */
export async function removeOlder(folder: string, number: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const found = /^(?:snapshot|journal)-(\d+)\.jsonl(\.new)?$/.exec(name);
    if (found === null) continue;
    if (found[2] !== undefined || Number(found[1]) < number) await rm(join(folder, name), { force: true });
  }
}
