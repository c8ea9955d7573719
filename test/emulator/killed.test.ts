import { watch } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { compactionPhase } from "../support/emulator/compaction.ts";
import { BrokenConnectionError, EmulatorProcess } from "../support/emulator/killed/process.ts";
import { APP, apiKeys, signing, tokens } from "../support/emulator/killed/credentials.ts";
import { auth, buckets, clock, config, logDrains, lone, prepareSections } from "../support/emulator/killed/settings.ts";
import { branch, restores } from "../support/emulator/killed/longer-writings.ts";
import { type Reading, Writer } from "../support/emulator/killed/writer.ts";
import * as short from "../support/emulator/killed/writings.ts";
import { seedFrom } from "../support/seed.ts";

/**
 * What is killed at any moment has lost nothing that it had acknowledged, and left nothing half done of these writes: each is in one place, the
 * database or the journal. What is done in both is not among them but for removals: a merge or push that was under way may have brought the
 * migrations and not the functions (docs/emulator.md), and those here bring no function. `KILL_ROUNDS` says how often it is killed, `KILL_SEED`
 * with the seed that is printed lets the ends come as they did.
 */

const ROUNDS = Math.max(1, Number.parseInt(process.env["KILL_ROUNDS"] ?? "2", 10) || 2);
/** of a round, on a machine that has much else to do */
const ROUND_MS = 150_000;
/** acknowledged writes of those that take longest after which the end comes, at most */
const MOST_WRITES = 6;
/** and so much later, milliseconds */
const LATEST_MS = 60;
/** names that come into the folder with a snapshot: an end is sent at each, and comes then or a moment later */
const DRAFT = /^snapshot-\d+\.jsonl\.new$/;
const WHOLE = /^snapshot-\d+\.jsonl$/;
const ENDS = [DRAFT, WHOLE, DRAFT, WHOLE, DRAFT, WHOLE];
const TRY_MS = 30_000;
const { SHOP, TREE, PAST, KEPT, sql } = short;

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-killed-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const data = () => join(folder, "data");

async function seedFile(): Promise<string> {
  const seed = join(folder, "seed.json");
  const projects = [
    { name: "shop", ref: SHOP },
    { name: "tree", ref: TREE, pitr: true, branches: [{ name: "main" }] },
    { name: "past", ref: PAST, pitr: true },
  ];
  const organizations = [{ slug: "acme", plan: "enterprise", quotas: { projects: 100 } }];
  await writeFile(seed, JSON.stringify({ organizations, projects, oauthApps: [APP] }));
  return seed;
}

/** As everybody starts it. */
async function start(): Promise<EmulatorProcess> {
  return EmulatorProcess.start(["--data-dir", data(), "--seed", await seedFile(), "--speed", "100000"]);
}

async function prepare(emulator: EmulatorProcess): Promise<void> {
  const made = [
    await sql(emulator, SHOP, "create table pairs (x text); create table lone (x text); create table moved (x text)"),
    await sql(emulator, TREE, KEPT),
    await sql(emulator, PAST, KEPT),
  ];
  expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(await prepareSections(emulator)).toEqual([200, 200, 204]);
}

type AnyWriter = Pick<Writer<Reading>, "name" | "acknowledged" | "step" | "wrong">;

