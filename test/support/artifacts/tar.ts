import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** test/support/artifacts: archives as Flux publishes them, and as nobody should. Written byte by byte, since no honest program writes the latter. */

/** An entry of an archive; a file unless `type` says otherwise. */
export interface TarEntry {
  readonly path: string;
  readonly content?: string | Uint8Array;
  /** type flag of the header: "0" file, "1" link, "2" symbolic link, "3" and "4" devices, "5" folder, "6" pipe, "x" pax header, "L" GNU long name */
  readonly type?: string;
  readonly link?: string;
  /** what the header says, where that is a lie */
  readonly size?: number;
}

const BLOCK = 512;

function header({ path, type = "0", link = "", size, content = "" }: TarEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const bytes = size ?? Buffer.byteLength(content);
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, "0")}\0`;
  block.write(path, 0, 100, "utf8");
  block.write(octal(0o644, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(bytes, 12), 124);
  block.write(octal(0, 12), 136);
  block.write(" ".repeat(8), 148);
  block.write(type, 156);
  block.write(link, 157, 100, "utf8");
  block.write("ustar\u000000", 257, "latin1");
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return block;
}

function padded(content: string | Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  return Buffer.concat([bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)]);
}

/** A tar archive. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => [header(entry), padded(entry.content ?? "")]);
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** A path by a pax header, before the entry that it names. */
export function paxPath(path: string): TarEntry {
  const record = ` path=${path}\n`;
  let { length } = Buffer.from(record);
  length += String(length + String(length).length).length;
  return { path: "pax", type: "x", content: `${length}${record}` };
}

/** A gzipped tar archive. */
export function targz(entries: readonly TarEntry[]): Buffer {
  return gzipSync(tar(entries), { level: 1 });
}

/** A gzipped tar archive of files with these texts, by path. */
export function archiveOf(files: Readonly<Record<string, string>>): Buffer {
  return targz(Object.entries(files).map(([path, content]) => ({ path, content })));
}

/** The digest of an artifact, as Flux writes it. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}
