import { describe, expect, it } from "vitest";
import { connectionOf } from "../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { keyToString } from "../runtime/key.ts";
import type { Session } from "./shared/sessions.ts";
import { wire } from "./wiring.ts";

const meta = { namespace: "ns", resourceVersion: "1", generation: 1 };
const connection: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Connection",
  metadata: { ...meta, name: "default", uid: "c" },
  spec: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
};

/** A Project at rest that never looks for drift. */
function shop({ kind, name, account, server }: Session): KubeObject {
  const ready = { type: "Ready", status: "True", reason: "Available", message: "", observedGeneration: 1 };
  const conditions = [{ ...ready, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const reached = { kind, name, identity: account, server };
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { ...meta, name: "shop", uid: "p" },
    spec: { organization: "acme", connectionRef: { kind, name }, driftPolicy: "Ignore" },
    status: { observedGeneration: 1, ref: "projectprojectprojec", recordedFor: "p", conditions, connection: reached },
  };
}

/** The objects, wired to each other: in which lanes a Project was asked to run since. */
function wiredWith(objects: readonly KubeObject[]) {
  const asked: string[] = [];
  const stores = storesWith(objects);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane }) => void (keyToString(key).startsWith("Project") && asked.push(lane)),
  });
  wire(environment, stores);
  asked.length = 0;
  return { environment, stores, asked };
}

describe("an object at rest that never looks for drift", () => {
  const session = connectionOf("ns");
  it.each<{ why: string; now: Session; lanes: readonly string[] }>([
    { why: "the token is of another account", now: { ...session, account: "another" }, lanes: ["drift"] },
    {
      why: "the connection names another platform",
      now: { ...session, server: "https://other.example.com" },
      lanes: ["drift"],
    },
    { why: "the token is another one of the same account", now: session, lanes: [] },
  ])("is looked at only where its connection reaches it otherwise: $why", ({ now, lanes }) => {
    const { environment, asked } = wiredWith([connection, shop(session)]);
    environment.sessions.set(now);
    expect(asked).toEqual(lanes);
  });
});

describe("a connection that has gone", () => {
  const session = connectionOf("ns");
  const cluster: KubeObject = {
    ...connection,
    kind: "ClusterConnection",
    metadata: { name: "default", uid: "cc", resourceVersion: "1", generation: 1 },
  };
  it.each([
    { what: "wakes its users at rest", gone: connection, used: session, lanes: ["change"] },
    { what: "wakes no others", gone: connection, used: { ...session, name: "other" }, lanes: [] },
    {
      what: "wakes its users anywhere",
      gone: cluster,
      used: { ...session, kind: "ClusterConnection" as const },
      lanes: ["change"],
    },
    { what: "wakes no users of a namesake", gone: cluster, used: session, lanes: [] },
  ])("$what: $gone.kind", ({ gone, used, lanes }) => {
    const { stores, asked } = wiredWith([gone, shop(used)]);
    const connections = stores.ours.find(({ type }) => type.kind === gone.kind);
    connections?.source().remove(gone);
    expect(asked).toEqual(lanes);
  });
});

describe("an object that waits for its connection", () => {
  const at = { message: "", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
  const saying = (text: string, resourceVersion: string): KubeObject => {
    const [status, reason] = text.split(" ");
    const metadata = { ...connection.metadata, resourceVersion };
    return { ...connection, metadata, status: { conditions: [{ type: "Ready", status, reason, ...at }] } };
  };

  it.each([
    { why: "it says what is wrong", before: "True Available", now: "False CredentialInvalid", lanes: ["change"] },
    { why: "another thing is", before: "Unknown ServerUnavailable", now: "False NotAllowed", lanes: ["change"] },
    { why: "the same is", before: "False NotAllowed", now: "False NotAllowed", lanes: [] },
    { why: "it works, which its session tells", before: "False NotAllowed", now: "True Available", lanes: [] },
  ])("is woken to say why, $lanes, where $why", ({ before, now, lanes }) => {
    const waiting = shop(connectionOf("ns"));
    const ready = { type: "Ready", status: "Unknown", reason: "ConnectionNotReady", ...at };
    const object = { ...waiting, status: { ...(waiting["status"] as object), conditions: [ready] } };
    const { stores, asked } = wiredWith([saying(before, "1"), object]);
    const connections = stores.ours.find(({ type }) => type.kind === "Connection");
    connections?.source().upsert(saying(now, "2"));
    expect(asked).toEqual(lanes);
  });
});
