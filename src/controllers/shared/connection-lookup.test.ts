import { describe, expect, it } from "vitest";
import { connectionOf } from "../../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { annotations } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { classify } from "../../runtime/outcome.ts";
import type { Environment } from "../environment.ts";
import { connectionId } from "./connection-id.ts";
import {
  type ConnectionRequest,
  requireAllowedOrganization,
  requireAllowedRef,
  sessionFor,
  usedConnection,
} from "./connection-lookup.ts";

function connection(name: string): KubeObject {
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Connection",
    metadata: { name, namespace: "ns", uid: name, resourceVersion: "1" },
    spec: { baseUrl: "https://api.example.com", token: { secretRef: { name: "token" } } },
  };
}

function clusterConnection(name: string, allowedNamespaces: object): KubeObject {
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "ClusterConnection",
    metadata: { name, uid: name, resourceVersion: "1" },
    spec: {
      baseUrl: "https://api.example.com",
      token: { secretRef: { namespace: "baas-system", name: "token" } },
      allowedNamespaces,
    },
  };
}

const namespace: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ns", uid: "ns", resourceVersion: "1", labels: { team: "shop" } },
};

function environmentWith(...objects: readonly KubeObject[]) {
  return testEnvironment({ clock: new ManualClock(), stores: storesWith([namespace, ...objects]) });
}

/** What is found, or why nothing is. */
function outcomeOf(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    const outcome = classify(error);
    return "reason" in outcome ? `${outcome.kind} ${outcome.reason}` : outcome.kind;
  }
}

const everywhere = { from: "All" };
const shops = { from: "Selected", selector: { matchLabels: { team: "shop" } } };
const others = { from: "Selected", names: ["other"] };

describe("the connection that an object uses", () => {
  const named = (kind: "Connection" | "ClusterConnection", name: string): ConnectionRequest => ({
    namespace: "ns",
    connectionRef: { kind, name },
  });

  it.each<{
    readonly why: string;
    readonly objects: readonly KubeObject[];
    readonly request: ConnectionRequest;
    readonly is: string;
  }>([
    {
      why: "the namespace's own default",
      objects: [connection("default"), clusterConnection("default", everywhere)],
      request: { namespace: "ns" },
      is: "Connection/ns/default",
    },
    {
      why: "else the cluster's",
      objects: [clusterConnection("default", everywhere)],
      request: { namespace: "ns" },
      is: "ClusterConnection//default",
    },
    {
      why: "where that admits the namespace by a label",
      objects: [clusterConnection("default", shops)],
      request: { namespace: "ns" },
      is: "ClusterConnection//default",
    },
    {
      why: "one that does not admit it is none",
      objects: [clusterConnection("default", others)],
      request: { namespace: "ns" },
      is: "waiting ConnectionNotFound",
    },
    { why: "there is none at all", objects: [], request: { namespace: "ns" }, is: "waiting ConnectionNotFound" },
    {
      why: "another namespace's default is not this one's",
      objects: [connection("default")],
      request: { namespace: "other" },
      is: "waiting ConnectionNotFound",
    },
    {
      why: "the one that it names",
      objects: [connection("eu"), connection("default")],
      request: named("Connection", "eu"),
      is: "Connection/ns/eu",
    },
    {
      why: "the one that it names is to be applied yet",
      objects: [connection("default")],
      request: named("Connection", "eu"),
      is: "waiting ConnectionNotFound",
    },
    {
      why: "a cluster's that it names",
      objects: [clusterConnection("eu", everywhere)],
      request: named("ClusterConnection", "eu"),
      is: "ClusterConnection//eu",
    },
    {
      why: "naming one that does not admit the namespace is told, not waited for",
      objects: [clusterConnection("eu", others)],
      request: named("ClusterConnection", "eu"),
      is: "terminal NotAllowed",
    },
  ])("is $is: $why", ({ objects, request, is }) => {
    const environment = environmentWith(...objects);
    for (const [id, kind] of [
      ["Connection/ns/default", "Connection"],
      ["Connection/ns/eu", "Connection"],
      ["ClusterConnection//default", "ClusterConnection"],
      ["ClusterConnection//eu", "ClusterConnection"],
    ] as const) {
      environment.sessions.set(connectionOf("ns", { id, kind }));
    }
    expect(outcomeOf(() => sessionFor(environment, request).id)).toBe(is);
  });
});

