import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed } from "../../../test/support/emulator/every-call.ts";
import { play } from "../../../test/support/emulator/play.ts";
import { reading, statefulOperations } from "../../../test/support/emulator/reading.ts";
import { changedTables, rowsOf } from "../../../test/support/emulator/rows.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-restart-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const calls = EVERY_CALL.filter((call) => statefulOperations.some(({ id }) => id === call.id));

it("what is answered after any sequence of operations is answered after a restart", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(calls, { minLength: 30 }), fc.integer(), async (sequence, seed) => {
      const dataDir = await mkdtemp(join(folder, "run-"));
      const clock = new ManualClock();
      const options = { dataDir, clock, seed: everyCallSeed, limits: { requestsPerMinute: 0 } };
      const before = await (async () => {
        await using first = await emulatorUnderTest({ ...options, random: seededRandom(seed) });
        await play(first, sequence, () => undefined);
        return { answers: await reading(first), rows: rowsOf(first.world) };
      })();
      await using second = await emulatorUnderTest(options);
      expect(changedTables(before.rows, rowsOf(second.world))).toEqual([]);
      expect(await reading(second)).toEqual(before.answers);
      expect(before.answers.length).toBeGreaterThan(40);
    }),
    { numRuns: 6 },
  );
});
