import { copyFile, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

/** The write-ahead log of a data folder: files of equal size, in the order of their names. */

/** Size of a segment, MiB, as `initdb` is told. */
export const SEGMENT_MB = 1;
const SEGMENT_BYTES = SEGMENT_MB * 1024 * 1024;

/** Where a data folder has its log. */
export function logOf(dataFolder: string): string {
  return join(dataFolder, "pg_wal");
}

/** The names of a log's segments, oldest first. */
export async function segmentsIn(log: string): Promise<readonly string[]> {
  return (await readdir(log)).filter((name) => /^[0-9A-F]{24}$/.test(name)).toSorted();
}

/** How far into the log a place is, bytes. @param lsn as PostgreSQL writes it: two hexadecimal halves */
export function bytesAt(lsn: string): number {
  const [high = 0, low = 0] = lsn.split("/").map((half) => Number.parseInt(half, 16));
  return high * 2 ** 32 + low;
}

/** The segment of a place. Nothing here ever begins another timeline than the first. */
function segmentAt(bytes: number): string {
  const hex = (part: number): string => Math.floor(part).toString(16).toUpperCase().padStart(8, "0");
  return [1, bytes / 2 ** 32, (bytes % 2 ** 32) / SEGMENT_BYTES].map(hex).join("");
}

/** Brings a data folder the log up to a place, and no further, as if its process had been killed there: the next start recovers the rest. */
export async function bringLog(from: string, dataFolder: string, lsn: string): Promise<void> {
  const bytes = bytesAt(lsn);
  const last = segmentAt(bytes);
  const to = logOf(dataFolder);
  for (const name of await segmentsIn(from)) if (name <= last) await copyFile(join(from, name), join(to, name));
  for (const name of await segmentsIn(to)) if (name > last) await rm(join(to, name));
  await using file = await open(join(to, last), "r+");
  await file.truncate(bytes % SEGMENT_BYTES);
  await file.truncate(SEGMENT_BYTES); // zeros, which are no record
}
