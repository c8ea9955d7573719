import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nameOfBytes } from "./codec.ts";
import { StateError } from "./state-error.ts";

/** Uploads in a folder, each in a file named by its hash: written once, whole or not at all. */
export interface BytesFolder {
  /** @returns the name; the bytes are in the file system when it returns */
  put(bytes: Uint8Array): string;
  /** @throws StateError when they are gone or were changed */
  get(name: string): Uint8Array;
  /** Removes all but these. */
  keepOnly(names: ReadonlySet<string>): void;
}

export function bytesFolder(folder: string): BytesFolder {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    put(bytes) {
      const name = nameOfBytes(bytes);
      const file = join(folder, name);
      if (existsSync(file)) return name;
      const draft = `${file}.new`;
      writeFileSync(draft, bytes, { mode: 0o600, flush: true });
      renameSync(draft, file);
      return name;
    },
    get(name) {
      try {
        const bytes = readFileSync(join(folder, name));
        if (nameOfBytes(bytes) === name) return bytes;
      } catch (error) {
        throw new StateError(`${join(folder, name)} cannot be read: restore the folder as a whole`, { cause: error });
      }
      throw new StateError(`${join(folder, name)} was changed: restore the folder as a whole`);
    },
    keepOnly(names) {
      for (const file of readdirSync(folder)) if (!names.has(file)) rmSync(join(folder, file), { force: true });
    },
  };
}
