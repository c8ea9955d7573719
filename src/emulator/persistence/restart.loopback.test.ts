import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { EVERY_CALL, everyCallSeed } from "../../../test/support/emulator/every-call.ts";
import { play } from "../../../test/support/emulator/play.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-restart-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** Analytics tell of the requests that this process saw, which is not state; SQL has tests of its own, since a database takes seconds. */
const NOT_STATE = /^(analytics|database|migrations|advisors)\./;
const ENDS_THE_PROJECT = new Set(["projects.delete"]);

const stateful = EVERY_CALL.filter(({ id }) => !NOT_STATE.test(id));
const reads = stateful.filter(({ id, path }) => isRead(id) && !/\b(ID|RUN|CODE)\b/.test(path));
const calls = stateful.filter(({ id }) => !ENDS_THE_PROJECT.has(id));

function isRead(id: string): boolean {
  return /\.(get\w*|list\w*|status|eligibility|members|entitlements|utilization|autoscale|health|count)$/.test(id);
}

/** What every read answers now. */
async function answers(under: EmulatorUnderTest): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const now = reads.map((call) => ({ ...call, waitMs: 0 }));
  await play(under, now, ({ operation, received }) => {
    seen.push({ id: operation.id, status: received.status, body: received.text });
  });
  return seen;
}

it("what is answered after any sequence of operations is answered after a restart", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(calls, { minLength: 30 }), fc.integer(), async (sequence, seed) => {
      const dataDir = await mkdtemp(join(folder, "run-"));
      const clock = new ManualClock();
      const options = { dataDir, clock, seed: everyCallSeed, limits: { requestsPerMinute: 0 } };
      const before = await (async () => {
        await using first = await emulatorUnderTest({ ...options, random: seededRandom(seed) });
        await play(first, sequence, () => undefined);
        return { answers: await answers(first), state: await first.control.state.read() };
      })();
      await using second = await emulatorUnderTest(options);
      expect(await second.control.state.read()).toEqual(before.state);
      expect(await answers(second)).toEqual(before.answers);
      expect(before.answers.length).toBeGreaterThan(30);
    }),
    { numRuns: 6 },
  );
});
