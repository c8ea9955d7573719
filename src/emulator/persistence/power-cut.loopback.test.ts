import { execFileSync } from "node:child_process";
import { existsSync, fsyncSync, mkdtempSync, statSync } from "node:fs";
import promises, { type FileHandle, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type CompactionPhase, compactionPhase } from "../../../test/support/emulator/compaction.ts";
import { leaveIn, LEFT_NAMES, type LeftNames, PowerCuts } from "../../../test/support/emulator/power-cut.ts";
import { changedTables, type Rows, rowsOf } from "../../../test/support/emulator/rows.ts";
import { emptyWorld, savedRows } from "../../../test/support/emulator/saved-rows.ts";
import { silentLogger } from "../../base/log.ts";
import type { FunctionRecord } from "../functions/function-state.ts";
import type { World } from "../state/world.ts";
import { nameOfBytes } from "./codec.ts";
import { openSavedState, type SavedState } from "./saved-state.ts";

const REF = "abcdefghijklmnopqrst";
const CHANGES = 12;
/** of the event loop, in each of which a request comes */
const TURNS = 25;
/** Requests whose changes wait for one flush: a snapshot begins with some that wait, and without. */
const FLUSHED_EACH = 3;
/** of the state, in folders that its start makes */
const OUTER = "of";
const PATH = join(OUTER, "it");

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-power-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const CONTENT = new TextEncoder().encode("// 1");
const LEAVES_A_FILE = "fs.writeFileSync(process.argv[1], '// 1')";

const deployed = (version: number): FunctionRecord => {
  const content = new TextEncoder().encode(`// ${version}`);
  return {
    id: "id",
    slug: "hello",
    name: "hello",
    status: "ACTIVE",
    importMap: false,
    declaredSha256: undefined,
    version,
    createdAtMs: 0,
    updatedAtMs: version,
    verifyJwt: true,
    staticPatterns: [],
    entrypointPath: "index.ts",
    bundle: { files: [{ path: "index.ts", content }], sha256: `of ${version}` },
  };
};

/** The tables that have rows. */
const used = (rows: Rows): Rows => Object.fromEntries(Object.entries(rows).filter(([, all]) => all.length > 0));

/** A state in a folder, and what may be left of it. */
class Saving {
  /** what was acknowledged last, and each that the state came to since */
  readonly #held: Rows[];
  readonly #world: World;
  readonly #state: SavedState;

  private constructor(world: World, state: SavedState, held: Rows[]) {
    this.#world = world;
    this.#state = state;
    this.#held = held;
  }

  /** @param held what is pushed ahead of each flush */
  static async open(at: string, held: Rows[]): Promise<Saving> {
    const world = emptyWorld();
    held.push(rowsOf(world));
    const options = { log: silentLogger, longestJournal: 1000, mostUploads: 20 };
    return new Saving(world, await openSavedState(at, world, options), held);
  }

