import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ConnectProxy, startConnectProxy } from "../support/api-server/connect-proxy.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";
import { sightings } from "../support/stage/canaries.ts";
import { configure, formerSettings, settingCanaries } from "../support/stage/configured.ts";
import { eventually } from "../support/stage/eventually.ts";
import {
  coreSecret,
  digests,
  functionOf,
  looksUntil,
  remoteSecrets,
  secretOf,
  sha256,
} from "../support/stage/functions.ts";
import { RoomApp } from "../support/stage/apps.ts";
import { type Manifest, type Room, conditionOf } from "../support/stage/room.ts";
import { type Stage, startStage } from "../support/stage/stage.ts";
import { type Collector, startCollector } from "../support/traces/collector.ts";

/**
 * No secret value in objects, events, logs, metrics, or what the platform was asked and shows (engine.md §8): values that are told from all
 * others go through every way that there is, failures included, and are looked for everywhere, in plain text, in base64 and as a plain digest.
 */

const NAMESPACE = "canaries";
const canaries = new Map([
  ["the token", "canary-token-8f3a1c7e52"],
  ["the token before it", "canary-former-token-77b0d1"],
  ["the declared password", "canary-password-2b91e0d4f6"],
  ["the rotated password", "canary-rotated-password-91c"],
  ["a secret's value", "canary-value-c45d7a90b1"],
  ["its rotated value", "canary-rotated-value-0e6f2a"],
  ["a value that the platform quotes and refuses", "canary-refused-value-d83b15"],
  ["the app's secret", "canary-client-secret-5d20e9"],
  ["the app's wrong secret", "canary-wrong-client-secret-b7"],
  ["the password of the proxy", "canary-proxy-password-3c9e07"],
  ["the password of the collector", "canary-collector-password-a81d"],
  ...settingCanaries(),
]);
/** Of these no Secret of the room speaks, or none any more. */
const former = [
  "the password of the proxy",
  "the password of the collector",
  "the token before it",
  "the declared password",
  "a secret's value",
  "the app's wrong secret",
  "the first refresh token",
  "the kept refresh token before",
  ...formerSettings,
];
/** A signed token, as that of the operator's ServiceAccount for the platform. */
const JWT = /eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}/u;

function value(name: string): string {
  const found = canaries.get(name);
  if (found === undefined) throw new RangeError(`no canary ${name}`);
  return found;
}

let stage: Stage;
let collector: Collector;
let proxy: ConnectProxy;
let room: Room;

beforeAll(async () => {
  collector = await startCollector();
  const workloadIdentity = { enabled: true, audience: "https://api.example.com", namespaces: [NAMESPACE] };
  proxy = await startConnectProxy(0, 407);
  const extraEnv = [
    { name: "HTTPS_PROXY", value: withPassword(proxy.url, value("the password of the proxy")) },
    {
      name: "OTEL_EXPORTER_OTLP_HEADERS",
      value: `authorization=Bearer ${value("the password of the collector")}`,
    },
  ];
  const values = { log: { level: "trace" }, tracing: { otlpEndpoint: collector.url }, workloadIdentity, extraEnv };
  stage = await startStage({ operator: { values } });
  room = await stage.room(NAMESPACE);
  await live();
  canaries.set("the generated password", await generatedPassword());
}, 180_000);

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
  await proxy.stop();
});

function withPassword(url: string, password: string): string {
  return Object.assign(new URL(url), { username: "operator", password }).href;
}

/** What the operator writes for programs, the service key included. */
function outputs(name: string): Manifest {
  return {
    writeConnectionSecretToRef: { name: `${name}-out`, includeServiceKey: true },
    writeConnectionConfigMapToRef: { name: `${name}-out` },
  };
}

/** Values that the platform gave, and where they are published. */
const published = [
  ["the anon key", "shop-out", "anon-key"],
  ["the service key", "shop-out", "service-key"],
  ["the branch's password", "preview-out", "password"],
  ["the branch's service key", "preview-out", "service-key"],
] as const;

async function publishedValue(name: string, key: string): Promise<string> {
  const encoded = (await room.secret(name))?.data[key] ?? "";
  expect(encoded).not.toBe("");
  return Buffer.from(encoded, "base64").toString("utf8");
}

async function generatedPassword(): Promise<string> {
  const text = await room.kubectl("get", "secret", "generated-database-password", "--output=jsonpath={.data}");
  const [encoded = ""] = Object.values(z.record(z.string(), z.string()).parse(JSON.parse(text)));
  return Buffer.from(encoded, "base64").toString("utf8");
}

