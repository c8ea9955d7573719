import { once as nextEvent } from "node:events";
import { dirname } from "node:path";
import { orAborted, sleep } from "../src/base/abort.ts";
import { systemClock } from "../src/base/clock.ts";
import { type Emulator, startEmulator } from "../src/emulator/emulator.ts";
import { acquireCluster } from "../test/support/control-plane/cluster.ts";
import type { Cluster } from "../test/support/control-plane/existing.ts";
import { type OperatorHandle, startOperator } from "../test/support/operator/operator.ts";
import { kubectl } from "../test/support/programs/kubectl.ts";
import { succeeded } from "../test/support/programs/run.ts";
import {
  QUICKSTART_NAMESPACE,
  QUICKSTART_ORGANIZATION,
  QUICKSTART_PORT,
  QUICKSTART_TOKEN,
  quickstartManifests,
} from "../test/support/stage/quickstart.ts";
import { ensureTools } from "../tools/build.ts";
import { toolPath } from "../tools/programs.ts";
import { readObjects, tableOf } from "./objects.ts";
import type { Screen } from "./screen.ts";

/** Projects come up this many times as fast as on the platform. */
const SPEED = 5;
const CONVERGE_MS = 120_000;
const LOOK_MS = 500;

export interface DemoOptions {
  readonly screen: Screen;
  /** ends after everything was deleted again; else stays until the signal */
  readonly once: boolean;
  readonly signal: AbortSignal;
}

