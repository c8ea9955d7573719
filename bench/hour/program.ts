import { subscribe } from "node:diagnostics_channel";
import { setTimeout as wait } from "node:timers/promises";
import { Command } from "commander";
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
/** Time for what the first sync left to do, such as events, milliseconds. */
const SETTLE_MS = 10_000;

let open = 0;
const isWatch = (message: unknown): boolean => JSON.stringify(message, ["request", "path"]).includes("watch=true");
subscribe("undici:request:create", (message) => void (open += isWatch(message) ? 0 : 1));
for (const name of ["undici:request:trailers", "undici:request:error"]) {
  subscribe(name, (message) => void (open -= isWatch(message) ? 0 : 1));
}

async function quiet(): Promise<void> {
  for (let rounds = 0; rounds < QUIET_ROUNDS; rounds = open === 0 ? rounds + 1 : 0) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function main(kubeconfig: string, health: string, objects: number): Promise<void> {
  // Without the lease, which has the machine's time.
  const args = [
    "--kubeconfig",
    kubeconfig,
    "--operator-namespace",
    "default",
    "--health-address",
    health,
    "--no-leader-elect",
  ];
  const flags = runFlags.parse(
    addRunOptions(addScopeOptions(new Command(), undefined)).parse(args, { from: "user" }).opts(),
  );
  const clock = new DrivenClock(systemClock);
  const stop = new AbortController();
  process.once("SIGTERM", () => stop.abort(new Error("SIGTERM")));
  const ended = operate({ flags, proxy: {}, log: silentLogger, signal: stop.signal, clock });
  const metrics = async (): Promise<string> => {
    const answer = await fetch(`http://${health}/metrics`).catch(() => undefined);
    return answer === undefined ? "" : answer.text();
  };
  while (!stop.signal.aborted && readyIn(await metrics()) < objects) await wait(POLL_MS);
  await wait(SETTLE_MS);
  const before = await metrics();
  const cpu = process.cpuUsage();
  const endMs = clock.monotonic() + HOUR_MS;
  while (!stop.signal.aborted && clock.monotonic() < endMs) {
    clock.advance(Math.min(STEP_MS, endMs - clock.monotonic()));
    await quiet();
  }
  const { user, system } = process.cpuUsage(cpu);
  const after = await metrics();
  const grown = (name: string, labels = {}): number => sumOf(after, name, labels) - sumOf(before, name, labels);
  const told = {
    calls: grown("baas_api_requests_total"),
    reconciles: grown("baas_reconcile_total"),
    kubeReads: grown("baas_kube_requests_total", { method: "GET" }),
    kubeRequests: grown("baas_kube_requests_total"),
    ready: readyIn(after),
    cpuSeconds: (user + system) / 1e6,
  };
  process.stdout.write(`${JSON.stringify(told)}\n`);
  stop.abort(new Error("the hour is over"));
  await ended;
}

function readyIn(text: string): number {
  const ready = { condition: "Ready", status: "True" };
  return managedTypes.reduce((sum, { kind }) => sum + sumOf(text, "baas_object_conditions", { kind, ...ready }), 0);
}

const [kubeconfig = "", health = "", objects = "0"] = process.argv.slice(2);
await main(kubeconfig, health, Number(objects));
