import { randomUUID } from "node:crypto";
import { cp, mkdir, readdir, rename, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unfinishedName } from "./template.ts";

/**
 * The folder in which the databases lie, one folder each. One that is being made or removed has another name, so that a crash leaves no
 * half of one.
 */
export class Folders {
  readonly root: string;
  readonly #temporary: boolean;
  #made: Promise<string | undefined> | undefined;

  /** @param root where they are kept; absent: a temporary folder, which goes with `remove` */
  constructor(root?: string) {
    this.#temporary = root === undefined;
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

  async has(folder: string): Promise<boolean> {
    return (await stat(folder).catch(() => undefined)) !== undefined;
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

  /** Removes a copy that is not wanted after all. */
  async discard(copy: string): Promise<void> {
    await rm(copy, { recursive: true, force: true });
  }

  /** Puts a copy in the place that it was made for; what was there is gone. A crash leaves the one or the other, and an error what was there. */
  async finish(copy: string, folder: string): Promise<void> {
    const ready = readyName(folder);
    const doomed = removedName(folder);
    if (!(await this.has(folder)) && (await this.has(ready))) await rename(ready, folder);
    // before anything is ready: what cannot be cleared away fails while nothing has changed
    for (const left of [ready, doomed]) await rm(left, { recursive: true, force: true });
    await rename(copy, ready);
    try {
      if (await this.has(folder)) await rename(folder, doomed);
      await rename(ready, folder);
    } catch (error) {
      if (!(await this.has(folder)) && (await this.has(doomed))) await rename(doomed, folder);
      await rm(ready, { recursive: true, force: true }); // or the next start would put it in its place
      throw error;
    }
    await rm(doomed, { recursive: true, force: true }).catch(() => undefined); // the next one, or the next start, removes it
  }

  async removeOne(folder: string): Promise<void> {
    if (!(await this.has(folder))) return;
    const doomed = removedName(folder);
    await rm(doomed, { recursive: true, force: true });
    await rename(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /** Removes everything but the databases of these and what they were, and puts copies in their places that a crash kept from it. */
  async retain(refs: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.root).catch(() => []);
    const folders = [...refs].map((ref) => this.of(ref));
    for (const folder of folders) {
      if (!(await this.has(readyName(folder)))) continue;
      await this.removeOne(folder);
      await rename(readyName(folder), folder);
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

/** Where a copy is when nothing but its place is left to be made. */
function readyName(folder: string): string {
  return `${folder}.ready`;
}

/** Where a folder is while it is being removed. */
function removedName(folder: string): string {
  return `${folder}.removed`;
}
