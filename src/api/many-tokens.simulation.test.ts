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

const WORKERS = 16;

interface Start {
  readonly clock: ManualClock;
  readonly platform: SimulatedPlatform;
  readonly open: (token: string) => ApiClient;
  readonly close: () => void;
}

/** @param users by token */
function start(users: Readonly<Record<string, string>>): Start {
  const clock = new ManualClock();
  const platform = new SimulatedPlatform({ clock, random: seededRandom(7), users, latencyMs: [10, 100] });
  const common = { clock, random: seededRandom(3), log: silentLogger, meter: silentMeter };
  const pacer = new Pacer({ ...common, inSuccession: true });
  const open = (token: string): ApiClient =>
    createClient({
      baseUrl: "http://127.0.0.1:1",
      credentials: new PersonalToken(token),
      dispatcher: platform,
      limits: { maxWaitMs: 1000 },
      pacer,
      ...common,
    });
  return { clock, platform, open, close: () => pacer.close(new Error("over")) };
}

test.each([
  { tokens: 50, of: "one user", userOf: () => "ada", refused: 0, seconds: 10 },
  { tokens: 100, of: "one user", userOf: () => "ada", refused: 40, seconds: 70 },
  { tokens: 200, of: "one user", userOf: () => "ada", refused: 170, seconds: 190 },
  { tokens: 200, of: "two users", userOf: (n: number) => (n % 2 === 0 ? "ada" : "bob"), refused: 80, seconds: 70 },
  { tokens: 200, of: "as many users", userOf: (n: number) => `user-${n}`, refused: 0, seconds: 10 },
])(
  "$tokens tokens of $of are all open in $seconds s, and answered at most $refused 429",
  async ({ tokens, userOf, refused, seconds }) => {
    const users = Object.fromEntries(Array.from({ length: tokens }, (_, n) => [`token-${n}`, userOf(n)]));
    const { clock, platform, open, close } = start(users);
    const waiting = Object.keys(users).map((token) => open(token));
    let opened = 0;
    /** As a connection's look: whoever gets no budget within a second comes again. */
    const look = async (client: ApiClient): Promise<void> => {
      try {
        await client.identity();
        await client.organizations.list(undefined, { maxWaitMs: 1000 });
        opened += 1;
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
    expect(opened).toBe(tokens);
    expect(platform.refusals.length).toBeLessThanOrEqual(refused);
    await all;
    close();
  },
);

test("a user that is throttled keeps nobody else's token from being opened", async () => {
  const { clock, platform, open, close } = start({ "ada-1": "ada", "ada-2": "ada", "bob-1": "bob" });
  const ada = [open("ada-1"), open("ada-2")];
  const opened = Promise.all(ada.map((client) => client.identity()));
  await clock.advanceAsync(61_000);
  await opened;
  for (let n = 0; n < 120; n += 1) platform.arrive("/v1/organizations", "ada-1");
  const refused = ada.map((client) => client.organizations.list().catch(() => undefined));
  await clock.advanceAsync(1000);
  expect(platform.refusals.map(({ token }) => token)).toContain("ada-1");
  const done: string[] = [];
  const bob = open("bob-1")
    .identity()
    .then(() => done.push("bob"));
  await clock.advanceAsync(1000);
  expect(done).toEqual(["bob"]);
  await clock.advanceAsync(120_000);
  await Promise.all([...refused, bob]);
  close();
});
