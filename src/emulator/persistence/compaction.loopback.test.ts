import { cp, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rowsOf } from "../../../test/support/emulator/rows.ts";
import { emptyWorld, savedRows } from "../../../test/support/emulator/saved-rows.ts";
import { silentLogger } from "../../base/log.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { openSavedState } from "./saved-state.ts";

const REF = "abcdefghijklmnopqrst";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-compaction-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

function change(world: World, { key, size }: { readonly key: number; readonly size: number }): void {
  if (size === 0) world.secrets.delete(REF, `S${key}`);
  else world.secrets.set(REF, `S${key}`, { digest: sha256("x".repeat(size)), updatedAtMs: size, platform: false });
}

const changes = fc.array(fc.record({ key: fc.nat(9), size: fc.nat(50) }), { minLength: 1, maxLength: 120 });

describe("a journal that grows too long", () => {
  it("gives way to snapshots while changes go on, and what is loaded is what was in memory", async () => {
    await fc.assert(
      fc.asyncProperty(changes, async (all) => {
        const at = await mkdtemp(join(folder, "run-"));
        const world = emptyWorld();
        const state = await openSavedState(at, world, { log: silentLogger, longestJournal: 300 });
        const flushed: Promise<void>[] = [];
        for (const [index, one] of all.entries()) {
          change(world, one);
          flushed.push(state.flush());
          if (index % 7 === 0) await Promise.all(flushed);
        }
        const expected = rowsOf(world);
        await state.close();
        expect(await savedRows(at)).toEqual(expected);
      }),
      { numRuns: 25 },
    );
  });

  it("leaves no moment at which a copy of the folder lacks something that was flushed", async () => {
    const world = emptyWorld();
    const state = await openSavedState(folder, world, { log: silentLogger, longestJournal: 200 });
    for (let index = 0; index < 40; index += 1) {
      change(world, { key: index, size: 1 + index });
      await state.flush();
      const copy = await mkdtemp(join(tmpdir(), "baas-copy-"));
      try {
        // a snapshot may be under way just now
        await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith("lock") });
        expect(await savedRows(copy)).toEqual(rowsOf(world));
      } catch (error) {
        // a file was renamed or removed while it was copied, which a crash cannot do
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    }
    await state.close();
  });

  it("is all that a start writes a snapshot for: a short one goes on", async () => {
    const jsonl = async (): Promise<readonly string[]> =>
      (await readdir(folder)).filter((name) => name.endsWith(".jsonl")).toSorted();
    const start = async (options: { readonly longestJournal?: number } = {}): Promise<void> => {
      const world = emptyWorld();
      const state = await openSavedState(folder, world, { log: silentLogger, ...options });
      change(world, { key: world.secrets.of(REF).size, size: 9 });
      await state.close();
      expect(await savedRows(folder)).toEqual(rowsOf(world));
    };
    for (let count = 0; count < 3; count += 1) await start();
    expect(await jsonl()).toEqual(["journal-1.jsonl", "snapshot-1.jsonl"]);
    await start({ longestJournal: 300 }); // which the three together are
    expect(await jsonl()).toEqual(["journal-2.jsonl", "snapshot-2.jsonl"]);
  });

  it("leaves one snapshot and one journal behind, and the files of nobody else to read", async () => {
    const world = emptyWorld();
    const state = await openSavedState(folder, world, { log: silentLogger, longestJournal: 200 });
    for (let index = 0; index < 30; index += 1) {
      change(world, { key: index, size: 9 });
      await state.flush();
    }
    await state.close();
    const files = (await readdir(folder)).filter((name) => name.endsWith(".jsonl"));
    expect(files.map((name) => name.split("-", 1)[0])).toEqual(["journal", "snapshot"]);
    const modes = await Promise.all(files.map(async (name) => (await stat(join(folder, name))).mode & 0o077));
    expect(modes).toEqual([0, 0]);
    expect(await savedRows(folder)).toEqual(rowsOf(world));
  });
});
