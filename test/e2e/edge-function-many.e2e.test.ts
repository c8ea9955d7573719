import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { type Clock, systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { operate } from "../../src/cli/operator.ts";
import { type Emulator, startEmulator } from "../../src/emulator/emulator.ts";
import { edgeFunctionKind } from "../../src/resources/edge-function/kind.ts";
import { kubeObjectSchema } from "../../src/resources/meta.ts";
import { acquireCluster } from "../support/control-plane/cluster.ts";
import type { Cluster } from "../support/control-plane/existing.ts";
import { freePort } from "../support/control-plane/ports.ts";
import { unreadAfterDeploy } from "../support/controllers/deploys-read.ts";
import { runFlagsOf } from "../support/operator/run-flags.ts";
import { applyDefinitions } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { readyProject } from "../support/stage/branches.ts";
import { eventually } from "../support/stage/eventually.ts";
import { functionOf, remoteFunctions } from "../support/stage/functions.ts";
import { Room } from "../support/stage/room.ts";
import { spedClock } from "../support/stage/sped-clock.ts";

/**
 * 150 functions of one project under the platform's real limits. Operator and emulator run in this process on one clock, ten times as
 * fast as the machine's: the windows of the rate limits are the real ones, and minutes of them pass in seconds.
 */

const SPEED = 10;
const COUNT = 150;
/**
 * What the programs take of the machine counts ten times: alone it is two windows, beside other tests up to eight. On driven time it is a window and the
 * beginning of the next (src/controllers/edge-function/many.loopback.test.ts).
 */
const MOST_WINDOWS = 12;
const crds = fileURLToPath(new URL("../../crds", import.meta.url));
const listSchema = z.object({ items: z.array(kubeObjectSchema) });

let cluster: Cluster;
let emulator: Emulator;
let room: Room;
let operator: Promise<number>;
const stop = new AbortController();

async function startRunning(clock: Clock): Promise<void> {
  const flags = runFlagsOf({
    kubeconfig: cluster.kubeconfigPath,
    "operator-namespace": "default",
    "health-address": `127.0.0.1:${await freePort()}`,
    "no-leader-elect": true,
  });
  operator = operate({ flags, proxy: {}, log: silentLogger, signal: stop.signal, clock });
}

beforeAll(async () => {
  const clock = spedClock(systemClock, SPEED);
  cluster = await acquireCluster();
  await applyDefinitions(cluster, crds);
  const namespace = "fn-hundreds";
  succeeded(await kubectl(cluster, ["create", "namespace", namespace]));
  const token = "many-token";
  emulator = await startEmulator({ clock, tokens: [token], org: namespace });
  await emulator.control.organizations.patch({ slug: namespace, quotas: { functionsPerProject: COUNT } });
  room = new Room({ cluster, emulator, namespace, token });
  await startRunning(clock);
  await room.apply(room.connection());
});

afterAll(async () => {
  stop.abort();
  await operator;
  await emulator.stop();
  await cluster.stop();
});

/** Slugs of the functions that say Ready, each with the hash that its status has. */
async function readySlugs(): Promise<ReadonlyMap<string, string | undefined>> {
  const { items } = listSchema.parse(JSON.parse(await room.kubectl("get", "edgefunctions", "--output=json")));
  const ready = items
    .map((item) => edgeFunctionKind.parse(item))
    .flatMap((parsed) => (parsed.ok ? [parsed.object] : []))
    .filter(({ status, metadata }) =>
      status.conditions.some(
        ({ type, status: value, observedGeneration }) =>
          type === "Ready" && value === "True" && observedGeneration === metadata.generation,
      ),
    );
  return new Map(ready.map(({ metadata, status }) => [metadata.name, status.bundleHash]));
}

it(`[K-30] ${COUNT} functions of one project are Ready after a few windows: 0 answers of 429, each read between its deployment and its first Ready, none falsely Ready`, async () => {
  const ref = await readyProject(room);
  const { last: after } = await emulator.control.log.read({});
  const slugs = Array.from({ length: COUNT }, (_, index) => `fn-${String(index).padStart(3, "0")}`);
  const beganMs = performance.now();
  await room.apply(slugs.map((slug) => functionOf(room, slug, {}, slug)));
  const seen = new Set<string>();
  await eventually(
    "all Ready",
    async () => {
      const ready = await readySlugs();
      const { entries: soFar } = await emulator.control.log.read({ after });
      const fresh = [...ready.keys()].filter((slug) => !seen.has(slug));
      for (const slug of fresh) seen.add(slug);
      expect(unreadAfterDeploy(soFar, fresh)).toEqual([]);
      const remote = new Map((await remoteFunctions(room, ref)).map(({ slug, sha256 }) => [slug, sha256]));
      for (const [slug, hash] of ready) expect({ slug, hash }).toEqual({ slug, hash: remote.get(slug) ?? "missing" });
      return ready.size === COUNT ? true : undefined;
    },
    100_000,
  );
  const windows = ((performance.now() - beganMs) * SPEED) / 60_000;
  const { entries } = await emulator.control.log.read({ after });
  const requests = entries.filter(({ scope }) => scope === ref);
  expect((await emulator.control.settings.read()).requestsPerMinute).toBe(120);
  expect(entries.filter(({ status }) => status === 429)).toEqual([]);
  expect(entries.filter(({ status }) => status === 409)).toEqual([]);
  expect(requests.filter(({ operation }) => operation === "functions.deploy")).toHaveLength(COUNT);
  // A deployment each, and lists that two seconds share, few where time is sped up: four windows of 120 would do.
  expect(requests.length).toBeLessThan(COUNT * 3);
  expect(windows).toBeLessThan(MOST_WINDOWS);
  console.log(`K-30: ${requests.length} requests in ${windows.toFixed(1)} windows`);
});
