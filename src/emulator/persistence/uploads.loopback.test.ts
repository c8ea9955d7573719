import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../base/log.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { DrivenClock } from "../driven-clock.ts";
import { bundleOf, newFunction, withBundle } from "../functions/function-record.ts";
import { DEFAULT_SETTINGS } from "../state/settings.ts";
import { createWorld, type World } from "../state/world.ts";
import { openSavedState, type SavedState } from "./saved-state.ts";

const REF = "abcdefghijklmnopqrst";
const SIZE = 1000;
const MOST = 5 * SIZE;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-uploads-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function opened(at = folder): Promise<{ readonly world: World; readonly state: SavedState }> {
  const world = createWorld(new DrivenClock(new ManualClock()), seededRandom(1), DEFAULT_SETTINGS);
  return { world, state: await openSavedState(at, world, { log: silentLogger, mostUploads: MOST }) };
}

function deploy(world: World, slug: string, content: string): void {
  const files = [{ path: "index.ts", content: Buffer.from(content.padEnd(SIZE)) }];
  world.functions.set(REF, slug, withBundle(newFunction(slug, 0), bundleOf(files, "index.ts"), 0));
}

function contentOf(world: World, slug: string): string | undefined {
  const content = world.functions.get(REF, slug)?.bundle?.files[0]?.content;
  return content === undefined ? undefined : Buffer.from(content).toString().trimEnd();
}

const uploads = async (): Promise<number> => (await readdir(join(folder, "bytes"))).length;

describe("uploads that nobody has any more", () => {
  it("go while the emulator runs, and those of others and of the moment stay", async () => {
    const { world, state } = await opened();
    deploy(world, "kept", "kept");
    for (let round = 0; round < 60; round += 1) {
      deploy(world, "hello", `${round}`);
      deploy(world, "again", `${round % 2}`); // comes back after it may have gone
      await state.flush();
    }
    // as many as are written between two snapshots, and once more while one is under way
    expect(await uploads()).toBeLessThan(20);
    await state.close();
    const { world: after, state: again } = await opened();
    expect(["kept", "hello", "again"].map((slug) => contentOf(after, slug))).toEqual(["kept", "59", "1"]);
    expect(await uploads()).toBe(3);
    await again.close();
  });

  it("are there as long as a crash would need them: every copy of the folder can be loaded", async () => {
    const { world, state } = await opened();
    for (let round = 0; round < 40; round += 1) {
      deploy(world, "hello", `${round}`);
      await state.flush();
      const copy = await mkdtemp(join(tmpdir(), "baas-copy-"));
      try {
        await cp(folder, copy, { recursive: true, filter: (path) => !path.endsWith("lock") });
        const { world: copied, state: other } = await opened(copy);
        expect(contentOf(copied, "hello")).toBe(`${round}`);
        await other.close();
      } catch (error) {
        // a file was renamed or removed while it was copied, which a crash cannot do
        if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
      } finally {
        await rm(copy, { recursive: true, force: true });
      }
    }
    await state.close();
  });
});

describe("an upload that takes its time", () => {
  it("holds back the line that tells of it and those behind it, so that they are in the order of the changes", async () => {
    const { world, state } = await opened();
    const flushed: Promise<void>[] = [];
    for (let round = 0; round < 20; round += 1) {
      deploy(world, "hello", `${round}`);
      deploy(world, "gone", `gone ${round}`);
      flushed.push(state.flush());
      world.functions.delete(REF, "gone");
      flushed.push(state.flush());
    }
    await Promise.all(flushed);
    await state.abandon();
    const { world: after, state: again } = await opened();
    expect(["hello", "gone"].map((slug) => contentOf(after, slug))).toEqual(["19", undefined]);
    await again.close();
  });
});
