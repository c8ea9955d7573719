import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import { ManualClock } from "../../src/base/manual-clock.ts";
import { silentMeter } from "../../src/base/meter.ts";
import { operate } from "../../src/cli/operator.ts";
import { openStores } from "../../src/cli/operator-stores.ts";
import { type Emulator, startEmulator } from "../../src/emulator/emulator.ts";
import { createKubeClient } from "../../src/kube/client-requests.ts";
import { Reflector } from "../../src/kube/reflector.ts";
import { createKubeTransport } from "../../src/kube/transport.ts";
import { conditionSchema } from "../../src/resources/meta.ts";
import { ArtifactServer } from "../support/artifacts/server.ts";
import { auditedWrites, auditLength } from "../support/control-plane/audit-log.ts";
import { type ControlPlane, startControlPlane } from "../support/control-plane/control-plane.ts";
import { freePort } from "../support/control-plane/ports.ts";
import { History, stateOf } from "../support/controllers/diagrams/history.ts";
import { AT_ONCE } from "../support/controllers/shop.ts";
import { runFlagsOf } from "../support/operator/run-flags.ts";
import { applyDefinitions } from "../support/programs/definitions.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { applyEveryKind, type Rooms } from "../support/stage/every-kind.ts";
import { OpenRequests } from "../support/stage/open-requests.ts";
import { Room } from "../support/stage/room.ts";

/**
 * engine.md §7: an idle hour, by the log of a real kube-apiserver and that of the platform. There is an object of every kind, one with sections,
 * an output and a request that was carried out, and a function from Flux among them, and a connection of every kind of credential. Operator and
 * platform share a clock that goes on when no request is open; the cluster has its own time.
 */

const HOUR_MS = 3_600_000;
const INTERVAL_MS = 600_000;
const AUDIENCE = "https://api.platform.example";
const OURS = "connections,clusterconnections,projects,branches,edgefunctions,secrets.baas.dev";
/** What else may be written, or tell of a write. */
const CORE = "secrets,configmaps,events,namespaces,serviceaccounts";
/** Where the newest refresh token of the app is kept. */
const KEPT_NAME = "quiet-oauth/baas-operator-connection-default";
const KEPT = `secrets ${KEPT_NAME}`;
const crds = fileURLToPath(new URL("../../crds", import.meta.url));
const flux = fileURLToPath(new URL("../support/flux/crds.yaml", import.meta.url));

const clock = new ManualClock(Date.now());
const stop = new AbortController();
const folder = mkdtempSync(join(tmpdir(), "baas-quiet-"));
let open: OpenRequests;
let plane: ControlPlane;
let artifacts: ArtifactServer;
let emulator: Emulator;
let operator: Promise<number>;
const history = new History();
const watching: Promise<void>[] = [];
let rooms: Rooms;

/** Watches our objects beside the operator, as others do. */
function watchAll(): void {
  const common = { clock: systemClock, random: Math.random, log: silentLogger, meter: silentMeter };
  const kubeConfig = { kind: "file", path: plane.kubeconfigPath } as const;
  const transport = createKubeTransport({ kubeConfig, ...common });
  const client = createKubeClient({ transport, ...common });
  const { ours } = openStores(silentLogger);
  history.follow(ours);
  const runs = ours.map((store) => new Reflector({ client, store, ...common }).run(stop.signal));
  watching.push(Promise.all(runs).then(() => transport.close()));
}

/** Lets time pass, from timer to timer, when no request is open. */
async function advance(ms: number): Promise<void> {
  const endMs = clock.monotonic() + ms;
  for (;;) {
    await open.none();
    const leftMs = endMs - clock.monotonic();
    if (leftMs <= 0) return;
    clock.advance(Math.min(clock.msToNextTimer() ?? leftMs, leftMs));
  }
}

const listSchema = z.object({
  items: z.array(
    z.object({
      kind: z.string(),
      metadata: z.object({
        name: z.string(),
        namespace: z.string().default(""),
        generation: z.number().optional(),
        resourceVersion: z.string(),
      }),
      status: z
        .looseObject({ conditions: z.array(conditionSchema).default([]), effective: z.unknown().optional() })
        .optional(),
    }),
  ),
});

/** The objects of ours, as the settling left them. */
let seen: z.output<typeof listSchema>["items"] = [];

