import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { operations } from "../../src/api/contract/contract.ts";
import type { EmulatorOptions } from "../../src/emulator/emulator.ts";
import { LEARNED } from "../support/emulator/any-request/bodies.ts";
import { anyRequestOf } from "../support/emulator/any-request/requests.ts";
import { anySeed } from "../support/emulator/any-request/seed.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";
import { reading, statefulOperations } from "../support/emulator/reading.ts";

/** To save and to load is to change nothing: whatever was asked before, the next start reads as this one did, the request log too. */

const REQUESTS = 400;
/** A seed that is always among those of the requests: what chance reaches is no claim. */
const ALWAYS = 1;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-save-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("the state of an emulator", () => {
  it("is after a restart what it was before", { timeout: 120_000 }, async () => {
    let run = 0;
    const readable: number[] = [];
    const logged: number[] = [];
    await fc.assert(
      // a seed, since four hundred requests would fill the report of a failure
      fc.asyncProperty(fc.integer(), async (requestsSeed) => {
        const sent = fc.sample(anyRequestOf(statefulOperations), { seed: requestsSeed, numRuns: REQUESTS });
        run += 1;
        const options: EmulatorOptions = {
          seed: anySeed,
          limits: { requestsPerMinute: 0 },
          dataDir: join(folder, String(run)),
        };
        const clock = new ManualClock();
        let before: readonly unknown[];
        let seen: Awaited<ReturnType<EmulatorUnderTest["control"]["log"]["read"]>>;
        {
          await using under = await emulatorUnderTest({ ...options, clock });
          for (const { id, path, sent: what } of sent) {
            const method = operations.find((operation) => operation.id === id)?.method ?? "GET";
            await under.call(method, path.replace(LEARNED, "none"), what);
            clock.advance(500);
          }
          before = await reading({ ...under, clock });
          seen = await under.control.log.read();
        }
        await using again = await emulatorUnderTest({ ...options, clock: new ManualClock(clock.now()) });
        expect(await again.control.log.read()).toEqual(seen);
        expect(await reading(again)).toEqual(before);
        logged.push(seen.entries.length);
        readable.push(before.filter((answer) => Array.isArray(answer) && answer[1] === 200).length);
      }),
      { numRuns: 5, endOnFailure: true, examples: [[ALWAYS]] },
    );
    expect(readable[0], "what is read after the requests that are always the same").toBeGreaterThan(40);
    expect(Math.min(...logged), "every request is in the log").toBeGreaterThan(REQUESTS);
  });
});
