import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { apiKeys, APP, signing, tokens } from "../support/emulator/killed/credentials.ts";
import { BrokenConnectionError, type Called, EmulatorProcess } from "../support/emulator/killed/process.ts";
import { auth, buckets, config, logDrains, prepareSections } from "../support/emulator/killed/settings.ts";
import { type Reading, Writer } from "../support/emulator/killed/writer.ts";
import { functions, projects, secrets, SHOP } from "../support/emulator/killed/writings.ts";

/** What writes in killed.test.ts is right itself: whichever of its calls breaks, it finds nothing wrong where nothing was lost. */

/** rounds, each of which ends one call later than the one before it */
const ROUNDS = 9;

let folder = "";
let emulator: EmulatorProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-writers-"));
  const seed = join(folder, "seed.json");
  const organizations = [{ slug: "acme", plan: "enterprise", quotas: { projects: 100 } }];
  await writeFile(seed, JSON.stringify({ organizations, projects: [{ name: "shop", ref: SHOP }], oauthApps: [APP] }));
  emulator = await EmulatorProcess.start(["--seed", seed, "--speed", "100000"]);
  await prepareSections(emulator);
});
afterAll(async () => {
  const late = setTimeout(() => void emulator.kill("SIGKILL"), 10_000);
  await emulator.kill("SIGTERM"); // who is killed leaves its databases in the system's temporary folder
  clearTimeout(late);
  await emulator[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** The emulator for so many calls; the one after them breaks before its effect or after it. */
function breaking(calls: number, isDone: boolean): Called {
  let left = calls;
  return {
    call: async (...asked) => {
      left -= 1;
      if (left >= 0) return emulator.call(...asked);
      if (left === -1 && isDone) await emulator.call(...asked);
      throw new BrokenConnectionError("the emulator is gone");
    },
  };
}

async function stepUntilBroken(writer: Pick<Writer<Reading>, "step">, called: Called): Promise<void> {
  try {
    for (;;) await writer.step(called);
  } catch (error) {
    if (!(error instanceof BrokenConnectionError)) throw error;
  }
}

const writers: readonly (() => Pick<Writer<Reading>, "name" | "step" | "wrong">)[] = [
  () => new Writer(tokens()),
  () => new Writer(apiKeys()),
  () => new Writer(signing),
  () => new Writer(auth),
  () => new Writer(config),
  () => new Writer(logDrains),
  () => new Writer(buckets),
  () => new Writer(projects),
  () => new Writer(functions),
  () => new Writer(secrets),
];

it.each(writers.map((begin) => ({ begin, name: begin().name })))(
  "$name: nothing is wrong where nothing was lost, whichever call breaks",
  async ({ begin }) => {
    const writer = begin();
    expect(await writer.wrong(emulator)).toBeUndefined();
    for (const isDone of [false, true]) {
      for (let calls = 0; calls < ROUNDS; calls += 1) {
        await stepUntilBroken(writer, breaking(calls, isDone));
        expect(await writer.wrong(emulator), `after ${calls} calls, done: ${isDone}`).toBeUndefined();
      }
    }
  },
);
