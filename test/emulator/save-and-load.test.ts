import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { CONTROL_PATH } from "../../src/emulator/control/calls.ts";
import type { EmulatorOptions } from "../../src/emulator/emulator.ts";
import { LEARNED } from "../support/emulator/any-request/bodies.ts";
import { anyRequestOf } from "../support/emulator/any-request/requests.ts";
import { anySeed } from "../support/emulator/any-request/seed.ts";
import { type EmulatorUnderTest, emulatorUnderTest } from "../support/emulator/api.ts";
import { EVERY_CALL } from "../support/emulator/every-call.ts";
import { EVERY_CONTROL_CALL } from "../support/emulator/every-control-call.ts";
import { operationOf, play } from "../support/emulator/play.ts";
import { reading, statefulOperations } from "../support/emulator/reading.ts";
import { changedTables, type Rows, rowsOf } from "../support/emulator/rows.ts";

/**
 * To save and to load is to change nothing: whatever was asked before, the next start holds each row that this one did and reads as it did, the
 * request log too.
 */

const REQUESTS = 400;
/** A seed that is always among those of the requests: what chance reaches is no claim. */
const ALWAYS = 1;
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-save-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CALLS = EVERY_CALL.filter((call) => statefulOperations.some(({ id }) => id === call.id));
/** All but those after which little would be left to read or in the log, and what a start is told again by its options. */
const anyControlCall = fc.constantFrom(
  ...EVERY_CONTROL_CALL.filter(
    ([name]) => !["state.reset", "projects.remove", "log.clear", "settings.patch"].includes(name),
  ),
);

/** Whether it is taken or refused. */
async function steer(under: EmulatorUnderTest, [name, input]: (typeof EVERY_CONTROL_CALL)[number]): Promise<void> {
  const body = typeof input === "function" ? await input(under) : input;
  await under.call("POST", `${CONTROL_PATH}/${name}`, { token: null, body });
}

describe("the state of an emulator", () => {
  it("is after a restart what it was before", { timeout: 120_000 }, async () => {
    let run = 0;
    const readable: number[] = [];
    const logged: number[] = [];
    await fc.assert(
      // a seed, since four hundred requests would fill the report of a failure
      fc.asyncProperty(fc.integer(), async (requestsSeed) => {
        const sent = fc.sample(anyRequestOf(statefulOperations), { seed: requestsSeed, numRuns: REQUESTS });
        const steering = fc.sample(anyControlCall, { seed: requestsSeed, numRuns: REQUESTS / 10 });
        const calls = fc.sample(fc.shuffledSubarray(CALLS), { seed: requestsSeed, numRuns: 1 })[0] ?? [];
        run += 1;
        const options: EmulatorOptions = {
          seed: anySeed,
          limits: { requestsPerMinute: 0 },
          dataDir: join(folder, String(run)),
        };
        const clock = new ManualClock();
        let before: readonly unknown[];
        let rows: Rows;
        let seen: Awaited<ReturnType<EmulatorUnderTest["control"]["log"]["read"]>>;
        {
          await using under = await emulatorUnderTest({ ...options, clock });
          for (const [index, { id, path, sent: what }] of sent.entries()) {
            await under.call(operationOf(id).method, path.replace(LEARNED, "none"), what);
            clock.advance(500);
            const steered = index % 10 === 0 ? steering[index / 10] : undefined;
            if (steered !== undefined) await steer(under, steered);
          }
          await play({ ...under, clock }, calls, () => undefined);
          before = await reading({ ...under, clock });
          seen = await under.control.log.read();
          rows = rowsOf(under.world);
        }
        await using again = await emulatorUnderTest({ ...options, clock: new ManualClock(clock.now()) });
        expect(changedTables(rows, rowsOf(again.world))).toEqual([]);
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
