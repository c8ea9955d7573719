import { z } from "zod";
import { nameOfBytes } from "./codec.ts";

/** Several uploads in one file: a line that says their names and lengths, and their bytes in this order. */

const heading = z.array(z.tuple([z.string(), z.number()]));
const EXTENSION = ".pack";

export function isPack(file: string): boolean {
  return file.endsWith(EXTENSION);
}

export interface NewFile {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Uploads by name as one file, named by what is in it. One upload alone is itself. */
export function packed(uploads: ReadonlyMap<string, Uint8Array>): NewFile {
  const [[name, only] = ["", Buffer.of()]] = uploads;
  if (uploads.size === 1) return { file: name, bytes: only };
  const head = JSON.stringify([...uploads].map(([own, { length }]) => [own, length]));
  const bytes = Buffer.concat([Buffer.from(`${head}\n`), ...uploads.values()]);
  return { file: `${nameOfBytes(Buffer.from(head))}${EXTENSION}`, bytes };
}

/** The uploads of a pack by name, as views of it. @throws for what is no pack */
export function unpacked(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> {
  const end = bytes.indexOf(NEWLINE);
  let start = end + 1;
  const head: unknown = JSON.parse(Buffer.from(bytes.subarray(0, end)).toString());
  return new Map(
    heading.parse(head).map(([name, length]) => {
      const own = bytes.subarray(start, start + length);
      start += length;
      return [name, own];
    }),
  );
}

const NEWLINE = 10;