async function objects(kinds: string): Promise<z.output<typeof listSchema>["items"]> {
  const text = succeeded(await kubectl(plane, ["get", kinds, "--all-namespaces", "--output=json"]));
  return listSchema.parse(JSON.parse(text)).items;
}

/** Lets moments pass until all objects of ours are as they should be. */
async function settle(holds: (object: z.output<typeof listSchema>["items"][number]) => boolean): Promise<void> {
  const endMs = performance.now() + 90_000;
  for (;;) {
    for (let moment = 0; moment < 20; moment += 1) {
      await advance(500);
      await wait(5); // for the cluster's watches
    }
    const left = (await objects(OURS)).filter((object) => !holds(object));
    if (left.length === 0) return;
    if (performance.now() > endMs) {
      throw new Error(`not so: ${JSON.stringify(left.map(({ kind, status }) => ({ kind, status })))}`);
    }
  }
}

function isReady({ metadata, status }: z.output<typeof listSchema>["items"][number]): boolean {
  const ready = status?.conditions.find(({ type }) => type === "Ready");
  return ready?.status === "True" && ready.observedGeneration === metadata.generation;
}

/** The one object that something was asked of by annotation. */
function isAsked({ kind, metadata }: z.output<typeof listSchema>["items"][number]): boolean {
  return kind === "Project" && metadata.namespace === rooms.token.namespace;
}

/** Every object, by the version that it is in. */
async function versions(): Promise<Readonly<Record<string, string>>> {
  const all = [...(await objects(OURS)), ...(await objects(CORE))];
  return Object.fromEntries(
    all.map(({ kind, metadata: { namespace, name, resourceVersion } }) => [
      `${kind} ${namespace}/${name}`,
      resourceVersion,
    ]),
  );
}

async function openRoom(name: string): Promise<Room> {
  const user = `user-of-${name}`;
  const token = `token-of-${name}`;
  await emulator.control.state.seed({
    users: [{ username: user }],
    tokens: [{ token, user }],
    organizations: [{ slug: name, plan: "enterprise", members: { [user]: "Owner" } }],
  });
  succeeded(await kubectl(plane, ["create", "namespace", name]));
  return new Room({ cluster: plane, emulator, namespace: name, token });
}

/** A token that the cluster signs for the operator, and an app that trusts it. */
async function trust(room: Room): Promise<string> {
  succeeded(await kubectl(plane, ["create", "serviceaccount", "operator", "--namespace=default"]));
  const args = ["create", "token", "operator", "--namespace=default", `--audience=${AUDIENCE}`, "--duration=48h"];
  const file = join(folder, "token");
  writeFileSync(file, succeeded(await kubectl(plane, args)).trim());
  const keys = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) });
  const jwks = keys.parse(JSON.parse(succeeded(await kubectl(plane, ["get", "--raw", "/openid/v1/jwks"]))));
  const { namespace } = room;
  const subject = "system:serviceaccount:default:operator";
  const jwtBearer = { issuer: "https://kubernetes.default.svc", subject, audience: AUDIENCE, jwks };
  await emulator.control.oauth.addApp({
    clientId: "workload",
    clientSecret: "not shown",
    jwtBearer: { ...jwtBearer, user: `user-of-${namespace}`, organization: namespace },
  });
  return file;
}

beforeAll(async () => {
  open = new OpenRequests();
  artifacts = await ArtifactServer.start();
  plane = await startControlPlane({ audit: true });
  await applyDefinitions(plane, crds, flux);
  // A realtime that starts again is not healthy meanwhile, and its project not Ready.
  const timings = { ...AT_ONCE.timings, realtimeRestartMs: 0 };
  emulator = await startEmulator({ clock, tokens: ["quiet-owner"], timings });
  rooms = {
    token: await openRoom("quiet-token"),
    oauth: await openRoom("quiet-oauth"),
    workload: await openRoom("quiet-workload"),
    cluster: await openRoom("quiet-cluster"),
  };
  const tokenFile = await trust(rooms.workload);
  const flags = runFlagsOf({
    kubeconfig: plane.kubeconfigPath,
    "operator-namespace": "default",
    "health-address": `127.0.0.1:${await freePort()}`,
    "workload-identity-token-file": tokenFile,
    "workload-identity-namespace": rooms.workload.namespace,
  });
  watchAll();
  operator = operate({ flags, proxy: {}, log: silentLogger, signal: stop.signal, clock });
  await applyEveryKind({ rooms, artifacts, baseUrl: emulator.url });
  await settle(isReady);
  await rooms.token.kubectl("annotate", "project", "shop", "baas.dev/shut-down-realtime=once");
  await settle(
    (object) => isReady(object) && (!isAsked(object) || JSON.stringify(object.status).includes('"Succeeded"')),
  );
  seen = await objects(OURS);
});

