import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger } from "../../../src/base/log.ts";
import { ManualClock } from "../../../src/base/manual-clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { DrivenClock } from "../../../src/emulator/driven-clock.ts";
import { openSavedState } from "../../../src/emulator/persistence/saved-state.ts";
import { DEFAULT_SETTINGS } from "../../../src/emulator/state/settings.ts";
import { createWorld, type World } from "../../../src/emulator/state/world.ts";
import { type Rows, rowsOf } from "./rows.ts";

/** What a folder holds, read as the next start does. */

/** A world of nothing. */
export function emptyWorld(): World {
  return createWorld(new DrivenClock(new ManualClock()), seededRandom(1), DEFAULT_SETTINGS);
}

/** The rows of a state in a folder that nobody has open. @param longestJournal what makes the start write a snapshot, bytes */
export async function savedRows(folder: string, longestJournal?: number): Promise<Rows> {
  const world = emptyWorld();
  const snapshot = longestJournal === undefined ? {} : { longestJournal };
  const state = await openSavedState(folder, world, { log: silentLogger, ...snapshot });
  const rows = rowsOf(world);
  await state.close();
  return rows;
}

/** What would be there if the process ended now, from a journal and from a snapshot of it; of a folder in use, when nothing is being written. */
export async function rowsIfEndedNow(folder: string): Promise<Rows> {
  const copy = await mkdtemp(join(tmpdir(), "baas-copy-"));
  try {
    await cp(folder, copy, { recursive: true, filter: (path) => !/\/(?:lock|databases|requests)$/.test(path) });
    await savedRows(copy, 0);
    return await savedRows(copy);
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}