describe("a ClusterConnection", () => {
  it.each<{ readonly why: string; readonly allowed: object; readonly admits: boolean }>([
    { why: "all", allowed: { from: "All" }, admits: true },
    { why: "by name", allowed: { from: "Selected", names: ["ns"] }, admits: true },
    { why: "by label", allowed: { from: "Selected", selector: { matchLabels: { team: "shop" } } }, admits: true },
    {
      why: "either is enough",
      allowed: { from: "Selected", names: ["x"], selector: { matchLabels: { team: "shop" } } },
      admits: true,
    },
    {
      why: "neither",
      allowed: { from: "Selected", names: ["x"], selector: { matchLabels: { team: "x" } } },
      admits: false,
    },
    { why: "selected by nothing", allowed: { from: "Selected" }, admits: false },
    { why: "a list that is empty", allowed: { from: "Selected", names: [] }, admits: false },
  ])("admits a namespace or not ($admits): $why", ({ allowed, admits }) => {
    const environment = environmentWith(clusterConnection("default", allowed));
    const id = usedConnection(environment, { namespace: "ns" }, undefined);
    expect(id).toBe(admits ? "ClusterConnection//default" : undefined);
  });
});

describe("usedConnection", () => {
  it("is the one by which an object was reached last, whatever became of it", () => {
    const environment = environmentWith(connection("default"));
    expect(usedConnection(environment, { namespace: "ns" }, { kind: "Connection", name: "gone" })).toBe(
      "Connection/ns/gone",
    );
    expect(usedConnection(environment, { namespace: "ns" }, { kind: "ClusterConnection", name: "c" })).toBe(
      "ClusterConnection//c",
    );
  });

  it("is the one that an object uses when it was not reached yet, or when its status makes no sense", () => {
    const environment = environmentWith(connection("default"));
    expect(usedConnection(environment, { namespace: "ns" }, undefined)).toBe("Connection/ns/default");
    expect(usedConnection(environment, { namespace: "ns" }, { kind: "Pod", name: "x" })).toBe("Connection/ns/default");
    expect(usedConnection(environmentWith(), { namespace: "ns" }, undefined)).toBeUndefined();
  });
});

type Said = readonly [type: string, status: string, reason: string];