afterAll(async () => {
  stop.abort();
  await Promise.all([operator, ...watching]);
  await emulator.stop();
  await artifacts[Symbol.asyncDispose]();
  await plane.stop();
  open[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** What is asked of the platform, and what of the cluster is written, within an hour that nothing happens in. */
async function quietHour(): Promise<{
  readonly calls: Readonly<Record<string, number>>;
  readonly writes: readonly string[];
  readonly changed: readonly string[];
  /** of artifacts */
  readonly fetched: number;
}> {
  const fetchedBefore = artifacts.asked.length;
  const before = await versions();
  const since = auditLength(plane.auditLogPath);
  await emulator.control.log.clear();
  await advance(HOUR_MS);
  const { byOperation } = await emulator.control.log.summary();
  const after = await versions();
  const changed = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter(
    (name) => before[name] !== after[name],
  );
  return {
    calls: byOperation,
    writes: auditedWrites(plane.auditLogPath, since),
    changed,
    fetched: artifacts.asked.length - fetchedBefore,
  };
}

describe("an idle hour of a cluster with an object of every kind and a connection of every credential", () => {
  it("with drift checks: each list, project and credential is read once an interval, and nothing is written but an app's new refresh token", async () => {
    // So that the hour neither begins nor ends with a check.
    await advance(2.5 * INTERVAL_MS);
    const { calls, writes, changed, fetched } = await quietHour();
    const intervals = HOUR_MS / INTERVAL_MS;
    expect(calls).toEqual({
      "organizations.list": 4 * intervals,
      "projects.get": 4 * intervals,
      // of the branch as well
      "projects.health": 5 * intervals,
      "branches.list": intervals,
      "functions.list": 2 * intervals,
      "secrets.list": intervals,
      // Each section once, and what the output's keys are made of.
      "dataApi.get": intervals,
      "realtime.get": intervals,
      "apiKeys.list": intervals,
      "pooler.get": intervals,
      // Access tokens of both apps last an hour, and with each the budget's owner is asked for.
      "oauth.token": 2,
      "profile.get": 2,
    });
    // The platform rotates refresh tokens, and the one to go on with must not be lost: noted before it is spent, and after.
    expect(writes).toEqual([`patch ${KEPT} by admin`, `patch ${KEPT} by admin`]);
    expect(changed).toEqual([`Secret ${KEPT_NAME}`]);
    expect(fetched).toBe(0);
  });

  it("without: no call to the platform, no write to the cluster, no object in another version", async () => {
    const off = JSON.stringify({ spec: { defaults: { driftPolicy: "Ignore" } } });
    const merge = ["--type=merge", "--patch", off];
    for (const room of [rooms.token, rooms.oauth, rooms.workload]) {
      await room.kubectl("patch", "connection", "default", ...merge);
    }
    succeeded(await kubectl(plane, ["patch", "clusterconnection", "quiet", ...merge]));
    await settle(
      ({ kind, status }) => kind.endsWith("Connection") || JSON.stringify(status?.effective).includes("Ignore"),
    );
    await advance(2 * INTERVAL_MS);
    expect(await quietHour()).toEqual({ calls: {}, writes: [], changed: [], fetched: 0 });
  });
});

it("no watch ever told of an object that said two things at once, went back, or said the same again; and none lost its Ready", () => {
  expect(history.faults()).toEqual([]);
  for (const { kind, metadata } of seen) {
    const ready = history
      .of(kind, metadata.name, metadata.namespace)
      .map((version) => stateOf(version).split(" ", 1)[0]);
    expect(ready.join(" "), `${kind} ${metadata.namespace}/${metadata.name}`).toMatch(
      /^(?:(?:-|Unknown) )*True(?: True)*$/u,
    );
  }
});
