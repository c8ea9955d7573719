import { edgeFunctionKind } from "../../src/resources/edge-function/kind.ts";
import { type Bench, type BenchContext, type Measure, median } from "../bench.ts";
import { type Ground, openGround } from "../operator/ground.ts";
import { countReady, functionDraft, isReady, putProjects, teamsOf } from "../operator/landscape.ts";
import { type OperatorProcess, sumOf } from "../operator/process.ts";
import { setTimeout as wait } from "node:timers/promises";

/** So many that no project comes near its 120 requests a minute, which would be waited for. */
const PROJECTS = 10;
const RUNS = 50;
const WARM_UP = 10;
const POLL_MS = 200;

/** `npm run bench -- latency`: from the creation of an EdgeFunction until the apiserver tells a watcher that it is Ready. */
export const latencyBench: Bench = {
  summary: "one EdgeFunction in an existing project: creation to Ready, over what the platform takes",
  run: async (context) => {
    const { progress, signal } = context;
    const [team, ...none] = teamsOf(1, PROJECTS);
    if (team === undefined || none.length > 0) throw new Error("one team is wanted");
    progress("a control plane and the emulator start");
    await using ground = await openGround([team]);
    await putProjects(ground.kube, team, { platform: ground.platform, signal });
    await using operator = await ground.startOperator();
    while ((await countReady(ground.kube, signal)) < PROJECTS) await wait(POLL_MS, undefined, { signal });
    progress(`${WARM_UP} functions that are not counted, then ${RUNS}, one after the other`);
    const runs: Run[] = [];
    for (let n = 0; n < WARM_UP + RUNS; n += 1) {
      const run = await create(ground, operator, { namespace: team.name, n, context });
      if (n >= WARM_UP) runs.push(run);
    }
    return asMeasures(runs);
  },
};

interface Run {
  /** creation to Ready, milliseconds */
  readonly totalMs: number;
  /** of that, waiting for answers of the Management API */
  readonly platformMs: number;
  readonly calls: number;
}

interface What {
  readonly namespace: string;
  readonly n: number;
  readonly context: BenchContext;
}

async function create(ground: Ground, operator: OperatorProcess, { namespace, n, context }: What): Promise<Run> {
  const { kube } = ground;
  const { type } = edgeFunctionKind;
  const name = `function-${n}`;
  const before = await operator.metrics();
  const { resourceVersion } = await kube.listPage(type, { limit: 1 });
  const stop = new AbortController();
  const signal = AbortSignal.any([context.signal, stop.signal]);
  const watching = { namespace, resourceVersion, signal, timeoutSeconds: 120, idleMs: 120_000 };
  const accepted = Promise.withResolvers<void>();
  const readyMs = untilReady(kube.watch(type, { ...watching, onActivity: accepted.resolve }), name);
  await Promise.race([accepted.promise, readyMs]);
  const startedMs = performance.now();
  await kube.create(type, functionDraft(namespace, `project-${n % PROJECTS}`, name), { signal });
  const totalMs = (await readyMs) - startedMs;
  stop.abort(new Error("it is Ready"));
  const after = await operator.metrics();
  const grown = (metric: string): number => sumOf(after, metric) - sumOf(before, metric);
  const platformMs = 1000 * grown("baas_api_request_duration_seconds_sum");
  return { totalMs, platformMs, calls: grown("baas_api_requests_total") };
}

/** @returns when it was told, as performance.now has it */
async function untilReady(events: ReturnType<Ground["kube"]["watch"]>, name: string): Promise<number> {
  for await (const event of events) {
    if (!("object" in event)) continue;
    if (event.object.metadata.name === name && isReady(event.object)) return performance.now();
  }
  throw new Error(`the watch ended before ${name} was Ready`);
}

function asMeasures(runs: readonly Run[]): readonly Measure[] {
  const overheads = runs.map(({ totalMs, platformMs }) => totalMs - platformMs).toSorted((a, b) => a - b);
  const at = (share: number): number => Math.round(overheads[Math.floor(share * (overheads.length - 1))] ?? Number.NaN);
  const note = `median of ${runs.length}, ${at(0)} to ${at(1)} ms, one in ten more than ${at(0.9)} ms`;
  return [
    { name: "creation to Ready", value: median(runs.map(({ totalMs }) => totalMs)), unit: "ms" },
    { name: "waiting for the platform", value: median(runs.map(({ platformMs }) => platformMs)), unit: "ms" },
    { name: "overhead", value: median(overheads), unit: "ms", target: { below: 100 }, note },
    { name: "calls of the Management API", value: median(runs.map(({ calls }) => calls)), unit: "calls" },
  ];
}
