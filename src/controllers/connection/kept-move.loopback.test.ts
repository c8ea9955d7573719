import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../base/log.ts";
import type { ManualClock } from "../../base/manual-clock.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { classify } from "../../runtime/outcome.ts";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { clientsOf } from "../../../test/support/controllers/oauth-bench.ts";
import type { EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { CLIENT, emulatorWithApps, someTokens } from "../../../test/support/emulator/oauth.ts";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { connectionReconcilers } from "./controller.ts";
import type { Clients } from "./credential.ts";
import { KEPT_TYPE, keptName } from "./kept-secret.ts";

/**
 * A ClusterConnection of an app, whose refresh token the emulator rotates, through releases in several namespaces that lead one after another: the one
 * that takes over must find the newest token, as the platform ends the consent when an older one is sent.
 */

const NAME = keptName("ClusterConnection", "shared");
const HOUR_MS = 3_600_000;
const APPS = "apps";

let kept: Keeping;
let under: EmulatorUnderTest;
let clock: ManualClock;
const running: Clients[] = [];

beforeEach(async () => {
  kept = await startKeeping();
  ({ clock } = kept);
  under = await emulatorWithApps({ clock });
  for (const name of [APPS, "other", "first", "second"]) {
    kept.server.put("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, finalizers: ["kubernetes"] },
    });
  }
  await putSecret(APPS);
  putConnection(APPS);
});

afterEach(async () => {
  for (const clients of running.splice(0)) await clients.close();
  await under[Symbol.asyncDispose]();
  await kept[Symbol.asyncDispose]();
});

async function putSecret(namespace: string): Promise<void> {
  const stringData = { "client-secret": CLIENT.client_secret, refresh: (await someTokens(under)).refresh_token };
  kept.server.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: { name: "app", namespace }, stringData });
}

function putConnection(namespace: string): void {
  const ref = (key?: string) => ({ secretRef: { name: "app", namespace, ...(key === undefined ? {} : { key }) } });
  const oauth = { clientId: CLIENT.client_id, clientSecret: ref(), refreshToken: ref("refresh") };
  const spec = { baseUrl: under.emulator.url, allowedNamespaces: { from: "All" }, oauth };
  const metadata = { name: "shared" };
  kept.server.put("clusterconnections", { apiVersion: "baas.dev/v1alpha1", kind: "ClusterConnection", metadata, spec });
}

function startRelease(): Clients {
  const clients = clientsOf(clock);
  running.push(clients);
  return clients;
}

/** One look of the release that has this namespace. @returns `done`, or why not */
async function look(namespace: string, clients: Clients = startRelease()): Promise<string> {
  const objects = ["namespaces", "secrets", "clusterconnections"].flatMap((plural) => kept.server.list(plural));
  const environment = testEnvironment({ kube: kept.kube, clock, stores: storesWith(objects) });
  const operator = { namespace, process: namespace, workloadIdentity: undefined };
  const parts = { clients, operator, credentialProtection: true, allowsBaseUrl: () => true };
  const reconciler = connectionReconcilers(environment, parts).find(({ kind }) => kind === "ClusterConnection");
  if (reconciler === undefined) throw new RangeError("no reconciler of ClusterConnection");
  const { signal } = new AbortController();
  const common = {
    signal,
    log: silentLogger,
    wasReady: true,
    reconcileId: "run",
    failures: 0,
    askedAgoMs: 0,
    changed: () => undefined,
  };
  try {
    const key = { kind: "ClusterConnection", namespace: "", name: "shared" };
    await reconciler.reconcile(key, { ...common, lane: "change", urgency: "change" });
    return "done";
  } catch (error) {
    const outcome = classify(error, signal);
    return "reason" in outcome ? String(outcome.reason) : outcome.kind;
  }
}

/** Where refresh tokens are kept. */
function places(): readonly (string | undefined)[] {
  return kept.server
    .list("secrets")
    .filter(({ type }) => type === KEPT_TYPE)
    .map(({ metadata }) => metadata.namespace);
}

/** What an older version left: the token in the namespace of the release. */
function moveKept(to: string, { finalized = false } = {}): void {
  const secret = kept.server.get("secrets", APPS, NAME);
  if (secret === undefined) throw new RangeError("no token is kept");
  const { ownerReferences } = secret.metadata;
  kept.server.delete("secrets", APPS, NAME);
  const metadata = { name: NAME, namespace: to, ownerReferences };
  const ours = finalized ? { finalizers: [finalizers.credential] } : {};
  kept.server.put("secrets", { ...secret, metadata: { ...metadata, ...ours } });
}

/** A refresh token that was kept, and the one that came after it. */
async function refreshed(): Promise<{ readonly older: KubeObject; readonly newest: KubeObject }> {
  await look("first");
  const older = kept.server.get("secrets", APPS, NAME);
  clock.advance(HOUR_MS);
  await look("first");
  const newest = kept.server.get("secrets", APPS, NAME);
  if (older === undefined || newest === undefined) throw new RangeError("no token is kept");
  return { older, newest };
}