describe("kill -9", () => {
  it(
    "loses no acknowledged write of any kind, and leaves none half done that is of SQL or of state alone",
    { timeout: ROUNDS * ROUND_MS },
    async () => {
      const seed = seedFrom("KILL_SEED");
      console.log(`KILL_SEED=${seed} KILL_ROUNDS=${ROUNDS}`);
      const random = seededRandom(seed);
      const { rows, migrations, projects, filled, functions, secrets } = short;
      const slow: readonly AnyWriter[] = [new Writer(branch), new Writer(restores()), new Writer(filled)];
      const quick = [new Writer(rows), new Writer(migrations), new Writer(projects), new Writer(functions)];
      const told: readonly AnyWriter[] = [new Writer(tokens()), new Writer(apiKeys()), new Writer(signing)];
      const set = [new Writer(auth), new Writer(config), new Writer(logDrains), new Writer(buckets), new Writer(lone)];
      const writers: readonly AnyWriter[] = [...slow, ...quick, new Writer(secrets), ...told, ...set];
      for (let round = 0; round <= ROUNDS; round += 1) {
        await using emulator = await start();
        if (round === 0) await prepare(emulator);
        const wrong: (string | undefined)[] = [];
        for (const one of writers) wrong.push(await one.wrong(emulator));
        expect(wrong.filter(Boolean), `again with KILL_SEED=${seed}`).toEqual([]);
        const end = { after: 1 + Math.floor(random() * MOST_WRITES), slow, when: later(random() * LATEST_MS) };
        if (round < ROUNDS) await writeAndKill(emulator, writers, end);
      }
    },
  );

  it(
    "loses nothing either while a snapshot is written, nor before what it replaces is removed",
    { timeout: (ENDS.length + 1) * TRY_MS },
    async () => {
      const slow: readonly AnyWriter[] = [
        new Writer(short.projects),
        new Writer(short.functions),
        new Writer(short.secrets),
      ];
      const quick: readonly AnyWriter[] = [new Writer(apiKeys()), new Writer(signing), new Writer(clock())];
      const writers = [...slow, ...quick];
      const found: unknown[] = [];
      for (const name of [...ENDS, undefined]) {
        await using emulator = await EmulatorProcess.startWithSnapshots(data(), await seedFile());
        const wrong: (string | undefined)[] = [];
        for (const one of writers) wrong.push(await one.wrong(emulator));
        expect(wrong.filter(Boolean), `after ${found.join(", ")}`).toEqual([]);
        if (name === undefined) break;
        await writeAndKill(emulator, writers, { after: 1, slow, when: atName(name) });
        found.push(compactionPhase(data()) ?? "is none");
      }
      console.log(`at the ends a snapshot ${found.join(", ")}`);
    },
  );
});

/** Sends the end when its time has come, unless it is disposed of before. */
type When = (kill: () => void) => Disposable;

function later(ms: number): When {
  return (kill) => {
    const timer = setTimeout(kill, ms);
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  };
}

/** As soon as a file of such a name comes into the folder, or goes. */
function atName(pattern: RegExp): When {
  return (kill) => {
    const watcher = watch(data(), (_event, name) => {
      if (name !== null && pattern.test(name)) kill();
    });
    return { [Symbol.dispose]: () => watcher.close() };
  };
}

interface End {
  readonly after: number;
  readonly slow: readonly AnyWriter[];
  readonly when: When;
}

/** Not before each of them wrote something, in this round or one before. */
async function writeAndKill(
  emulator: EmulatorProcess,
  writers: readonly AnyWriter[],
  { after, slow, when }: End,
): Promise<void> {
  const written = (): number => slow.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  const before = written();
  let end: Disposable | undefined;
  const write = async (one: AnyWriter): Promise<void> => {
    try {
      for (;;) {
        await one.step(emulator);
        if (written() < before + after || writers.some(({ acknowledged }) => acknowledged === 0)) continue;
        end ??= when(() => void emulator.kill("SIGKILL"));
      }
    } finally {
      await emulator.kill("SIGKILL"); // whatever ends one of them ends it for all
    }
  };
  const ended = await Promise.allSettled(writers.map(write));
  end?.[Symbol.dispose]();
  for (const one of ended) {
    if (one.status === "rejected" && !(one.reason instanceof BrokenConnectionError)) throw one.reason;
  }
  // Whoever ends by itself breaks connections as well.
  expect({ isSent: end !== undefined, endedBy: emulator.endedBy }).toEqual({ isSent: true, endedBy: "SIGKILL" });
}
