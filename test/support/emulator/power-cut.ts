import fs, { type PathLike, type RmOptions } from "node:fs";
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import { vi } from "vitest";

/** Which names a power cut leaves in a folder that was changed since it was synced: what a file system writes by itself, it writes in any order. */
export const LEFT_NAMES = ["as they are", "as they were synced", "without new ones", "with those removed"] as const;
export type LeftNames = (typeof LEFT_NAMES)[number];

type Names = ReadonlyMap<string, number>;
/** Turns of the event loop that a sync takes at most: what one file waits for, another may have done. */
const SLOWEST = 7;
const NO_NAMES: Names = new Map();
const NOTHING = new Uint8Array();

export type Leavings = ReadonlyMap<string, Uint8Array | null>;

/**
 * A disk that loses whatever was not synced. Before and after each step that a saved state takes in its folder, what a power cut would leave
 * there just then is to be had: of each file what it held when it was synced last, and of each folder the names that it had when it was,
 * with or without what became of them since. The real file system does the work, in one go each, so that nothing changes while it is looked at.
 */
export class PowerCuts implements Disposable {
  readonly #folder: string;
  readonly #step: () => void;
  /** Files by inode, since they are synced under one name and found under another. */
  readonly #contents = new Map<number, Uint8Array>();
  /** Folders by inode: the names that they had when they were synced, and what these were of. */
  readonly #names = new Map<number, Names>();
  /** where removed files go on, so that none that comes later has the inode of one */
  readonly #removed: string;

  private constructor(folder: string, step: () => void) {
    this.#folder = folder;
    this.#step = step;
    this.#removed = fs.mkdtempSync(join(dirname(folder), "removed-"));
  }

  /** @param folder that is on the disk already, and others in the same one are the test's own @param step called at each moment at which the power may go */
  static async watch(folder: string, step: () => void): Promise<PowerCuts> {
    const cuts = new PowerCuts(folder, step);
    await using handle = await promises.open(folder);
    cuts.#note((await handle.stat()).ino);
    cuts.#intercept(Object.getPrototypeOf(handle) as FileHandle); // of the class, which Node.js does not export
    return cuts;
  }

  /** What the power cut would leave, by path in the folder: the bytes of a file, null for a folder. */
  leaves(left: LeftNames): Leavings {
    const all = new Map<string, Uint8Array | null>();
    const take = (folder: string): void => {
      for (const [name, ino] of this.#left(folder, left)) {
        const at = join(folder, name);
        const isFolder = fs.statSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
        all.set(relative(this.#folder, at), isFolder ? null : (this.#contents.get(ino) ?? NOTHING));
        if (isFolder) take(at);
      }
    };
    take(this.#folder);
    return all;
  }

  #left(folder: string, left: LeftNames): Names {
    const are = namesIn(folder);
    const were = this.#names.get(fs.statSync(folder).ino) ?? NO_NAMES;
    if (left === "as they are") return are;
    if (left === "as they were synced") return were;
    if (left === "without new ones") return new Map([...were].filter(([name]) => are.has(name)));
    return new Map([...were, ...are]);
  }

  [Symbol.dispose](): void {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }

  /** What was synced is as it is now. */
  #note(ino: number, at = this.#folder): void {
    if (fs.statSync(at).ino === ino) {
      if (fs.statSync(at).isDirectory()) this.#names.set(ino, namesIn(at));
      else this.#contents.set(ino, fs.readFileSync(at));
    } else if (fs.statSync(at).isDirectory()) for (const name of fs.readdirSync(at)) this.#note(ino, join(at, name));
  }

  #intercept(handles: FileHandle): void {
    const { fsyncSync, fdatasyncSync, rmSync } = fs;
    const around = (work: () => void): void => {
      this.#step();
      work();
      this.#step();
    };
    const soon = async (work: () => void): Promise<void> => around(work);
    const synced = (fd: number, sync: (fd: number) => void): void =>
      around(() => {
        sync(fd);
        this.#note(fs.fstatSync(fd).ino);
      });
    let slowness = 0;
    for (const [name, sync] of [["sync", fsyncSync] as const, ["datasync", fdatasyncSync] as const]) {
      vi.spyOn(handles, name).mockImplementation(async function (this: FileHandle) {
        slowness = (slowness + 1) % SLOWEST;
        for (let turns = 0; turns < slowness; turns += 1) await setImmediate();
        synced(this.fd, sync);
      });
    }
    const remove = (path: PathLike, options?: RmOptions): void => {
      this.#goOn(String(path));
      around(() => rmSync(path, options));
    };
    vi.spyOn(fs, "fsyncSync").mockImplementation((fd) => synced(fd, fsyncSync));
    vi.spyOn(promises, "rename").mockImplementation((from, to) => {
      this.#goOn(String(to));
      return soon(() => fs.renameSync(from, to));
    });
    vi.spyOn(promises, "rm").mockImplementation(async (path, options) => remove(path, options));
    vi.spyOn(promises, "writeFile").mockImplementation((path, data, options) =>
      soon(() => {
        if (typeof path !== "string" || !(typeof data === "string" || data instanceof Uint8Array)) {
          throw new TypeError("a save writes bytes or text, by name");
        }
        const { flush = false, mode = 0o666, flag = "w" } = typeof options === "object" ? { ...options } : {};
        fs.writeFileSync(path, data, { flush, mode, flag: String(flag) });
        if (flush) this.#note(fs.statSync(path).ino);
      }),
    );
    vi.spyOn(fs, "rmSync").mockImplementation(remove);
    syncBuiltinESMExports();
  }

  #goOn(path: string): void {
    const found = fs.statSync(path, { throwIfNoEntry: false });
    const at = join(this.#removed, String(found?.ino));
    if (found?.isFile() === true && !fs.existsSync(at)) fs.linkSync(path, at);
  }
}

/** Makes a folder of what is left. */
export function leaveIn(copy: string, leavings: Leavings): void {
  for (const [path, content] of leavings) {
    if (content === null) fs.mkdirSync(join(copy, path));
    else fs.writeFileSync(join(copy, path), content);
  }
}

function namesIn(folder: string): Names {
  return new Map(fs.readdirSync(folder).map((name) => [name, fs.statSync(join(folder, name)).ino]));
}