/** Puts what an older version keeps in the namespace of its release. */
function copyOf(secret: KubeObject, more: Partial<KubeObject["metadata"]> = {}): void {
  const { ownerReferences } = secret.metadata;
  kept.server.put("secrets", { ...secret, metadata: { name: NAME, namespace: "first", ownerReferences, ...more } });
}

describe("the newest refresh token of a ClusterConnection", () => {
  it("is found by whichever release leads next", async () => {
    expect(await look("first")).toBe("done");
    expect(await look("second")).toBe("done");
    clock.advance(HOUR_MS);
    expect([await look("first"), await look("second"), places()]).toEqual(["done", "done", [APPS]]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });

  it("leaves the user's Secret as it is", async () => {
    const before = kept.server.get("secrets", APPS, "app");
    await look("first");
    expect(kept.server.get("secrets", APPS, "app")).toEqual(before);
  });

  it.each([
    { what: "one alone", finalized: false },
    { what: "one that carries our finalizer", finalized: true },
  ])("is taken over from where an older version of the release kept it: $what", async ({ finalized }) => {
    await look("first");
    moveKept("first", { finalized });
    clock.advance(HOUR_MS);
    expect([await look("first"), places()]).toEqual(["done", [APPS]]);
    clock.advance(HOUR_MS);
    expect(await look("second")).toBe("done");
  });

  it("is taken over by a release of another namespace, as the status names where it was", async () => {
    await look("first");
    moveKept("first");
    const credentialSecrets = [{ namespace: "first", name: NAME }];
    kept.server.restate("clusterconnections", "", "shared", (status) =>
      Object.assign({}, status, { credentialSecrets }),
    );
    clock.advance(HOUR_MS);
    expect([await look("second"), places()]).toEqual(["done", [APPS]]);
  });

  it("goes with the user's Secret to another namespace, also under the client that is in use", async () => {
    const release = startRelease();
    await look("first", release);
    const seed = kept.server.get("secrets", APPS, "app");
    kept.server.put("secrets", { ...seed, metadata: { name: "app", namespace: "other" } });
    putConnection("other");
    expect([await look("first", release), places()]).toEqual(["done", ["other"]]);
    clock.advance(HOUR_MS);
    expect([await look("first", release), places()]).toEqual(["done", ["other"]]);
    clock.advance(HOUR_MS);
    expect([await look("second"), places()]).toEqual(["done", ["other"]]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });

  it.each([
    { why: "from a namespace where nobody of ours kept it", namespace: "other", uid: "same" },
    { why: "of another connection", namespace: "first", uid: "another" },
  ])("is not taken $why", async ({ namespace, uid }) => {
    await look("second");
    const secret = kept.server.get("secrets", APPS, NAME);
    const [reference] = secret?.metadata.ownerReferences ?? [];
    if (secret === undefined || reference === undefined) throw new RangeError("no token is kept");
    const ownerReferences = [{ ...reference, ...(uid === "same" ? {} : { uid }) }];
    const data = { "refresh-token": Buffer.from("planted").toString("base64") };
    kept.server.put("secrets", { ...secret, metadata: { name: NAME, namespace, ownerReferences }, data });
    clock.advance(HOUR_MS);
    expect([await look("first"), places()]).toEqual(["done", expect.arrayContaining([APPS, namespace])]);
  });

  it("that was copied already is not put back over the one that came after it", async () => {
    await look("first");
    const copied = kept.server.get("secrets", APPS, NAME);
    clock.advance(HOUR_MS);
    await look("first");
    kept.server.put("secrets", { ...copied, metadata: { ...copied?.metadata, namespace: "first" } });
    clock.advance(HOUR_MS);
    expect([await look("first"), places()]).toEqual(["done", [APPS]]);
  });

  it("stays the newest where an older one, copied already, has a finalizer of ours", async () => {
    const { older } = await refreshed();
    copyOf(older, { finalizers: [finalizers.credential] });
    expect([await look("first"), places()]).toEqual(["done", [APPS]]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });

  it("stays the newest where somebody annotates an older one that is about to go", async () => {
    const { older } = await refreshed();
    copyOf(older);
    const deletion = kept.server.holdWrite();
    const looked = look("first");
    await deletion.reached;
    copyOf(older, { annotations: { who: "somebody" } });
    deletion.release();
    expect([await looked, places()]).toEqual(["done", [APPS]]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });

  it("is the one that a client wrote to the former place after it was copied", async () => {
    const { older, newest } = await refreshed();
    kept.server.put("secrets", older);
    copyOf(older);
    const deletion = kept.server.holdWrite();
    const looked = look("first");
    await deletion.reached;
    copyOf(newest);
    deletion.release();
    expect([await looked, places()]).toEqual(["done", [APPS]]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });

  it("is the one that the client in use wrote since, whatever was written to the former place", async () => {
    const { older, newest } = await refreshed();
    copyOf(older);
    const deletion = kept.server.holdWrite();
    const looked = look("first");
    await deletion.reached;
    copyOf({ ...older, data: { ...Object(older["data"]), exchange: "" } });
    kept.server.put("secrets", newest);
    deletion.release();
    expect([await looked, places()]).toEqual(["done", [APPS]]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });
});
