import fc from "fast-check";
import { expect, it } from "vitest";
import { LEARNED, REF } from "../support/emulator/any-request/bodies.ts";
import { anyRequestOf } from "../support/emulator/any-request/requests.ts";
import { anySeed } from "../support/emulator/any-request/seed.ts";
import { emulatorUnderTest } from "../support/emulator/api.ts";
import { operationOf } from "../support/emulator/play.ts";
import { statefulOperations } from "../support/emulator/reading.ts";
import { changedTables, rowsOf } from "../support/emulator/rows.ts";

/** The table of refusals has those that are documented (every-refusal.test.ts); this has whatever else is refused. */

const REQUESTS = 500;
/** A seed that is always among those of the requests: what chance reaches is no claim. */
const ALWAYS = 1;

it("a request that is refused changes no row of any table, whatever was asked before", async () => {
  const refused: number[] = [];
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (requestsSeed) => {
      const sent = fc.sample(anyRequestOf(statefulOperations), { seed: requestsSeed, numRuns: REQUESTS });
      await using under = await emulatorUnderTest({ seed: anySeed, limits: { requestsPerMinute: 0 } });
      for (const keys of ["api-keys", "config/auth/signing-keys"]) {
        await under.call("GET", `/v1/projects/${REF}/${keys}`); // they are made at the first look, whoever looks
      }
      let count = 0;
      for (const { id, path, sent: what } of sent) {
        under.clock.advance(500);
        await under.call("GET", "/v1/profile"); // what went by the clock goes with any request
        const before = rowsOf(under.world);
        const { status, text } = await under.call(operationOf(id).method, path.replace(LEARNED, "none"), what);
        if (status < 400) continue;
        count += 1;
        expect([id, path, status, text, changedTables(before, rowsOf(under.world))]).toEqual([
          id,
          path,
          status,
          text,
          [],
        ]);
      }
      refused.push(count);
    }),
    { numRuns: 3, endOnFailure: true, examples: [[ALWAYS]] },
  );
  expect(refused[0], "refused of those that are always the same").toBeGreaterThan(100);
});
