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
import { EVERY_CALL } from "../support/emulator/every-call.ts";
import { play } from "../support/emulator/play.ts";

/** To save and to load is to change nothing: whatever was asked before, the next start reads as this one did. */

const REQUESTS = 400;
/** SQL has a database of its own, whose files are tested with it; logs are not kept; without the project little would be left to read. */
const LEFT_OUT = /^(?:database|migrations|advisors|analytics)\.|^projects\.delete$/;
const asked = operations.filter(({ id }) => !LEFT_OUT.test(id));
const reads = EVERY_CALL.filter(({ id }) => asked.some((one) => one.id === id && one.retry === "read"));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-save-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Everything that can be read, as one value. */
async function reading(under: EmulatorUnderTest): Promise<readonly unknown[]> {
  const answers: unknown[] = [await under.control.state.read(), await under.control.settings.read()];
  const still = reads.map((call) => ({ ...call, waitMs: 0 }));
  await play(under, still, ({ operation, received: { status, text } }) => {
    // an id of the answer itself
    answers.push([operation.id, status, text.replace(/"errorEventId":"\w+"/, "")]);
  });
  return answers;
}

describe("the state of an emulator", () => {
  it("is after a restart what it was before", { timeout: 120_000 }, async () => {
    let run = 0;
    await fc.assert(
      // a seed, since four hundred requests would fill the report of a failure
      fc.asyncProperty(fc.integer(), async (requestsSeed) => {
        const sent = fc.sample(anyRequestOf(asked), { seed: requestsSeed, numRuns: REQUESTS });
        run += 1;
        const options: EmulatorOptions = {
          seed: anySeed,
          limits: { requestsPerMinute: 0 },
          dataDir: join(folder, String(run)),
        };
        const clock = new ManualClock();
        let before: readonly unknown[];
        {
          await using under = await emulatorUnderTest({ ...options, clock });
          for (const { id, path, sent: what } of sent) {
            const method = operations.find((operation) => operation.id === id)?.method ?? "GET";
            await under.call(method, path.replace(LEARNED, "none"), what);
            clock.advance(500);
          }
          before = await reading({ ...under, clock });
        }
        await using again = await emulatorUnderTest({ ...options, clock: new ManualClock(clock.now()) });
        expect(await reading(again)).toEqual(before);
        expect(before.filter((answer) => Array.isArray(answer) && answer[1] === 200).length).toBeGreaterThan(40);
      }),
      { numRuns: 5, endOnFailure: true },
    );
  });
});