/** Everything that handles a secret, once well and once badly. */
async function live(): Promise<void> {
  const { control } = stage.emulator;
  const user = `user-of-${NAMESPACE}`;
  for (const token of ["the token", "the token before it"]) {
    await control.tokens.add({ token: value(token), user });
  }
  const databasePassword = { secretKeyRef: { name: "password", key: "password" } };
  await room.apply([
    ...room.connection(value("the token before it")),
    coreSecret(room, "password", { password: value("the declared password") }),
    coreSecret(room, "values", { ONE: value("a secret's value") }),
    room.project("shop", { databasePassword, deletionPolicy: "Delete", ...outputs("shop") }),
    room.project("generated"),
    functionOf(room, "hello"),
    secretOf(room, "env", [{ secretRef: { name: "values" } }]),
    room.ours("Branch", "preview", { projectRef: { name: "shop" }, ...outputs("preview") }),
  ]);
  for (const name of ["shop", "generated"]) await room.ready("Project", name);
  await room.ready("EdgeFunction", "hello");
  await room.ready("Secret", "env");
  await room.ready("Branch", "preview");
  for (const [of, name, key] of published) canaries.set(of, await publishedValue(name, key));
  const { ref } = await room.remoteProject("shop");
  await rotate(ref);
  await configure(room, canaries);
  await fail();
}

async function rotate(ref: string): Promise<void> {
  await room.apply([
    room.manifest("v1", "Secret", "token", { stringData: { token: value("the token") } }),
    coreSecret(room, "password", { password: value("the rotated password") }),
    coreSecret(room, "values", { ONE: value("its rotated value") }),
  ]);
  await stage.emulator.control.tokens.revoke({ token: value("the token before it") });
  await eventually("the rotated values are set", async () => {
    const { ONE } = await remoteSecrets(room, ref);
    const { databasePassword } = await room.remoteProject("shop");
    const set = ONE === sha256(value("its rotated value"));
    return set && databasePassword.digest === sha256(value("the rotated password")) ? true : undefined;
  });
  await room.reconcile("Project", "shop");
  await room.reconcile("Secret", "env");
}

/** A server that quotes what it was sent, one that gives no answer, and a Secret that lacks what is asked of it. */
async function fail(): Promise<void> {
  const { control } = stage.emulator;
  const refused = value("a value that the platform quotes and refuses");
  const quoting = { message: `invalid value "${refused}" for TWO, token ${value("the token")}`, value: refused };
  await control.faults.add({
    operation: "secrets.create",
    count: null,
    fault: { kind: "status", status: 400, body: quoting },
  });
  await room.apply(coreSecret(room, "values", { ONE: value("its rotated value"), TWO: refused }));
  const stalled = await room.stalled("Secret", "env", "Rejected");
  expect(conditionOf(stalled, "Stalled")?.message).toContain("invalid value");
  await control.faults.clear({});
  await control.faults.add({ operation: "secrets.create", fault: { kind: "reset", phase: "after" } });
  await looksUntil(room, { kind: "Secret", name: "env" }, (object) => conditionOf(object, "Ready")?.status === "True");
  await room.apply(
    room.ours("Connection", "broken", { baseUrl: room.emulator.url, token: { secretRef: { name: "none" } } }),
  );
  await room.stalled("Connection", "broken", "CredentialMissing");
  await meetProxy();
  await actThroughApp();
}

/** A proxy that lets nobody through, whatever the password. */
async function meetProxy(): Promise<void> {
  const token = { secretRef: { name: "token" } };
  await room.apply(room.ours("Connection", "proxied", { baseUrl: "https://platform.test", token }));
  await room.until("Connection", "proxied", (seen) => conditionOf(seen, "Ready")?.reason === "ServerUnavailable");
  expect(proxy.tunnels).toContain("platform.test:443");
}

/** The app's Connection, at work, with a rotated token, with a secret that is wrong, revoked, and authorized anew; and the operator's own identity. */
async function actThroughApp(): Promise<void> {
  const { control } = stage.emulator;
  const app = await RoomApp.register(room, { secret: value("the app's secret") });
  canaries.set("the first refresh token", await app.consent());
  const secrets = (clientSecret: string): readonly Manifest[] => [
    coreSecret(room, "app", { "client-secret": value(clientSecret) }),
    app.consentSecret(value("the first refresh token")),
    room.ours("Connection", "app", { baseUrl: room.emulator.url, oauth: app.oauth() }),
  ];
  await room.apply([...secrets("the app's secret"), room.project("by-app", { connectionRef: { name: "app" } })]);
  await room.ready("Project", "by-app");
  canaries.set("the kept refresh token before", await keptRefreshToken());
  await room.apply(secrets("the app's wrong secret"));
  await room.stalled("Connection", "app", "CredentialInvalid");
  await room.apply(secrets("the app's secret"));
  await room.ready("Connection", "app");
  await control.time.advance({ ms: 3_600_000 });
  await room.reconcile("Project", "by-app");
  await app.revoke();
  await room.kubectl("annotate", "project", "by-app", "--overwrite", "baas.dev/reconcile-at=revoked");
  await room.stalled("Connection", "app", "CredentialRevoked");
  canaries.set("the second refresh token", await app.consent());
  await room.apply(app.consentSecret(value("the second refresh token")));
  await room.ready("Connection", "app");
  canaries.set("the kept refresh token", await keptRefreshToken());
  const spec = { baseUrl: room.emulator.url, workloadIdentity: { clientId: app.clientId } };
  await room.apply(room.ours("Connection", "workload", spec));
  await room.stalled("Connection", "workload", "AssertionRefused");
}

