import fs, { type PathLike, type RmOptions } from "node:fs";
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join, relative } from "node:path";
import { vi } from "vitest";

/**
 * A disk that loses whatever was not synced. Before and after each step that a saved state takes in its folder, what a power cut would leave
 * there just then is to be had: every name that there is, and of each file what it held when it was synced last. The real file system
 * does the work, in one go each, so that nothing changes while it is looked at.
 */
export class PowerCuts implements Disposable {
  readonly #folder: string;
  readonly #step: () => void;
  /** by inode, since files are synced under one name and found under another */
  readonly #synced = new Map<number, Uint8Array>();

  private constructor(folder: string, step: () => void) {
    this.#folder = folder;
    this.#step = step;
  }

  /** @param step called at each moment at which the power may go */
  static async watch(folder: string, step: () => void): Promise<PowerCuts> {
    const cuts = new PowerCuts(folder, step);
    await using handle = await promises.open(folder);
    cuts.#intercept(Object.getPrototypeOf(handle) as FileHandle); // of the class, which Node.js does not export
    return cuts;
  }

  /** Makes a folder as the power cut would leave this one. */
  leaveIn(copy: string): void {
    for (const at of this.#files()) {
      const to = join(copy, relative(this.#folder, at));
      fs.mkdirSync(dirname(to), { recursive: true });
      fs.writeFileSync(to, this.#synced.get(fs.statSync(at).ino) ?? "");
    }
  }

  #files(): readonly string[] {
    const entries = fs.readdirSync(this.#folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }

  [Symbol.dispose](): void {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }

  #intercept(handles: FileHandle): void {
    const { rmSync } = fs;
    const around = (work: () => void): void => {
      this.#step();
      work();
      this.#step();
    };
    const soon = async (work: () => void): Promise<void> => around(work);
    const note = (ino: number): void => {
      const at = this.#files().find((file) => fs.statSync(file).ino === ino); // a folder that is synced is none
      if (at !== undefined) this.#synced.set(ino, fs.readFileSync(at));
    };
    for (const [name, sync] of [["sync", fs.fsyncSync] as const, ["datasync", fs.fdatasyncSync] as const]) {
      vi.spyOn(handles, name).mockImplementation(function (this: FileHandle) {
        return soon(() => {
          sync(this.fd);
          note(fs.fstatSync(this.fd).ino);
        });
      });
    }
    /** Its inode may soon be that of another file. */
    const remove = (path: PathLike, options?: RmOptions): void => {
      const ino = fs.statSync(path, { throwIfNoEntry: false })?.ino;
      around(() => rmSync(path, options));
      if (ino !== undefined && !fs.existsSync(path)) this.#synced.delete(ino);
    };
    vi.spyOn(promises, "rename").mockImplementation((from, to) => soon(() => fs.renameSync(from, to)));
    vi.spyOn(promises, "rm").mockImplementation(async (path, options) => remove(path, options));
    vi.spyOn(promises, "writeFile").mockImplementation((path, data, options) =>
      soon(() => {
        if (typeof path !== "string" || !(typeof data === "string" || data instanceof Uint8Array)) {
          throw new TypeError("a save writes bytes or text, by name");
        }
        const { flush = false, mode = 0o666, flag = "w" } = typeof options === "object" ? { ...options } : {};
        fs.writeFileSync(path, data, { flush, mode, flag: String(flag) });
        if (flush) note(fs.statSync(path).ino);
      }),
    );
    vi.spyOn(fs, "rmSync").mockImplementation(remove);
    syncBuiltinESMExports();
  }
}
