import { mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { nameOfBytes } from "./codec.ts";
import { syncFolder, writeDurably } from "./durable.ts";
import { isPack, type NewFile, packed, unpacked } from "./pack.ts";
import { damaged, StateError } from "./state-error.ts";

/**
 * Uploads in a folder, each under its hash and written once. What is put before a save is one file, the upload itself or a pack: a deploy
 * may have thousands, and a sync for each of them takes a minute.
 */
export class BytesFolder {
  readonly #folder: string;
  readonly #nameOf = namer();
  /** the file in which an upload is, or will be in a moment */
  readonly #files = new Map<string, string>();
  /** put since the last save */
  #waiting = new Map<string, Uint8Array>();
  #saving: Promise<void> | undefined;
  #inUse = new Set<string>();
  #written = 0;
  /** the pack that was looked into last */
  #lookedInto: { readonly file: string; readonly uploads: ReadonlyMap<string, Uint8Array> } | undefined;

  /** @throws StateError for a damaged folder */
  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    for (const file of readdirSync(folder)) {
      if (isPack(file)) for (const name of this.#uploadsIn(file).keys()) this.#files.set(name, file);
      else this.#files.set(file, file);
    }
  }

  /** Brings to the disk what a process left that died before it did so: it is not written again. */
  async settle(): Promise<void> {
    await syncFolder(this.#folder);
  }

  /** Bytes that were put since the last `begin` and had to be written. */
  get written(): number {
    return this.#written;
  }

  /** Whether something lies there that was neither put nor read since the start, or since `begin`. */
  get hasUnused(): boolean {
    return this.#files.keys().some((name) => !this.#inUse.has(name));
  }

  /** @returns the name; the bytes are in the file system when `save` says so */
  put(bytes: Uint8Array): string {
    const name = this.#nameOf(bytes);
    this.#inUse.add(name);
    if (this.#files.has(name) || this.#waiting.has(name)) return name;
    this.#waiting.set(name, bytes);
    this.#written += bytes.length;
    return name;
  }

  /** Resolves when all that was put is in the file system; undefined: it is. Rejects, from then on always, when the disk refuses. */
  save(): Promise<void> | undefined {
    if (this.#waiting.size === 0) return this.#saving;
    const file = packed(this.#waiting);
    for (const name of this.#waiting.keys()) this.#files.set(name, file.file);
    this.#waiting = new Map();
    const saving = Promise.all([this.#saving, this.#write(file)]).then(() => {
      if (this.#saving === saving) this.#saving = undefined;
    });
    this.#saving = saving;
    return saving;
  }

  /** @throws StateError when they are gone or were changed */
  get(name: string): Uint8Array {
    this.#inUse.add(name);
    const file = this.#files.get(name) ?? name;
    // of a pack a copy, which does not hold on to the rest of it
    const bytes = isPack(file) ? Uint8Array.from(this.#uploadsIn(file).get(name) ?? []) : this.#read(file);
    if (this.#nameOf(bytes) === name) return bytes;
    throw this.#changed(file);
  }

  /** From now on what is put counts as in use. */
  begin(): void {
    this.#inUse = new Set();
    this.#written = 0;
    this.#lookedInto = undefined;
  }

  /** Removes all that was not put since `begin`, by now or before, but for packs of which the larger part is in use. */
  async sweep(): Promise<void> {
    await this.#saved();
    const files = new Map(readdirSync(this.#folder).map((file): [string, string[]] => [file, []]));
    for (const [name, file] of this.#files) files.get(file)?.push(name);
    const sparse = [...files].filter(
      ([, names]) => names.filter((name) => this.#inUse.has(name)).length <= names.length / 2,
    );
    for (const [file, names] of sparse) {
      const used = names.filter((name) => this.#inUse.has(name)).map((name) => this.get(name));
      for (const name of names) this.#files.delete(name);
      for (const bytes of used) this.put(bytes);
      // what nobody needs goes at once: the same may come again, under the same name
      if (used.length === 0) rmSync(join(this.#folder, file), { force: true });
    }
    await this.#saved();
    this.#lookedInto = undefined;
    const needed = new Set(this.#files.values()); // one that went may be there again
    for (const [file] of sparse) if (!needed.has(file)) rmSync(join(this.#folder, file), { force: true });
  }

  async #saved(): Promise<void> {
    for (let saving = this.save(); saving !== undefined; saving = this.save()) await saving;
  }

  async #write({ file, bytes }: NewFile): Promise<void> {
    await writeDurably(join(this.#folder, file), bytes);
  }

  #uploadsIn(file: string): ReadonlyMap<string, Uint8Array> {
    if (this.#lookedInto?.file === file) return this.#lookedInto.uploads;
    try {
      const uploads = unpacked(this.#read(file));
      this.#lookedInto = { file, uploads };
      return uploads;
    } catch (error) {
      throw error instanceof StateError ? error : this.#changed(file, error);
    }
  }

  #changed(file: string, cause?: unknown): StateError {
    return damaged(this.#folder, `${file} was changed`, cause);
  }

  #read(file: string): Uint8Array {
    try {
      return readFileSync(join(this.#folder, file));
    } catch (error) {
      throw damaged(this.#folder, `${file} cannot be read`, error);
    }
  }
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