/** A connection that says so. */
function saying(...said: readonly Said[]): KubeObject {
  const at = { message: "", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
  const conditions = said.map(([type, status, reason]) => ({ type, status, reason, ...at }));
  return { ...connection("default"), status: { conditions } };
}

describe("a connection that does not work", () => {
  const available: Said = ["Ready", "True", "Available"];
  const down: Said = ["Reconciling", "True", "ServerUnavailable"];
  const going: readonly Said[] = ["CredentialTerminating", "Ready"].map((type) => {
    return [type, type === "Ready" ? "False" : "True", "CredentialTerminating"];
  });

  it.each<{ readonly why: string; readonly said: readonly Said[]; readonly is: string }>([
    { why: "says why", said: [["Ready", "False", "CredentialInvalid"]], is: "is not ready (CredentialInvalid): see" },
    { why: "has not said so yet", said: [available], is: "is not ready: see" },
    { why: "was well when it was seen last, and is being tried", said: [available, down], is: "(ServerUnavailable)" },
    { why: "has said nothing", said: [], is: "is not ready: see" },
  ])("is told of by what it $why", ({ said, is }) => {
    const environment = environmentWith(saying(...said));
    environment.sessions.noteTried("Connection/ns/default");
    expect(() => sessionFor(environment, { namespace: "ns" })).toThrow(is);
  });

  it.each<{ readonly why: string; readonly said: readonly Said[]; readonly is: string }>([
    { why: "it says so", said: going, is: "is being deleted: create it again" },
    { why: "it has not said so yet", said: [available], is: "is being deleted: create it again" },
    { why: "the Secret is there again", said: [["Ready", "Unknown", "ServerUnavailable"]], is: "(ServerUnavailable)" },
    {
      why: "it is being deleted itself",
      said: [
        ["CredentialTerminating", "True", "CredentialTerminating"],
        ["Ready", "Unknown", "InUse"],
      ],
      is: "is being deleted: create it again",
    },
  ])("whose credential is kept for deletions alone is told of as $is: $why", ({ said, is }) => {
    const environment = environmentWith(saying(...said));
    environment.sessions.set(connectionOf("ns", { deletionOnly: true }));
    expect(() => sessionFor(environment, { namespace: "ns" })).toThrow(is);
  });
});

describe("sessionFor", () => {
  it.each([
    { why: "it works", session: {}, is: "default" },
    {
      why: "its credential is kept for deletions alone",
      session: { deletionOnly: true },
      is: "waiting CredentialTerminating",
    },
  ])("is $is: $why", ({ session, is }) => {
    const environment = environmentWith(connection("default"));
    environment.sessions.set(connectionOf("ns", session));
    expect(outcomeOf(() => sessionFor(environment, { namespace: "ns" }).name)).toBe(is);
  });
});

describe("the connection of an object, as a process finds it", () => {
  const ask = (environment: Environment): unknown => outcomeOf(() => sessionFor(environment, { namespace: "ns" }).name);

  it("says nothing of the object before it was tried, so that a start makes nothing that was Ready look otherwise", () => {
    expect(ask(environmentWith(connection("default")))).toBe("aborted");
  });

  it("is waited for once it was tried in vain", () => {
    const environment = environmentWith(connection("default"));
    environment.sessions.noteTried("Connection/ns/default");
    expect(ask(environment)).toBe("waiting ConnectionNotReady");
  });

  it.each([
    { why: "it is paused", parts: { annotations: { [annotations.paused]: "true" } }, spec: undefined },
    { why: "its spec cannot be read", parts: {}, spec: { baseUrl: 7 } },
    {
      why: "it goes, and nothing of ours holds it",
      parts: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["example.com/else"] },
      spec: undefined,
    },
  ])("is waited for where it is not tried, since $why", ({ parts, spec }) => {
    const { metadata, ...rest } = connection("default");
    const object = { ...rest, metadata: { ...metadata, ...parts }, spec: spec ?? rest["spec"] };
    expect(ask(environmentWith(object))).toBe("waiting ConnectionNotReady");
  });

  it("is there once it was opened", () => {
    const environment = environmentWith(connection("default"));
    environment.sessions.set(connectionOf("ns"));
    expect(ask(environment)).toBe("default");
  });
});

describe("a connection that was edited after it was opened", () => {
  const opened = 1;
  it.each([
    { why: "nothing was edited", generation: opened, is: "default" },
    { why: "what it allows now may be less", generation: opened + 1, is: "waiting ConnectionNotReady" },
    { why: "while it is paused its edits count for nothing", generation: opened + 1, paused: "true", is: "default" },
  ])("is $is, since $why", ({ generation, paused, is }) => {
    const annotated = paused === undefined ? {} : { annotations: { [annotations.paused]: paused } };
    const { metadata, ...rest } = connection("default");
    const environment = environmentWith({ ...rest, metadata: { ...metadata, generation, ...annotated } });
    environment.sessions.set(connectionOf("ns", { generation: opened }));
    expect(outcomeOf(() => sessionFor(environment, { namespace: "ns" }).name)).toBe(is);
  });
});

describe("what a connection's owner allows", () => {
  it.each([
    { allowed: undefined, allows: true, why: "the namespace's own connection restricts nothing" },
    { allowed: ["*"], allows: true, why: "everything" },
    { allowed: ["x", "y"], allows: true, why: "it is listed" },
    { allowed: ["y"], allows: false, why: "it is not listed" },
    { allowed: [], allows: false, why: "nothing is" },
  ])("$allowed allows x: $allows, since $why", ({ allowed, allows }) => {
    const expected = allows ? undefined : "terminal NotAllowed";
    const session = connectionOf("ns", { allowedOrganizations: allowed, allowedRefs: allowed });
    expect(outcomeOf(() => requireAllowedOrganization(session, "x"))).toBe(expected);
    expect(outcomeOf(() => requireAllowedRef(session, "x"))).toBe(expected);
  });

  it("has one id for each", () => {
    expect(connectionId("ClusterConnection", "whatever", "c")).toBe("ClusterConnection//c");
  });
});
