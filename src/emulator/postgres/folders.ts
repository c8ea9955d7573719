import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, rename as renameFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { identityAt } from "../file-identity.ts";
import { unfinishedName } from "./template.ts";

/**
 * The folder in which the databases lie, one folder each. One that is being made or removed has another name, so that a crash leaves no
 * half of one.
 */
export class Folders {
  readonly root: string;
  readonly #temporary: boolean;
  readonly #rename: (from: string, to: string) => Promise<void>;
  #made: Promise<string | undefined> | undefined;

  /** @param root where they are kept; absent: a temporary folder, which goes with `end` */
  constructor(root?: string, rename = renameFile) {
    this.#temporary = root === undefined;
    this.#rename = rename;
    this.root = root ?? join(tmpdir(), `baas-databases-${randomUUID()}`);
  }

  of(ref: string): string {
    return join(this.root, ref);
  }

  /** Where what a database was is kept. */
  pastOf(ref: string): string {
    return `${this.of(ref)}.past`;
  }

  /** Makes the folder in which all lie; nothing is there before. */
  async make(): Promise<void> {
    this.#made ??= mkdir(this.root, { recursive: true, mode: 0o700 });
    await this.#made;
  }

  /** Whether a database is there. One that gave way to another that never came is again, or that fails: it would be made afresh otherwise. */
  async has(folder: string): Promise<boolean> {
    if (await isThere(folder)) return true;
    const replaced = replacedName(folder);
    if (!(await isThere(replaced))) return false;
    await this.#rename(replaced, folder);
    return true;
  }

  /**
   * What is done in the files of a folder is done when they are there: open ones take what nobody will find.
   * @param opened which folder they are in (identityAt) @throws Error
   */
  async keeping<T>(folder: string, opened: string, work: Promise<T>): Promise<T> {
    const done = await work;
    if ((await identityAt(folder)) !== opened) throw new Error(`${folder} was removed while its database was open`);
    return done;
  }

  /** Copies the folder of a database that is not open. @returns where the copy is until `finish` or `discard` */
  async copy(from: string, to: string): Promise<string> {
    const copy = unfinishedName(to);
    await this.discard(copy);
    try {
      await cp(from, copy, { recursive: true });
    } catch (error) {
      await this.discard(copy);
      throw error;
    }
    return copy;
  }

  /** Removes a copy that is not wanted, after all or any more. */
  async discard(copy: string): Promise<void> {
    await rm(copy, { recursive: true, force: true });
  }

  /** Puts a copy in the place that it was made for; what was there is gone. A crash leaves the one or the other, and an error what was there. */
  async finish(copy: string, folder: string): Promise<void> {
    const ready = readyName(folder);
    const replaced = replacedName(folder);
    if (!(await this.has(folder)) && (await isThere(ready))) await this.#rename(ready, folder);
    // before anything is ready: what cannot be cleared away fails while nothing has changed
    for (const left of [ready, replaced]) await rm(left, { recursive: true, force: true });
    await this.#rename(copy, ready);
    try {
      if (await isThere(folder)) await this.#rename(folder, replaced);
      await this.#rename(ready, folder);
    } catch (error) {
      // The next one who asks, or the next start, brings it back, and clears away what is left.
      await this.has(folder).catch(() => undefined);
      await rm(ready, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
    await rm(replaced, { recursive: true, force: true }).catch(() => undefined); // the next one, or the next start, removes it
  }

  async removeOne(folder: string): Promise<void> {
    // first of all: with nothing in its place it would be what the next start finds
    await this.discard(readyName(folder));
    if (!(await this.has(folder))) return;
    const doomed = removedName(folder);
    for (const left of [doomed, replacedName(folder)]) await rm(left, { recursive: true, force: true });
    await this.#rename(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /** Removes everything but the databases of these and what they were, and puts in their places what a crash or an error kept from it. */
  async retain(refs: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.root).catch(() => undefined);
    if (names === undefined) return; // where something is wrong, whoever asks a database is told
    const folders = [...refs].map((ref) => this.of(ref));
    for (const folder of folders) {
      // Whatever is there, or has come back, may have been written to since: a copy that came to no end takes nobody's place.
      if ((await this.has(folder)) || !(await isThere(readyName(folder)))) continue;
      await this.#rename(readyName(folder), folder);
    }
    const kept = new Set([...refs].flatMap((ref) => [this.of(ref), this.pastOf(ref)]));
    for (const path of names.map((name) => join(this.root, name))) {
      if (!kept.has(path)) await rm(path, { recursive: true, force: true });
    }
  }

  /** Removes a temporary folder with all that is in it. */
  async end(): Promise<void> {
    if (this.#temporary) await rm(this.root, { recursive: true, force: true });
  }
}

async function isThere(path: string): Promise<boolean> {
  return (await identityAt(path)) !== undefined;
}

/** Where a copy is when nothing but its place is left to be made. */
function readyName(folder: string): string {
  return `${folder}.ready`;
}

/** Where a folder is while it is being removed. */
function removedName(folder: string): string {
  return `${folder}.removed`;
}

/** Where a folder is while another takes its place, which may fail. */
function replacedName(folder: string): string {
  return `${folder}.replaced`;
}
