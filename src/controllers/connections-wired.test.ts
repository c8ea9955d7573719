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

/** The objects, wired to each other: in which lanes a Project was asked to run since, and who was at all. */
function wiredWith(objects: readonly KubeObject[]) {
  const asked: string[] = [];
  const woken: string[] = [];
  const stores = storesWith(objects);
  const environment = testEnvironment({
    clock: new ManualClock(),
    stores,
    onEnqueue: (key, { lane }) => {
      if (lane === "change") woken.push(keyToString(key));
      if (key.kind === "Project") asked.push(lane);
    },
  });
  wire(environment, stores);
  asked.length = 0;
  woken.length = 0;
  return { environment, stores, asked, woken };
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

describe("an object that was refused, or waits", () => {
  const at = { message: "", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
  const refused = (object: KubeObject): KubeObject => {
    const conditions = [
      { type: "Ready", status: "False", reason: "Rejected", ...at },
      { type: "Stalled", status: "True", reason: "Rejected", ...at },
    ];
    return { ...object, status: { ...(object["status"] as object), conditions } };
  };
  const child = (spec: object, status: object = {}): KubeObject => ({
    apiVersion: "baas.dev/v1alpha1",
    kind: "Secret",
    metadata: { ...meta, name: "env", uid: "s" },
    spec: { from: [{ secretRef: { name: "v" } }], ...spec },
    status: { observedGeneration: 1, ...status },
  });
  const project = (spec: object): KubeObject => ({
    ...child({}),
    kind: "Project",
    metadata: { ...meta, name: "shop", uid: "p" },
    spec: { organization: "acme", ...spec },
  });
  const branch = { ...child({}), kind: "Branch", metadata: { ...meta, name: "preview", uid: "b" } };
  const session = connectionOf("ns");
  const other = { kind: "Connection", name: "other" };
  const inShop = { projectRef: { name: "shop" } };
  const unmanaged = { projectRef: { ref: "projectprojectprojec" } };
  const by = (kind: string, name: string): object => ({ connection: { kind, name, identity: "i", server: "s" } });

  it.each([
    { why: "it names it", objects: [project({ connectionRef: { kind: "Connection", name: "default" } })] },
    { why: "it names none", objects: [project({})] },
    {
      why: "it was reached through it",
      objects: [child(inShop, by("Connection", "default")), project({ connectionRef: other })],
    },
    { why: "its spec cannot be read", objects: [{ ...project({}), spec: { organization: 1 } }] },
    { why: "its Project names none", objects: [child(inShop), project({})] },
    {
      why: "its Project was reached through it",
      objects: [child(inShop), { ...project({ connectionRef: other }), status: by("Connection", "default") }],
    },
    { why: "its Project is not there", objects: [child(inShop)] },
    {
      why: "its Branch's Project names none",
      objects: [child({ branchRef: { name: "preview" } }), { ...branch, spec: inShop }, project({})],
    },
    { why: "no object manages its project", objects: [child(unmanaged)] },
  ])("is woken by a session of the connection where $why", ({ objects }) => {
    expect(wokenBy(objects, session)).toContain(nameOf(objects[0]));
  });

  it.each([
    { why: "it names another", objects: [project({ connectionRef: other })] },
    { why: "its Project names another", objects: [child(inShop), project({ connectionRef: other })] },
    {
      why: "it was reached through another, and its Project is not there",
      objects: [child(inShop, by("Connection", "other"))],
    },
    {
      why: "no object manages its project, and it names another",
      objects: [child({ ...unmanaged, connectionRef: other })],
    },
    {
      why: "its Branch names another for a project that no object manages",
      objects: [child({ branchRef: { name: "preview" } }), { ...branch, spec: { ...unmanaged, connectionRef: other } }],
    },
  ])("is left alone by a connection where $why", ({ objects }) => {
    expect(wokenBy(objects, session)).not.toContain(nameOf(objects[0]));
  });

  it("is left alone by what its connection says while that works, and woken when it does not", () => {
    const saying = (reason: string, resourceVersion: string): KubeObject => ({
      ...connection,
      metadata: { ...connection.metadata, resourceVersion },
      status: { conditions: [{ type: "Ready", status: "Unknown", reason, ...at }] },
    });
    const { environment, stores, asked } = wiredWith([saying("RateLimited", "1"), refused(project({}))]);
    const source = stores.ours.find(({ type }) => type.kind === "Connection")?.source();
    environment.sessions.set(session);
    asked.length = 0;
    source?.upsert(saying("ServerUnavailable", "2"));
    expect(asked).toEqual([]);
    environment.sessions.set({ ...session, deletionOnly: true });
    asked.length = 0;
    source?.upsert(saying("CredentialInvalid", "3"));
    expect(asked).toEqual(["change"]);
  });

  function nameOf(object: KubeObject | undefined): string {
    return `${object?.kind}/ns/${object?.metadata.name}`;
  }

  function wokenBy(objects: readonly KubeObject[], now: Session): readonly string[] {
    const { environment, woken } = wiredWith([connection, ...objects.map((one) => refused(one))]);
    environment.sessions.set(now);
    return woken;
  }
});

describe("a namespace", () => {
  const namespace = (labels: Record<string, string>, more: object = {}): KubeObject => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "ns", uid: "n", resourceVersion: "1", labels, ...more },
  });
  const cluster = {
    ...connection,
    kind: "ClusterConnection",
    metadata: { name: "shared", uid: "cc", resourceVersion: "1", generation: 1 },
    spec: {
      baseUrl: "https://api.example.com",
      token: { secretRef: { name: "token", namespace: "ns" } },
      allowedNamespaces: { from: "Selected", selector: { matchLabels: { team: "a" } } },
    },
  };
  const at = { message: "", observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" };
  const using = (kind: string, name: string): KubeObject => ({
    ...connection,
    kind: "Project",
    metadata: { ...meta, name: "shop", uid: "p" },
    spec: { organization: "acme", connectionRef: { kind, name } },
    status: { observedGeneration: 1, conditions: [{ type: "Ready", status: "False", reason: "NotAllowed", ...at }] },
  });
  const shared = using("ClusterConnection", "shared");
  const teamA = namespace({ team: "a" });

  it.each([
    { why: "is admitted by a label", before: namespace({}), now: teamA, user: shared, lanes: ["change"] },
    { why: "is not any more", before: teamA, now: namespace({}), user: shared, lanes: ["change"] },
    {
      why: "has a label that nothing looks at",
      before: teamA,
      now: namespace({ team: "a", n: "1" }),
      user: shared,
      lanes: [],
    },
    {
      why: "has an annotation",
      before: teamA,
      now: namespace({ team: "a" }, { annotations: { a: "b" } }),
      user: shared,
      lanes: [],
    },
    {
      why: "is admitted to another connection",
      before: namespace({}),
      now: teamA,
      user: using("Connection", "own"),
      lanes: [],
    },
    {
      why: "goes",
      before: teamA,
      now: namespace({ team: "a" }, { deletionTimestamp: "2026-01-01T00:00:00Z" }),
      user: using("Connection", "own"),
      lanes: ["change"],
    },
  ])("wakes who waits or was refused, $lanes, where it $why", ({ before, now, user, lanes }) => {
    const { stores, asked } = wiredWith([cluster, before, user]);
    stores.namespaces.source().upsert({ ...now, metadata: { ...now.metadata, resourceVersion: "2" } });
    expect(asked).toEqual(lanes);
  });

  it("that is seen after what is in it wakes whom its labels let in", () => {
    const { stores, asked } = wiredWith([cluster, shared]);
    stores.namespaces.source().upsert(teamA);
    expect(asked).toEqual(["change"]);
  });
});
