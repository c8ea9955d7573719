import { subscribe } from "node:diagnostics_channel";
import { setTimeout as wait } from "node:timers/promises";
import { Command } from "commander";
import { z } from "zod";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { operate } from "../../src/cli/operator.ts";
import { addRunOptions, addScopeOptions, runFlags } from "../../src/cli/operator-flags.ts";
import { DrivenClock } from "../../src/emulator/driven-clock.ts";
import { managedTypes } from "../operator/landscape.ts";
import { sumOf } from "../operator/process.ts";

/**
 * Program of the hour's bench: an operator on a clock that is pushed ahead. Waits until all objects are Ready, lets an hour pass, and prints what
 * that took as a line of JSON. Arguments: kubeconfig, address of the metrics, number of objects.
 */

const HOUR_MS = 3_600_000;
/** How far time jumps when nothing is under way, milliseconds. */
const STEP_MS = 1000;
const POLL_MS = 500;
/** Rounds of the event loop without any request after which nothing more comes of what was answered. */
const QUIET_ROUNDS = 4;
/** How long nothing may be written before all is done that the first sync left to do, such as events, milliseconds. */
const SETTLE_MS = 3000;

const watch = z.object({ request: z.object({ path: z.string().includes("watch=true") }) });
let open = 0;
const isWatch = (message: unknown): boolean => watch.safeParse(message).success;
subscribe("undici:request:create", (message) => void (open += isWatch(message) ? 0 : 1));
for (const name of ["undici:request:trailers", "undici:request:error"]) {
  subscribe(name, (message) => void (open -= isWatch(message) ? 0 : 1));
}

async function quiet(): Promise<void> {
  for (let rounds = 0; rounds < QUIET_ROUNDS; rounds = open === 0 ? rounds + 1 : 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

interface Where {
  readonly kubeconfig: string;
  /** address of the probes and metrics */
  readonly health: string;
}

function start({ kubeconfig, health }: Where, clock: DrivenClock, signal: AbortSignal): Promise<number> {
  // Without the lease, which has the machine's time.
  const own = ["--operator-namespace", "default", "--no-leader-elect"];
  const args = ["--kubeconfig", kubeconfig, "--health-address", health, ...own];
  const command = addRunOptions(addScopeOptions(new Command(), undefined)).parse(args, { from: "user" });
  return operate({ flags: runFlags.parse(command.opts()), proxy: {}, log: silentLogger, signal, clock });
}

/** Resolves when all objects are Ready and nothing is written any more. */
async function settled(metrics: () => Promise<string>, objects: number, signal: AbortSignal): Promise<void> {
  while (readyIn(await metrics()) < objects) await wait(POLL_MS, undefined, { signal });
  for (let last = -1, now = writesIn(await metrics()); now !== last; now = writesIn(await metrics())) {
    last = now;
    await wait(SETTLE_MS, undefined, { signal });
  }
}

async function passHour(clock: DrivenClock, signal: AbortSignal): Promise<void> {
  const endMs = clock.monotonic() + HOUR_MS;
  while (clock.monotonic() < endMs) {
    signal.throwIfAborted();
    clock.advance(Math.min(STEP_MS, endMs - clock.monotonic()));
    await quiet();
  }
}

async function main(where: Where, objects: number): Promise<void> {
  const clock = new DrivenClock(systemClock);
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort(new Error("SIGTERM")));
  const ended = start(where, clock, stop.signal);
  const metrics = async (): Promise<string> => {
    const answer = await fetch(`http://${where.health}/metrics`).catch(() => undefined);
    return answer === undefined ? "" : answer.text();
  };
  await settled(metrics, objects, stop.signal);
  const before = await metrics();
  const cpu = process.cpuUsage();
  await passHour(clock, stop.signal);
  const { user, system } = process.cpuUsage(cpu);
  const after = await metrics();
  const grown = (name: string, labels = {}): number => sumOf(after, name, labels) - sumOf(before, name, labels);
  const told = {
    calls: grown("baas_api_requests_total"),
    reconciles: grown("baas_reconcile_total"),
    kubeReads: grown("baas_kube_requests_total", { method: "GET" }),
    kubeWrites: writesIn(after) - writesIn(before),
    ready: readyIn(after),
    cpuSeconds: (user + system) / 1e6,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
  stop.abort(new Error("the hour is over"));
  await ended;
}

function writesIn(text: string): number {
  const requests = "baas_kube_requests_total";
  return sumOf(text, requests) - sumOf(text, requests, { method: "GET" });
}

function readyIn(text: string): number {
  const ready = { condition: "Ready", status: "True" };
  return managedTypes.reduce((sum, { kind }) => sum + sumOf(text, "baas_object_conditions", { kind, ...ready }), 0);
}

const [kubeconfig = "", health = "", objects = "0"] = process.argv.slice(2);
await main({ kubeconfig, health }, Number(objects));