async function keptRefreshToken(): Promise<string> {
  const path = "--output=jsonpath={.data.refresh-token}";
  return Buffer.from(await room.kubectl("get", "secret", "baas-operator-connection-app", path), "base64").toString();
}

/** Where the environment of the operator stands as somebody wrote it. */
const written = new Set(["deployments.apps", "replicasets.apps", "pods"]);

/** Every object of the cluster as JSON, but the Secrets of the room and the operator's Deployment, which hold the values. */
async function everything(): Promise<string> {
  const verbs = ["api-resources", "--verbs=list", "--output=name"];
  const resources = succeeded(await kubectl(stage.cluster, verbs))
    .trim()
    .split("\n");
  const rest = resources.filter((name) => name !== "secrets" && !written.has(name) && !name.includes("metrics"));
  const all = succeeded(await kubectl(stage.cluster, ["get", rest.join(","), "--all-namespaces", "--output=json"]));
  const others = ["get", "secrets", "--all-namespaces", `--field-selector=metadata.namespace!=${NAMESPACE}`];
  return all + succeeded(await kubectl(stage.cluster, [...others, "--output=json"]));
}

async function metrics(): Promise<string> {
  const texts = await Promise.all(stage.operator.replicas.map(async (replica) => replica.get("/metrics")));
  return texts.map((answer) => JSON.stringify(answer)).join("\n");
}

describe("no secret value", () => {
  it("goes unseen by the search, in any form", async () => {
    const secrets = await room.kubectl("get", "secrets", "--output=json");
    const shown = sightings(secrets, canaries, { digests: true });
    expect(new Set(shown.map(({ canary }) => canary))).toEqual(
      new Set([...canaries.keys()].filter((name) => !former.includes(name))),
    );
    const token = value("the token");
    for (const text of [`x${token}`, Buffer.from(`{"a":"${token}"}`).toString("base64"), sha256(token)]) {
      expect(sightings(text, canaries, { digests: true })).toHaveLength(1);
    }
  });

  it("stands in any object but the Secrets that hold it", async () => {
    const text = await everything();
    for (const kind of ["Connection", "Project", "Branch", "EdgeFunction", "Secret", "Event", "ConfigMap", "Lease"]) {
      expect(text).toContain(`"kind": "${kind}"`);
    }
    expect(text).toContain("invalid value");
    expect(sightings(text, canaries, { digests: true })).toEqual([]);
    expect(JWT.exec(text)).toBeNull();
  });

  it("stands in the operator's log, at its most talkative", () => {
    const text = stage.operator.logs();
    expect(text).toContain('"level":"debug"');
    expect(text).toContain("invalid value");
    expect(text).toContain("invalid_client");
    expect(sightings(text, canaries, { digests: true })).toEqual([]);
    expect(JWT.exec(text)).toBeNull();
  });

  it("stands in its metrics", async () => {
    const text = await metrics();
    expect(text).toContain("baas_reconcile_total");
    expect(sightings(text, canaries, { digests: true })).toEqual([]);
  });

  it("stands in its traces, which name every run with its calls and requests", async () => {
    const create = await eventually("the spans of a creation are collected", async () =>
      collector.spans().find(({ name }) => name === "projects.create"),
    );
    const trace = collector.spans().filter(({ trace_id: id }) => id === create.trace_id);
    expect(trace.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["reconcile Project", "projects.create", "kube PATCH"]),
    );
    expect(sightings(collector.text(), canaries, { digests: true })).toEqual([]);
    expect(collector.authorizations()).toContain(`Bearer ${value("the password of the collector")}`);
  });

  it("stands in what the emulator remembers and logs, where a platform has digests alone", async () => {
    const { control } = stage.emulator;
    const log = JSON.stringify(await control.log.read({}));
    const state = JSON.stringify(await control.state.read({}));
    expect(log).toContain("secrets.create");
    expect(state).toContain(digests({ ONE: value("its rotated value") })["ONE"]);
    expect(sightings(log, canaries, { digests: true })).toEqual([]);
    expect(sightings(state, canaries, { digests: false })).toEqual([]);
  });
});
