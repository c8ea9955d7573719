import { mkdtempSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type CompactionPhase, compactionPhase } from "../../../test/support/emulator/compaction.ts";
import { PowerCuts } from "../../../test/support/emulator/power-cut.ts";
import { changedTables, type Rows, rowsOf } from "../../../test/support/emulator/rows.ts";
import { emptyWorld, savedRows } from "../../../test/support/emulator/saved-rows.ts";
import { silentLogger } from "../../base/log.ts";
import type { FunctionRecord } from "../functions/function-state.ts";
import { openSavedState } from "./saved-state.ts";

const REF = "abcdefghijklmnopqrst";
const CHANGES = 12;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-power-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

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

describe("a power cut", () => {
  it("at any step of a save, a snapshot or a sweep of uploads takes nothing that was flushed, and leaves nothing half", async () => {
    const at = join(folder, "state");
    const world = emptyWorld();
    const phases = new Set<CompactionPhase | undefined>();
    const moments: { readonly copy: string; readonly possible: readonly Rows[]; readonly step: string }[] = [];
    /** what was flushed last, and each that the state came to since */
    const held = [rowsOf(world)];
    let step = "at the start";
    {
      await mkdir(at);
      using cuts = await PowerCuts.watch(at, () => {
        const copy = mkdtempSync(join(folder, "copy-"));
        cuts.leaveIn(copy);
        phases.add(compactionPhase(copy));
        moments.push({ copy, possible: [...held], step });
      });
      const state = await openSavedState(at, world, { log: silentLogger, longestJournal: 1000, mostUploads: 20 });
      for (let change = 1; change <= CHANGES; change += 1) {
        step = `in the time of change ${change}`;
        world.functions.set(REF, "hello", deployed(change));
        held.push(rowsOf(world));
        const first = state.flush();
        // another request, whose changes are there a while before they are flushed: a snapshot may begin just then
        world.secrets.delete(REF, `S${change - 3}`);
        world.secrets.set(REF, `S${change}`, { digest: "of it", updatedAtMs: change, platform: false });
        held.push(rowsOf(world));
        await first;
        for (let turns = 0; turns < change; turns += 1) await setImmediate();
        world.functions.delete(REF, `of ${change - 1}`);
        world.functions.set(REF, `of ${change}`, deployed(-change));
        held.push(rowsOf(world));
        await state.flush();
        held.splice(0, held.length - 1);
      }
      step = "at the end";
      await state.close();
    }
    const wrong: unknown[] = [];
    for (const { copy, possible, step: when } of moments) {
      const found = await savedRows(copy).catch((error: unknown) => error);
      const fits = possible.some(
        (rows) => !(found instanceof Error) && changedTables(rows, found as Rows).length === 0,
      );
      if (!fits) wrong.push([when, found instanceof Error ? found : used(found as Rows), "of", ...possible.map(used)]);
    }
    expect(wrong).toEqual([]);
    expect(phases).toEqual(new Set(["is being written", "is there beside what it replaces", undefined]));
    expect(moments.length).toBeGreaterThan(10 * CHANGES);
  });
});
