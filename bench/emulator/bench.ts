import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { z } from "zod";
import { type Bench, type BenchContext, type Measure, median } from "../bench.ts";
import { bundle } from "../../test/support/programs/bundle.ts";
import { takeCores } from "../cores.ts";
import { startChild } from "../child.ts";
import { load, type LoadRequest, type LoadResult } from "./load.ts";

/** `npm run bench -- emulator`: what the emulator promises to be fast and small enough for. */
export const emulatorBench: Bench = {
  summary: "requests per second on one core, memory per idle project, time until it listens",
  run: async (context) => {
    const cores = takeCores();
    if (cores === undefined) context.progress("processes cannot be pinned here and take cores from one another");
    const folder = await mkdtemp(join(tmpdir(), "baas-bench-"));
    try {
      const seed = join(folder, "seed.json");
      await writeFile(seed, JSON.stringify(SEED));
      return [
        ...(await throughput(context, seed, cores?.measured)),
        ...(await idleMemory(context, cores?.measured)),
        ...(await startTimes(context, cores?.measured)),
      ];
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
/** As many as there are deploys under way: a second one in the same project would be refused. */
const refs = Array.from({ length: 16 }, (_, index) => `${LETTERS[index] ?? ""}`.repeat(20));
const SEED = {
  settings: { timings: { bundleMs: 0 } },
  projects: refs.map((ref) => ({ name: ref, ref })),
};
const TOKEN = "bench";
const AUTHORIZATION = { authorization: `Bearer ${TOKEN}` };
const FLAGS = ["emulator", "--port", "0", "--token", TOKEN, "--no-limits", "--log-level", "error"];
const SOURCES = "src/main.ts";
const SERVE = [SOURCES, ...FLAGS];

async function throughput({ progress, signal }: BenchContext, seed: string, core?: number): Promise<Measure[]> {
  await using child = startChild([...SERVE, "--seed", seed], { core });
  const url = await child.line();
  const times = { warmUpMs: 2000, measureMs: 6000, signal, cpuSeconds: child.cpuSeconds };
  const measure = (name: string, requests: readonly LoadRequest[], expected: number): Promise<LoadResult> => {
    progress(`${name}: ${times.warmUpMs / 1000} s to warm up, ${times.measureMs / 1000} s measured`);
    const shape = expected === 200 ? { connections: 4, pipelining: 16 } : { connections: refs.length, pipelining: 1 };
    return load({ url, ...shape, ...times, requests, expected });
  };
  const read = { method: "GET", path: `/v1/projects/${refs[0] ?? ""}`, headers: AUTHORIZATION } as const;
  const where = core === undefined ? "not pinned" : "one core";
  const reads = await measure("GET of a project", [read], 200);
  const uploads = await measure("function deploy", deploys(), 201);
  return [
    ...asMeasures("GET of a project", "requests", reads, {
      note: `${where}, 4 connections, 16 requests in flight on each`,
      target: { atLeast: 5000 },
    }),
    ...asMeasures("function deploy", "deploys", uploads, {
      note: `${where}, multipart, one file of 1 KiB, ${refs.length} projects`,
    }),
  ];
}

function asMeasures(
  name: string,
  what: string,
  { perSecond, perCpuSecond }: LoadResult,
  more: Pick<Measure, "note" | "target">,
): readonly Measure[] {
  const byTheClock = { name, value: perSecond, unit: `${what}/s`, ...more };
  if (perCpuSecond === undefined) return [byTheClock];
  const byTheProcessor = { value: perCpuSecond, unit: `${what}/s`, note: "as a core that nobody else uses would" };
  return [byTheClock, { name: `${name}, by processor time`, ...byTheProcessor }];
}

/** The same upload into each project. */
function deploys(): readonly LoadRequest[] {
  const boundary = "bench-boundary";
  const part = (disposition: string, content: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`;
  const body = Buffer.from(
    part('name="metadata"', JSON.stringify({ entrypoint_path: "index.ts" })) +
      part('name="file"; filename="index.ts"', "x".repeat(1024)) +
      `--${boundary}--\r\n`,
  );
  const headers = { ...AUTHORIZATION, "content-type": `multipart/form-data; boundary=${boundary}` };
  return refs.map((ref) => ({
    method: "POST",
    path: `/v1/projects/${ref}/functions/deploy?slug=hello`,
    headers,
    body,
  }));
}

const memorySchema = z.object({ projects: z.number(), rssBytes: z.number(), heapBytes: z.number() });

async function idleMemory({ progress }: BenchContext, core?: number): Promise<Measure[]> {
  progress("memory of idle projects: 5000 are created, one after the other");
  await using child = startChild(["--expose-gc", "bench/emulator/idle-projects.ts"], { core });
  const { projects, rssBytes, heapBytes } = memorySchema.parse(JSON.parse(await child.line()));
  const per = (bytes: number): number => bytes / projects / 1024;
  const note = `${projects} projects created through the API, difference after garbage collection`;
  return [
    { name: "memory per idle project (RSS)", value: per(rssBytes), unit: "KiB", target: { below: 100 }, note },
    { name: "memory per idle project (heap)", value: per(heapBytes), unit: "KiB", note },
  ];
}

const STARTS = 10;

/** Of the program that is shipped, and of the sources, which Node.js has to strip of their types. */
async function startTimes(context: BenchContext, core?: number): Promise<readonly Measure[]> {
  using program = await bundle();
  const shipped = await startsOf(program.file, context, core);
  const sources = await startsOf(SOURCES, context, core);
  return [
    { name: "start to listening", ...shipped.byTheClock, target: { below: 500 } },
    ...shipped.byTheProcessor.map((measure) => ({ name: "start to listening, processor time", ...measure })),
    { name: "start to listening, from the sources", ...sources.byTheClock },
  ];
}

interface Starts {
  readonly byTheClock: Pick<Measure, "value" | "unit" | "note">;
  /** none where nobody counts it */
  readonly byTheProcessor: readonly Pick<Measure, "value" | "unit">[];
}

async function startsOf(program: string, { progress, signal }: BenchContext, core?: number): Promise<Starts> {
  progress(`start of ${basename(program)} to listening: ${STARTS} times, after one that is not counted`);
  const times: number[] = [];
  const cpuTimes: number[] = [];
  for (let run = 0; run <= STARTS; run += 1) {
    signal.throwIfAborted();
    const beganMs = performance.now();
    await using child = startChild([program, ...FLAGS], { core });
    await child.line();
    if (run === 0) continue;
    times.push(performance.now() - beganMs);
    cpuTimes.push(1000 * (child.cpuSeconds() ?? Number.NaN));
  }
  const spread = `${Math.round(Math.min(...times))} to ${Math.round(Math.max(...times))} ms`;
  const cpu = median(cpuTimes);
  return {
    byTheClock: { value: median(times), unit: "ms", note: `median of ${STARTS} processes on one core, ${spread}` },
    byTheProcessor: Number.isNaN(cpu) ? [] : [{ value: cpu, unit: "ms" }],
  };
}
