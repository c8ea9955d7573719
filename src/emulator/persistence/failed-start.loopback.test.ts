import promises, { mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Rows, rowsOf } from "../../../test/support/emulator/rows.ts";
import { emptyWorld, savedRows } from "../../../test/support/emulator/saved-rows.ts";
import { silentLogger } from "../../base/log.ts";
import { openSavedState, type SavedState } from "./saved-state.ts";
import type { World } from "../state/world.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-failed-start-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  await rm(folder, { recursive: true, force: true });
});

const open = (world: World, at = folder): Promise<SavedState> => openSavedState(at, world, { log: silentLogger });

/** Of an emulator that starts, acknowledges a change and ends. By another path: this process would not have one folder twice. */
async function otherEmulator(): Promise<World> {
  const path = `${folder}-by-another-path`;
  await symlink(folder, path);
  const world = emptyWorld();
  const state = await open(world, path);
  world.publishedJwks.set("other", { jwks: { keys: [] } });
  await state.flush();
  await state.close();
  await rm(path);
  return world;
}

/** What happens once, right before a start takes the lock, by the first file that it writes. */
function beforeTheLock(happens: () => Promise<void>): void {
  const { writeFile: real } = promises;
  vi.spyOn(promises, "writeFile").mockImplementation(async (...of) => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
    await happens();
    await real(...of);
  });
  syncBuiltinESMExports();
}

describe("a start that fails leaves what another emulator acknowledged", () => {
  it("that had the folder between the first look into it and its lock", async () => {
    let saved: Rows = {};
    beforeTheLock(async () => {
      saved = rowsOf(await otherEmulator());
    });
    const failed = await open(emptyWorld());
    expect(failed.found).toBe(true);
    await failed.abandon();
    expect(await savedRows(folder)).toEqual(saved);
  });

  it("that has the folder since somebody removed the lock", async () => {
    const failed = await open(emptyWorld());
    await writeFile(join(folder, "lock"), `${process.ppid}\n`);
    const names = await readdir(folder);
    await failed.abandon();
    expect(await readdir(folder)).toEqual(names);
  });
});
