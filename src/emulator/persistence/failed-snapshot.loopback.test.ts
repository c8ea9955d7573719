import promises, { type FileHandle, mkdir, mkdtemp, readdir, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { rowsOf } from "../../../test/support/emulator/rows.ts";
import { emptyWorld, savedRows } from "../../../test/support/emulator/saved-rows.ts";
import { type Logger, silentLogger } from "../../base/log.ts";
import { openSavedState, type SavedState } from "./saved-state.ts";
import type { World } from "../state/world.ts";

const LONGEST_JOURNAL = 300;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-failed-snapshot-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

interface Started {
  readonly world: World;
  readonly state: SavedState;
  readonly warned: readonly string[];
  /** what was said of errors */
  readonly failed: readonly string[];
}

async function start(longestJournal?: number): Promise<Started> {
  const warned: string[] = [];
  const failed: string[] = [];
  const log: Logger = {
    ...silentLogger,
    warn: (_fields, message) => void warned.push(message),
    error: (_fields, message) => void failed.push(message),
  };
  const world = emptyWorld();
  const bound = longestJournal === undefined ? {} : { longestJournal };
  return { world, state: await openSavedState(folder, world, { log, ...bound }), warned, failed };
}

const jsonl = async (): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).toSorted();

function change(world: World, key: string): void {
  world.publishedJwks.set(key, { jwks: { keys: ["x".repeat(100)] } });
}

/** Nobody can write the snapshot of this number now. @returns how to let them */
async function inTheWayOf(number: number): Promise<() => Promise<void>> {
  const at = join(folder, `snapshot-${number}.jsonl.new`);
  await mkdir(at);
  return () => rmdir(at);
}

/** Refuses to sync what files hold. @returns those that were to be synced */
async function datasyncRefused(code: string): Promise<ReadonlySet<FileHandle>> {
  const files = new Set<FileHandle>();
  await using handle = await promises.open(folder);
  const handles = Object.getPrototypeOf(handle) as FileHandle; // of the class, which Node.js does not export
  vi.spyOn(handles, "datasync").mockImplementation(async function (this: FileHandle) {
    files.add(this);
    throw Object.assign(new Error(`${code}: refused`), { code, syscall: "fdatasync" });
  });
  return files;
}

describe("a snapshot that a start cannot write", () => {
  it("is told and ends nothing, and no start leaves one more journal than it needs", async () => {
    const first = await start();
    for (const key of ["a", "b", "c", "d"]) change(first.world, key);
    await first.state.close();
    expect(await jsonl()).toEqual(["journal-1.jsonl", "snapshot-1.jsonl"]);
    const clear = await inTheWayOf(2);
    for (let count = 0; count < 3; count += 1) {
      const { world, state, warned } = await start(LONGEST_JOURNAL);
      expect(warned).toEqual(["no snapshot could be written; the journal goes on"]);
      expect(rowsOf(world)).toEqual(rowsOf(first.world));
      await state.close();
      expect(await jsonl()).toEqual(["journal-1.jsonl", "journal-2.jsonl", "snapshot-1.jsonl"]);
    }
    const second = await start(LONGEST_JOURNAL);
    change(second.world, "e");
    await second.state.close();
    expect(await readFile(join(folder, "journal-2.jsonl"), "utf8")).toContain('"e"');
    await clear();
    const third = await start(LONGEST_JOURNAL);
    expect(third.warned).toEqual([]);
    expect(rowsOf(third.world)).toEqual(rowsOf(second.world));
    await third.state.close();
    expect(await jsonl()).toEqual(["journal-3.jsonl", "snapshot-3.jsonl"]);
    expect(await savedRows(folder)).toEqual(rowsOf(second.world));
  });
});

describe("a journal that cannot be brought to its end before another takes its place", () => {
  it("ends the saving, which is told, and neither of them stays open", async () => {
    const { world, state, warned, failed } = await start(LONGEST_JOURNAL);
    for (const key of ["a", "b", "c", "d"]) change(world, key);
    await state.flush(); // and the snapshot begins
    const journals = await datasyncRefused("EIO");
    change(world, "e");
    await expect(state.flush()).rejects.toThrow(`${folder} cannot be used (EIO)`);
    change(world, "f");
    await expect(state.close()).rejects.toThrow(`${folder} cannot be used (EIO)`);
    expect(failed).toEqual(["the state cannot be written: nothing is saved any more"]);
    expect(warned).toEqual([]);
    expect([...journals].map(({ fd }) => fd)).toEqual([-1]); // Node's, when it is closed
    expect(await jsonl()).toEqual(["journal-1.jsonl", "journal-2.jsonl", "snapshot-1.jsonl"]);
  });
});

describe("a folder in which the file system lets nobody write", () => {
  it.each([
    { because: "the lock cannot be made", name: `lock.${process.pid}` },
    { because: "the first journal cannot be made", name: "bytes", file: true },
  ])("is refused by its path, with what to do, when $because", async ({ name, file = false }) => {
    await (file ? writeFile(join(folder, name), "") : mkdir(join(folder, name)));
    await expect(start()).rejects.toMatchObject({
      code: "STATE",
      message: expect.stringMatching(
        new RegExp(`^${folder}.* cannot be used \\(E[A-Z]+\\): choose a folder that can be written$`),
      ),
    });
    expect(await readdir(folder)).not.toContain("lock");
  });
});

describe("the lock", () => {
  it("of another emulator is not taken away by one that lost its own", async () => {
    const { state } = await start();
    const other = `${process.ppid}\n`;
    await writeFile(join(folder, "lock"), other);
    await state.close();
    expect(await readFile(join(folder, "lock"), "utf8")).toBe(other);
  });
});