/** @returns the exit code: 0 when everything converged (and, with `once`, went away again) */
export async function runDemo(options: DemoOptions): Promise<number> {
  const { screen, once, signal } = options;
  signal.addEventListener("abort", () => screen.line("stopping"), { once: true });
  try {
    await using stage = await prepare(options);
    const startedMs = systemClock.monotonic();
    await orAborted(apply(stage), signal);
    await converge(stage, options);
    await tellCalls(stage, screen, startedMs);
    if (once) await remove(stage, options);
    else await stay(stage, options);
    return 0;
  } catch (error) {
    if (signal.aborted) {
      screen.line("stopped");
      return once ? 1 : 0;
    }
    screen.line(`the demo failed: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
}

/** What runs while the demo does. */
interface Stage extends AsyncDisposable {
  readonly cluster: Cluster;
  readonly emulator: Emulator;
  readonly operator: OperatorHandle;
}

/** Once the signal aborts, what was under way is left to its watchdogs, which end it with this process. */
async function prepare({ screen, signal }: DemoOptions): Promise<Stage> {
  await ensureTools({ signal });
  const stack = new AsyncDisposableStack();
  try {
    screen.step("Starting a control plane");
    const cluster = await orAborted(acquireCluster(), signal);
    stack.defer(() => cluster.stop());
    const emulator = await startAnEmulator();
    stack.defer(() => emulator.stop());
    screen.line(`Kubernetes ${cluster.server}, emulated Management API ${emulator.url}`);
    if (!emulator.url.endsWith(`:${QUICKSTART_PORT}`)) {
      screen.line(`(port ${QUICKSTART_PORT} is taken: manifests that name it must name the URL above instead)`);
    }
    screen.step("Installing the chart with helm and starting the operator with its arguments and ServiceAccount");
    const starting = startOperator(cluster, { values: { log: { level: "info" } }, keepsLog: true });
    const operator = stack.use(await orAborted(starting, signal));
    await orAborted(operator.waitReady(), signal);
    const owned = stack.move();
    return { cluster, emulator, operator, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

/** On the port that the manifests name, or on another one if that is taken. */
async function startAnEmulator(): Promise<Emulator> {
  const options = { tokens: [QUICKSTART_TOKEN], org: QUICKSTART_ORGANIZATION, speed: SPEED };
  try {
    return await startEmulator({ ...options, port: QUICKSTART_PORT });
  } catch {
    return startEmulator(options);
  }
}

async function apply({ cluster, emulator }: Stage): Promise<void> {
  succeeded(await kubectl(cluster, ["create", "namespace", QUICKSTART_NAMESPACE]));
  const stdin = await quickstartManifests(emulator.url);
  succeeded(await kubectl(cluster, ["apply", "-f", "-"], { stdin }));
}

async function converge({ cluster, operator }: Stage, { screen, signal }: DemoOptions): Promise<void> {
  screen.step("Applied examples/quickstart");
  const deadlineMs = systemClock.monotonic() + CONVERGE_MS;
  for (;;) {
    const objects = await orAborted(readObjects(cluster, QUICKSTART_NAMESPACE), signal);
    screen.table(tableOf(objects, systemClock.now()));
    const waiting = objects.filter(({ settled }) => !settled);
    if (objects.length > 0 && waiting.length === 0) return screen.keep();
    if (systemClock.monotonic() > deadlineMs) {
      screen.keep();
      const why = waiting.map(({ name, message }) => `${name}: ${message}`).join("\n  ");
      throw new Error(`not ready after ${CONVERGE_MS / 1000} s:\n  ${why}\n${operator.logs().slice(-4000)}`);
    }
    await sleep(systemClock, LOOK_MS, signal);
  }
}

async function tellCalls({ emulator }: Stage, screen: Screen, startedMs: number): Promise<void> {
  const { entries } = await emulator.control.log.read({});
  const byMethod = Map.groupBy(entries, ({ method }) => (method === "GET" ? "reads" : "writes"));
  const refused = entries.filter(({ status }) => status === 429).length;
  const seconds = Math.round((systemClock.monotonic() - startedMs) / 1000);
  screen.line(
    `All Ready after ${seconds} s, in ${entries.length} API calls: ${byMethod.get("reads")?.length ?? 0} reads, ` +
      `${byMethod.get("writes")?.length ?? 0} writes, ${refused} refused for their rate.`,
  );
}

async function remove({ cluster, emulator }: Stage, { screen, signal }: DemoOptions): Promise<void> {
  screen.step(`Deleting namespace ${QUICKSTART_NAMESPACE}`);
  succeeded(await kubectl(cluster, ["delete", "namespace", QUICKSTART_NAMESPACE, "--timeout=90s"], { signal }));
  signal.throwIfAborted();
  const { projects } = await emulator.control.state.read({});
  if (projects.length > 0) throw new Error(`${projects.length} projects were left on the platform`);
  screen.line("Everything is gone, in the cluster and on the platform.");
}

async function stay({ cluster, emulator, operator }: Stage, { screen, signal }: DemoOptions): Promise<void> {
  screen.line("");
  screen.step("Go on by hand, in another terminal; Ctrl-C here ends it all:");
  screen.line(`  export KUBECONFIG=${cluster.kubeconfigPath}`);
  screen.line(`  export PATH=${dirname(toolPath("kubectl"))}:$PATH`);
  screen.line(`  kubectl get baas --namespace ${QUICKSTART_NAMESPACE}`);
  screen.line(`  kubectl edit edgefunction hello --namespace ${QUICKSTART_NAMESPACE}`);
  screen.line(`  kubectl describe project shop --namespace ${QUICKSTART_NAMESPACE}`);
  screen.line(`  tail -f ${operator.logPath ?? ""}    # the operator's log`);
  screen.line(`  kubectl delete namespace ${QUICKSTART_NAMESPACE}`);
  screen.line(`  curl --oauth2-bearer ${QUICKSTART_TOKEN} ${emulator.url}/v1/projects`);
  screen.line(
    "No Pod comes of the chart's Deployment (0/1): there are no nodes, and the operator is a process of this demo.",
  );
  // Nothing else keeps the process alive: clocks never do.
  const alive = setInterval(() => undefined, 60_000);
  try {
    if (!signal.aborted) await nextEvent(signal, "abort");
  } finally {
    clearInterval(alive);
  }
}
