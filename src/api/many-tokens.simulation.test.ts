import { expect, test } from "vitest";
import { SimulatedPlatform } from "../../test/support/api-server/simulated-platform.ts";
import { silentLogger } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { seededRandom } from "../base/random.ts";
import { type ApiClient, createClient } from "./client.ts";
import { PersonalToken } from "./credentials/personal-token.ts";
import { isApiError } from "./errors.ts";
import { Pacer } from "./pacing/pacer.ts";

/** Many connections at a start: whose tokens they are is read first, and until then nobody knows whose budget they spend. */

const TOKENS = 200;
const WORKERS = 16;

test.each([
  { of: "one user", userOf: () => "ada", seconds: 240 },
  { of: "two users", userOf: (n: number) => (n % 2 === 0 ? "ada" : "bob"), seconds: 180 },
  { of: "as many users", userOf: (n: number) => `user-${n}`, seconds: 10 },
])("200 tokens of $of are answered no 429, and all are open in $seconds s", async ({ userOf, seconds }) => {
  const clock = new ManualClock();
  const users = Object.fromEntries(Array.from({ length: TOKENS }, (_, n) => [`token-${n}`, userOf(n)]));
  const platform = new SimulatedPlatform({ clock, random: seededRandom(7), users, latencyMs: [10, 100] });
  const common = { clock, random: seededRandom(3), log: silentLogger, meter: silentMeter };
  const pacer = new Pacer({ ...common, inSuccession: true });
  const waiting = Object.keys(users).map((token) =>
    createClient({
      baseUrl: "http://127.0.0.1:1",
      credentials: new PersonalToken(token),
      dispatcher: platform,
      limits: { maxWaitMs: 1000 },
      pacer,
      ...common,
    }),
  );
  let open = 0;
  /** As a connection's look: whoever gets no budget within a second comes again. */
  const look = async (client: ApiClient): Promise<void> => {
    try {
      await client.identity();
      await client.organizations.list(undefined, { maxWaitMs: 1000 });
      open += 1;
    } catch (error) {
      const toldMs = isApiError(error) ? error.retryAfterMs : undefined;
      clock.setTimer(toldMs ?? 1000, () => void look(client));
    }
  };
  const work = async (): Promise<void> => {
    for (let client = waiting.shift(); client !== undefined; client = waiting.shift()) await look(client);
  };
  const all = Promise.all(Array.from({ length: WORKERS }, work));
  await clock.advanceAsync(seconds * 1000);
  expect([platform.refusals.length, open]).toEqual([0, TOKENS]);
  await all;
  pacer.close(new Error("over"));
});
