import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { silentMeter } from "../../src/base/meter.ts";
import { systemRandom } from "../../src/base/random.ts";
import { openStores } from "../../src/cli/operator-stores.ts";
import { createKubeClient } from "../../src/kube/client-requests.ts";
import { Reflector } from "../../src/kube/reflector.ts";
import { Store } from "../../src/kube/store.ts";
import { withoutNoise } from "../../src/kube/transform.ts";
import { createKubeTransport } from "../../src/kube/transport.ts";
import { edgeFunctionKind } from "../../src/resources/edge-function/kind.ts";
import { kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import type { Bench, BenchContext, Measure } from "../bench.ts";
import { startChild } from "../child.ts";
import { memoryInUse } from "../../test/support/garbage.ts";
import { servedFunction } from "./objects.ts";

const OBJECTS = 10_000;
const EVENTS = 50_000;

/** `npm run bench -- reflector`: a list and a watch of 10,000 EdgeFunctions, and what it costs to hold them. */
export const reflectorBench: Bench = {
  summary: "10,000 objects listed and watched: seconds, events per second, bytes per object held",
  run: async (context) => {
    const { type } = edgeFunctionKind;
    const alone = await follow(new Store({ type }), "plain store", context);
    const indexed = openStores(silentLogger).ours.find((store) => store.type.kind === type.kind);
    if (indexed === undefined) throw new Error(`no store of ${type.kind}`);
    const object = servedFunction(0, 1);
    const bytes = (value: object): number => JSON.stringify(value).length;
    return [
      { name: "an object as it is sent", value: bytes(object), unit: "bytes", note: "JSON" },
      {
        name: "what is kept of it",
        value: bytes(withoutNoise(object)),
        unit: "bytes",
        note: "JSON, without managedFields and kubectl's copy",
      },
      ...alone,
      ...(await follow(indexed, "operator's store", context)),
    ];
  },
};

/** One reflector that feeds a store, from an empty one to the last event. */
async function follow(store: Store, name: string, { progress, signal }: BenchContext): Promise<readonly Measure[]> {
  progress(`${name}: ${OBJECTS} objects are listed, then ${EVENTS} changes of them watched`);
  await using server = startChild(["bench/reflector/server.ts", String(OBJECTS), String(EVENTS)]);
  const text = kubeconfigText({ server: await server.line(), user: { token: "any" } });
  const common = { clock: systemClock, log: silentLogger, meter: silentMeter };
  const transport = createKubeTransport({ kubeConfig: { kind: "text", text }, ...common });
  const client = createKubeClient({ transport, random: systemRandom, ...common });
  const applied = countChanges(store);
  const stop = new AbortController();
  const until = AbortSignal.any([signal, stop.signal]);
  const before = await memoryInUse();
  const reflector = new Reflector({ client, store, random: systemRandom, ...common });
  const listed = stopwatch();
  const running = reflector.run(until);
  try {
    await Promise.race([reflector.synced, running]);
    signal.throwIfAborted();
    const list = listed();
    const watched = stopwatch();
    await Promise.race([applied, running]);
    signal.throwIfAborted();
    const watch = watched();
    const held = ((await memoryInUse()) - before) / OBJECTS;
    const note = `after ${EVENTS} changes, difference after garbage collection`;
    return [
      { name: `${name}: list`, value: list.seconds, unit: "s" },
      { name: `${name}: list, processor time`, value: list.cpuSeconds, unit: "s" },
      { name: `${name}: events`, value: EVENTS / watch.seconds, unit: "events/s" },
      { name: `${name}: events, by processor time`, value: EVENTS / watch.cpuSeconds, unit: "events/s" },
      { name: `${name}: memory per object (heap)`, value: held, unit: "bytes", note },
    ];
  } finally {
    stop.abort(new Error("measured"));
    await running;
    await transport.close();
  }
}

/** Resolves when as many changes were told as the server sends. */
function countChanges(store: Store): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let count = 0;
  store.addHandler({
    added: () => undefined,
    deleted: () => undefined,
    updated: () => {
      count += 1;
      if (count === EVENTS) resolve();
    },
  });
  return promise;
}

interface Taken {
  readonly seconds: number;
  /** of this process */
  readonly cpuSeconds: number;
}

function stopwatch(): () => Taken {
  const startedMs = performance.now();
  const cpu = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return { seconds: (performance.now() - startedMs) / 1000, cpuSeconds: (user + system) / 1e6 };
  };
}
