import { setTimeout as wait } from "node:timers/promises";
import type { Bench, BenchContext, Measure } from "../bench.ts";
import { type Ground, openGround } from "./ground.ts";
import { countReady, managedTypes, OBJECTS_PER_PROJECT, putLandscape, teamsOfProjects } from "./landscape.ts";
import { type OperatorProcess, sumOf } from "./process.ts";

const PROJECTS = 1000;
/** After how long it is given up, milliseconds. */
const LONGEST_MS = 1_800_000;
/** A look reads all metrics, which takes the operator some milliseconds. */
const POLL_MS = 2000;

/** `npm run bench -- operator`: the operator with 10,000 objects, from nothing to all Ready, and again after a restart. */
export const operatorBench: Bench = {
  summary: "10,000 objects on a real apiserver: start to all synced, memory, processor time, a quiet hour",
  run: async (context) => {
    const { progress, signal, projects = PROJECTS } = context;
    progress("a control plane and the emulator start");
    const teams = teamsOfProjects(projects);
    const objects = projects * OBJECTS_PER_PROJECT;
    await using ground = await openGround(teams, context);
    progress(`${objects} objects of ${teams.length} teams are created`);
    await putLandscape(ground.kube, teams, { platform: ground.platform, signal });
    const scene = { ground, objects };
    return [...(await firstSync(scene, context)), ...(await restart(scene, context))];
  },
};

interface Scene {
  readonly ground: Ground;
  readonly objects: number;
}

async function firstSync({ ground, objects }: Scene, { progress, signal }: BenchContext): Promise<readonly Measure[]> {
  progress("the operator makes all of them");
  const before = ground.cpuSeconds();
  await using operator = await ground.startOperator();
  await operator.ready(signal);
  const readyMs = performance.now() - operator.startedMs;
  await allReady(operator, objects, { progress, signal });
  const syncedMs = performance.now() - operator.startedMs;
  const counted = await countReady(ground.kube, signal);
  if (counted !== objects) throw new Error(`the operator says that all are Ready, and ${counted} of ${objects} are`);
  const text = await operator.metrics();
  const { cluster: clusterBefore = 0, emulator: emulatorBefore = 0 } = before;
  const { cluster = Number.NaN, emulator = Number.NaN } = ground.cpuSeconds();
  const others = { cluster: cluster - clusterBefore, emulator: emulator - emulatorBefore };
  return [
    { name: "first start to ready", value: readyMs / 1000, unit: "s", note: "all listed, leading" },
    {
      name: "first start to all synced",
      value: syncedMs / 1000,
      unit: "s",
      target: { below: 60 },
      note: "all created",
    },
    ...costs("first start", operator),
    { name: "first start: processor time of apiserver, etcd, controllers", value: others.cluster, unit: "s" },
    { name: "first start: processor time of the emulator", value: others.emulator, unit: "s" },
    { name: "first start: calls of the Management API", value: sumOf(text, "baas_api_requests_total"), unit: "calls" },
    {
      name: "first start: requests to the apiserver",
      value: sumOf(text, "baas_kube_requests_total"),
      unit: "requests",
    },
  ];
}

async function restart({ ground, objects }: Scene, { progress, signal }: BenchContext): Promise<readonly Measure[]> {
  progress("another operator takes over");
  await using operator = await ground.startOperator();
  await operator.ready(signal);
  await allReady(operator, objects, { progress, signal });
  const syncedMs = performance.now() - operator.startedMs;
  return [
    {
      name: "restart to all synced",
      value: syncedMs / 1000,
      unit: "s",
      target: { below: 60 },
      note: "all there already",
    },
    ...costs("restart", operator),
  ];
}

function costs(name: string, { child }: OperatorProcess): readonly Measure[] {
  const memory = child.memory();
  const cpuSeconds = child.cpuSeconds();
  const mega = (bytes: number): number => bytes / 1e6;
  return [
    ...(cpuSeconds === undefined ? [] : [{ name: `${name}: processor time`, value: cpuSeconds, unit: "s" }]),
    ...(memory === undefined
      ? []
      : [
          { name: `${name}: memory (RSS)`, value: mega(memory.rssBytes), unit: "MB", target: { below: 400 } },
          { name: `${name}: most memory (RSS)`, value: mega(memory.peakBytes), unit: "MB", target: { below: 400 } },
        ]),
  ];
}

/** Resolves when the operator sees all objects Ready. */
async function allReady(operator: OperatorProcess, objects: number, { progress, signal }: BenchContext): Promise<void> {
  const untilMs = operator.startedMs + LONGEST_MS;
  let toldMs = performance.now();
  for (;;) {
    const ready = await readyCount(operator);
    if (ready === objects) return;
    if (performance.now() > untilMs) throw new Error(`${ready} of ${objects} objects are Ready after ${LONGEST_MS} ms`);
    if (performance.now() - toldMs > 10_000) {
      progress(`${ready} of ${objects} objects are Ready`);
      toldMs = performance.now();
    }
    await wait(POLL_MS, undefined, { signal });
  }
}

async function readyCount(operator: OperatorProcess): Promise<number> {
  const text = await operator.metrics();
  const wanted = { condition: "Ready", status: "True" };
  return managedTypes.reduce((sum, { kind }) => sum + sumOf(text, "baas_object_conditions", { kind, ...wanted }), 0);
}
