import { seededRandom } from "../src/base/random.ts";
import { ManualClock } from "../src/base/manual-clock.ts";
import { silentMeter } from "../src/base/meter.ts";
import type { Key } from "../src/runtime/key.ts";
import { lanes } from "../src/runtime/lane.ts";
import { WorkQueue } from "../src/runtime/workqueue.ts";
import { type Bench, median } from "./bench.ts";
import { memoryInUse } from "../test/support/garbage.ts";

const KEYS = 100_000;
/** Projects that the keys belong to. */
const GROUPS = 1000;
const RUNS = 5;

/** `npm run bench -- queue`: the work queue with 100,000 keys in it. */
export const queueBench: Bench = {
  summary: "adds and gets per second of the work queue at 100,000 keys, memory per key",
  run: async ({ progress, signal }) => {
    progress(`${KEYS} keys of ${GROUPS} projects in three lanes: ${RUNS} times, after one that is not counted`);
    const adds: number[] = [];
    const merges: number[] = [];
    const gets: number[] = [];
    for (let run = 0; run <= RUNS; run += 1) {
      signal.throwIfAborted();
      const round = await measure(keys(), signal);
      if (run === 0) continue;
      adds.push(round.addsPerSecond);
      merges.push(round.mergesPerSecond);
      gets.push(round.getsPerSecond);
    }
    const note = `median of ${RUNS}, by processor time, collection of garbage included`;
    const unit = "keys/s";
    return [
      { name: "adds of new keys, up to 100,000", value: median(adds), unit, note },
      { name: "adds of keys that wait already", value: median(merges), unit, note: `${note}, to a more urgent lane` },
      { name: "gets, down from 100,000", value: median(gets), unit, note: `${note}, each run ended as well` },
      {
        name: "memory per key (heap)",
        value: await heapPerKey(),
        unit: "bytes",
        note: "difference after garbage collection",
      },
    ];
  },
};

function keys(): readonly Key[] {
  return Array.from({ length: KEYS }, (_, n) => ({ kind: "EdgeFunction", namespace: "team", name: `function-${n}` }));
}

function newQueue(): WorkQueue {
  const queue = new WorkQueue({ clock: new ManualClock(), random: seededRandom(1), meter: silentMeter });
  queue.start();
  return queue;
}

function fill(queue: WorkQueue, all: readonly Key[]): void {
  for (const [n, key] of all.entries()) {
    queue.add(key, { group: `team/project-${n % GROUPS}`, lane: lanes[n % lanes.length] ?? "drift" });
  }
}

interface Round {
  readonly addsPerSecond: number;
  readonly mergesPerSecond: number;
  readonly getsPerSecond: number;
}

async function measure(all: readonly Key[], signal: AbortSignal): Promise<Round> {
  const queue = newQueue();
  const cpuMs = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
  const perSecond = (beganMs: number): number => (KEYS / (cpuMs() - beganMs)) * 1000;
  let beganMs = cpuMs();
  fill(queue, all);
  const addsPerSecond = perSecond(beganMs);
  beganMs = cpuMs();
  for (const [n, key] of all.entries()) {
    queue.add(key, { group: `team/project-${n % GROUPS}`, lane: "change", wasReady: true });
  }
  const mergesPerSecond = perSecond(beganMs);
  beganMs = cpuMs();
  for (let n = 0; n < KEYS; n += 1) queue.done(await queue.next(signal));
  const getsPerSecond = perSecond(beganMs);
  queue.close();
  return { addsPerSecond, mergesPerSecond, getsPerSecond };
}

/** What a key costs beyond its own text, bytes. */
async function heapPerKey(): Promise<number> {
  const all = keys();
  const queue = newQueue();
  const before = await memoryInUse();
  fill(queue, all);
  const bytes = ((await memoryInUse()) - before) / KEYS;
  queue.close();
  return bytes;
}