  change(work: (world: World) => void): void {
    work(this.#world);
    this.#held.push(rowsOf(this.#world));
  }

  /** What was before what is acknowledged now is nothing that may be left any more. */
  async flush(): Promise<void> {
    const now = this.#held.at(-1);
    await this.#state.flush();
    const at = this.#held.findIndex((rows) => rows === now);
    this.#held.splice(0, Math.max(0, at));
  }

  /** Another request's, whose changes are there a while before they are flushed: a snapshot may begin just then. */
  secrets(change: number): void {
    this.change((world) => {
      world.secrets.delete(REF, `S${change - 3}`);
      world.secrets.set(REF, `S${change}`, { digest: "of it", updatedAtMs: change, platform: false });
    });
  }

  async close(): Promise<void> {
    await this.#state.close();
  }
}

interface Moment {
  readonly copy: string;
  readonly left: LeftNames;
  readonly possible: readonly Rows[];
  readonly step: string;
}

/** @returns what is found at a moment and was at none of its states; undefined: all is well */
async function wrongAt({ copy, left, possible, step }: Moment): Promise<unknown> {
  const found = await savedRows(join(copy, PATH)).catch((error: unknown) => error);
  const fits = possible.some((rows) => !(found instanceof Error) && changedTables(rows, found as Rows).length === 0);
  if (fits) return undefined;
  return [step, left, found instanceof Error ? found : used(found as Rows), "of", ...possible.map(used)];
}

describe("a power cut", () => {
  it("at any step of a save, a snapshot or a sweep of uploads takes nothing that was flushed, and leaves nothing half", async () => {
    const disk = join(folder, "disk");
    const phases = new Set<CompactionPhase | undefined>();
    const moments: Moment[] = [];
    const held: Rows[] = [];
    let step = "at the start";
    {
      await mkdir(disk);
      const looks = new Set<string>(); // most steps leave what the one before them left
      let since: Rows | undefined;
      using cuts = await PowerCuts.watch(disk, () => {
        if (held[0] !== since) looks.clear(); // of which less may be left now
        since = held[0];
        for (const left of LEFT_NAMES) {
          const leavings = cuts.leaves(left);
          const look = JSON.stringify([...leavings]);
          if (looks.has(look)) continue;
          looks.add(look);
          const copy = mkdtempSync(join(folder, "copy-"));
          leaveIn(copy, leavings);
          if (existsSync(join(copy, PATH))) phases.add(compactionPhase(join(copy, PATH)));
          moments.push({ copy, left, possible: [...held], step });
        }
      });
      const saving = await Saving.open(join(disk, PATH), held);
      for (let change = 1; change <= CHANGES; change += 1) {
        step = `in the time of change ${change}`;
        saving.change((world) => world.functions.set(REF, "hello", deployed(change)));
        const first = saving.flush();
        saving.secrets(change);
        await first;
        for (let turns = 0; turns < change; turns += 1) await setImmediate();
        saving.change((world) => {
          world.functions.delete(REF, `of ${change - 1}`);
          world.functions.set(REF, `of ${change}`, deployed(-change));
        });
        await saving.flush();
        step = `in the time of those that came at once after change ${change}`;
        const flushed: Promise<void>[] = [];
        for (let turns = 0; turns < (change % 3 === 0 ? TURNS : 0); turns += 1) {
          saving.secrets(-change * TURNS + turns);
          if (turns % FLUSHED_EACH === 0) flushed.push(saving.flush());
          await setImmediate();
        }
        await Promise.all(flushed);
      }
      step = "at the end";
      await saving.close();
    }
    const wrong: unknown[] = [];
    for (const moment of moments) wrong.push(await wrongAt(moment));
    expect(wrong.filter((one) => one !== undefined)).toEqual([]);
    expect(phases).toEqual(new Set(["is being written", "is there beside what it replaces", undefined]));
    expect(moments.length).toBeGreaterThan(10 * CHANGES);
  });

  it("after a process that died takes no upload that it left, once a line tells of it", async () => {
    const disk = join(folder, "disk");
    await mkdir(disk);
    const name = nameOfBytes(CONTENT);
    using cuts = await PowerCuts.watch(disk, () => undefined);
    const world = emptyWorld();
    const state = await openSavedState(disk, world, { log: silentLogger });
    await state.close();
    // of another process, so that its sync is none of those that are seen
    execFileSync(process.execPath, ["-e", LEAVES_A_FILE, join(disk, "bytes", name)]);
    await mkdir(join(disk, "snapshot-2.jsonl.new")); // with a snapshot it would go, as no row has it
    const next = emptyWorld();
    const again = await openSavedState(disk, next, { log: silentLogger });
    next.functions.set(REF, "hello", deployed(1));
    await again.flush();
    const copy = join(folder, "copy");
    await mkdir(copy);
    leaveIn(copy, cuts.leaves("as they were synced"));
    await again.close();
    expect(await readdir(join(copy, "bytes"))).toEqual([name]);
  });

  it.each([
    { what: "its own", path: OUTER },
    { what: "the one above it", path: PATH },
  ])("takes nothing where a folder was there before the start, not synced by who made it: $what", async ({ path }) => {
    const disk = join(folder, "disk");
    await mkdir(disk);
    using cuts = await PowerCuts.watch(disk, () => undefined);
    await mkdir(join(disk, OUTER));
    const world = emptyWorld();
    const state = await openSavedState(join(disk, path), world, { log: silentLogger });
    world.functions.set(REF, "hello", deployed(1));
    await state.flush();
    const copy = join(folder, "copy");
    await mkdir(copy);
    leaveIn(copy, cuts.leaves("as they were synced"));
    await state.close();
    expect(await savedRows(join(copy, path))).toEqual(rowsOf(world));
  });
});

/** Refuses to sync folders, and nothing else. @param only one of them, that may not be there yet */
async function foldersRefused(code: string, only?: string): Promise<Disposable> {
  await using handle = await promises.open(folder);
  const handles = Object.getPrototypeOf(handle) as FileHandle; // of the class, which Node.js does not export
  const spy = vi.spyOn(handles, "sync").mockImplementation(async function (this: FileHandle) {
    const found = await this.stat();
    const isMeant = only === undefined || statSync(only, { throwIfNoEntry: false })?.ino === found.ino;
    if (found.isDirectory() && isMeant) throw Object.assign(new Error(`${code}: refused`), { code, syscall: "fsync" });
    fsyncSync(this.fd);
  });
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

describe("a file system", () => {
  it.each(["EINVAL", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"])(
    "that syncs no folder keeps a state all the same: %s",
    async (code) => {
      using _refused = await foldersRefused(code);
      const at = join(folder, PATH);
      const world = emptyWorld();
      const state = await openSavedState(at, world, { log: silentLogger });
      world.functions.set(REF, "hello", deployed(1));
      await state.close();
      expect(await savedRows(at)).toEqual(rowsOf(world));
    },
  );

  it("that cannot sync a folder is told before anything is acknowledged", async () => {
    using _refused = await foldersRefused("EIO");
    const opened = openSavedState(folder, emptyWorld(), { log: silentLogger });
    await expect(opened).rejects.toThrow(`${folder} cannot be used (EIO)`);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(["", OUTER, PATH])("that cannot sync one of them has none that the start made: '%s'", async (refused) => {
    using _refused = await foldersRefused("EIO", join(folder, refused));
    const at = join(folder, PATH);
    await expect(openSavedState(at, emptyWorld(), { log: silentLogger })).rejects.toThrow(`${at} cannot be used (EIO)`);
    expect(await readdir(folder)).toEqual([]);
  });
});
