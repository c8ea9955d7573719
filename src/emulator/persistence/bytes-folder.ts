import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameOfBytes } from "./codec.ts";
import { StateError } from "./state-error.ts";

/** Uploads in a folder, each in a file named by its hash: written once, whole or not at all. */
export interface BytesFolder {
  /** Bytes written since the last `begin`. */
  readonly written: number;
  /** @returns the name; the bytes are in the file system when it returns */
  put(bytes: Uint8Array): string;
  /** @throws StateError when they are gone or were changed */
  get(name: string): Uint8Array;
  /** From now on what is put counts as in use. */
  begin(): void;
  /** Removes all that was not put since `begin`, by now or before. */
  sweep(): void;
}

export function bytesFolder(folder: string): BytesFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const nameOf = namer();
  let inUse = new Set<string>();
  let written = 0;
  return {
    get written() {
      return written;
    },
    put(bytes) {
      const name = nameOf(bytes);
      const file = join(folder, name);
      inUse.add(name);
      if (existsSync(file)) return name;
      const draft = `${file}.new`;
      writeFileSync(draft, bytes, { mode: 0o600, flush: true });
      renameSync(draft, file);
      written += bytes.length;
      return name;
    },
    get(name) {
      try {
        const bytes = readFileSync(join(folder, name));
        if (nameOf(bytes) === name) return bytes;
      } catch (error) {
        throw new StateError(`${join(folder, name)} cannot be read: restore the folder as a whole`, { cause: error });
      }
      throw new StateError(`${join(folder, name)} was changed: restore the folder as a whole`);
    },
    begin() {
      inUse = new Set();
      written = 0;
    },
    sweep() {
      for (const file of readdirSync(folder)) if (!inUse.has(file)) rmSync(join(folder, file), { force: true });
    },
  };
}

/** Uploads are replaced and never changed, so each is hashed once, however often a row that has it is written. */
function namer(): (bytes: Uint8Array) => string {
  const names = new WeakMap<Uint8Array, string>();
  return (bytes) => {
    const known = names.get(bytes) ?? nameOfBytes(bytes);
    names.set(bytes, known);
    return known;
  };
}
