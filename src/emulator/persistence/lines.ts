import { closeSync, openSync, readSync } from "node:fs";

/** Files of lines that may be longer than the longest text there can be, which is 512 MiB: read and written a part at a time. */

/** What is read at once, bytes. */
const PART = 1024 * 1024;
/** What is written at once, characters. */
const CHUNK = 1024 * 1024;
const NEWLINE = 10;

export interface ReadLines {
  /** bytes up to the end of the last whole line */
  readonly whole: number;
  /** whether something is behind it, to which nothing may be added */
  readonly isCut: boolean;
}

/** Calls back for each line that has an end, by its number from 1 on. @param part what is read at once, bytes @throws what `take` throws */
export function eachLine(path: string, take: (line: string, number: number) => void, part = PART): ReadLines {
  const file = openSync(path, "r");
  try {
    const buffer = Buffer.allocUnsafe(part);
    let before: Buffer[] = []; // of the line that goes on
    let number = 0;
    let whole = 0;
    for (let length = readSync(file, buffer); length > 0; length = readSync(file, buffer)) {
      let start = 0;
      for (let end = find(buffer, start, length); end !== -1; end = find(buffer, start, length)) {
        const line = Buffer.concat([...before, buffer.subarray(start, end)]);
        before = [];
        start = end + 1;
        number += 1;
        whole += line.length + 1;
        take(line.toString("utf8"), number);
      }
      if (start < length) before.push(Buffer.from(buffer.subarray(start, length)));
    }
    return { whole, isCut: before.length > 0 };
  } finally {
    closeSync(file);
  }
}

function find(buffer: Buffer, from: number, length: number): number {
  const at = buffer.subarray(from, length).indexOf(NEWLINE);
  return at === -1 ? -1 : from + at;
}

/** Lines with their ends, as texts that are about as long as is written at once. @param chunk characters */
export function* chunks(lines: Iterable<string>, chunk = CHUNK): Iterable<string> {
  let waiting: string[] = [];
  let length = 0;
  for (const line of lines) {
    waiting.push(line, "\n");
    length += line.length + 1;
    if (length < chunk) continue;
    yield waiting.join("");
    waiting = [];
    length = 0;
  }
  if (length > 0) yield waiting.join("");
}

/**
 * Puts texts together, in their order, into as few groups as there are without one that is longer.
 *
 * @param longest characters of a group, unless one text alone is longer
 */
export function grouped(texts: readonly string[], longest: number): readonly (readonly string[])[] {
  const groups: string[][] = [];
  let room = 0;
  for (const text of texts) {
    room -= text.length;
    const last = groups.at(-1);
    if (last !== undefined && room >= 0) last.push(text);
    else {
      groups.push([text]);
      room = longest - text.length;
    }
  }
  return groups;
}
