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

  /** Puts a copy in the place that it was made for; what was there is gone. */
  async finish(copy: string, folder: string): Promise<void> {
    await this.removeOne(folder);
    await rename(copy, folder);
  }

  async removeOne(folder: string): Promise<void> {
    if (!(await this.has(folder))) return;
    const doomed = `${folder}.removed`;
    await rm(doomed, { recursive: true, force: true });
    await rename(folder, doomed);
    await rm(doomed, { recursive: true, force: true });
  }

  /** Removes everything but the databases of these. */
  async retain(refs: ReadonlySet<string>): Promise<void> {
    const names = await readdir(this.root).catch(() => []);
    for (const name of names) if (!refs.has(name)) await rm(join(this.root, name), { recursive: true, force: true });
  }

  /** Removes a temporary folder with all that is in it. */
  async end(): Promise<void> {
    if (this.#temporary) await rm(this.root, { recursive: true, force: true });
  }
}
