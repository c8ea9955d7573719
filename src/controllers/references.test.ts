import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { StoreSource } from "../kube/store-source.ts";
import { apiVersionOf, type KubeObject } from "../resources/meta.ts";
import { wire } from "./wiring.ts";

const ready = {
  type: "Ready",
  status: "True",
  reason: "Available",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

function settled(kind: string, spec: object, status: object): KubeObject {
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name: "one", namespace: "ns", uid: "u", resourceVersion: "1", generation: 1 },
    spec,
    status: { observedGeneration: 1, conditions: [{ ...ready, observedGeneration: 1 }], ...status },
  };
}

const inShop = { projectRef: { name: "shop" } };
const shop: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Project",
  metadata: { name: "shop", namespace: "ns", uid: "shop", resourceVersion: "1", generation: 1 },
  spec: { organization: "acme" },
};
const version = { name: "source", uid: "source", resourceVersion: "7" };
const secretKeyRef = { name: "source", key: "password" };
const sent = { hash: "00", keyId: "k", secretUid: "source", secretResourceVersion: "7" };

const users: readonly { readonly what: string; readonly of: string; readonly object: KubeObject }[] = [
  {
    what: "a Secret with the values of a Kubernetes Secret",
    of: "Secret",
    object: settled("Secret", { ...inShop, from: [{ secretRef: { name: "source" } }] }, { sources: [version] }),
  },
  {
    what: "a Project with a password of the user's",
    of: "Secret",
    object: settled(
      "Project",
      { organization: "acme", databasePassword: { secretKeyRef } },
      { databasePassword: { secretName: "source", key: "password", generated: false, sent } },
    ),
  },
  {
    what: "an EdgeFunction with the files of a ConfigMap",
    of: "ConfigMap",
    object: settled("EdgeFunction", { ...inShop, source: { configMapRef: { name: "source" } } }, { source: version }),
  },
];

interface Asked {
  readonly kind: string;
  readonly lane: string | undefined;
}

/** What a start that finds both asks for, in either order of their lists. */
function askedAtStart(user: KubeObject, of: string, resourceVersion: string, order: "user first" | "source first") {
  const { stores, asked } = wired();
  const source = sourceOf(of, resourceVersion);
  const both = order === "user first" ? [user, source] : [source, user];
  for (const object of both) sourceIn(stores, object)?.upsert(object);
  return asked.filter(({ kind, lane }) => kind === user.kind && lane === "change");
}

/** What is asked for when what an object at rest is made of goes. */
function askedWhenGone(user: KubeObject, of: string): readonly Asked[] {
  const { stores, asked } = wired();
  const source = sourceOf(of, "7");
  for (const object of [user, source]) sourceIn(stores, object)?.upsert(object);
  asked.length = 0;
  sourceIn(stores, source)?.remove(sourceOf(of, "8"));
  return asked.filter(({ kind }) => kind === user.kind);
}

function wired(): { readonly stores: ReturnType<typeof storesWith>; readonly asked: Asked[] } {
  const asked: Asked[] = [];
  const stores = storesWith([shop]);
  const onEnqueue = ({ kind }: { readonly kind: string }, { lane }: { readonly lane?: string } = {}): void =>
    void asked.push({ kind, lane });
  wire(testEnvironment({ clock: new ManualClock(), stores, onEnqueue }), stores);
  asked.length = 0;
  return { stores, asked };
}

function sourceOf(kind: string, resourceVersion: string): KubeObject {
  return { apiVersion: "v1", kind, metadata: { name: "source", namespace: "ns", uid: "source", resourceVersion } };
}

function sourceIn(stores: ReturnType<typeof storesWith>, object: KubeObject): StoreSource | undefined {
  return [...stores.ours, stores.coreSecrets, stores.configMaps]
    .find(({ type }) => type.kind === object.kind && apiVersionOf(type) === object.apiVersion)
    ?.source();
}

it.each(users)("what it is made of goes, and it looks at once: $what", ({ object, of }) => {
  expect(askedWhenGone(object, of)).toEqual([{ kind: object.kind, lane: "change" }]);
});

describe("a start", () => {
  for (const order of ["user first", "source first"] as const) {
    it.each(users)(`runs what was changed while nobody watched at once, ${order}: $what`, ({ object, of }) => {
      expect(askedAtStart(object, of, "8", order)).toHaveLength(1);
    });

    it.each(users)(`leaves what was not to its drift check, ${order}: $what`, ({ object, of }) => {
      expect(askedAtStart(object, of, "7", order)).toEqual([]);
    });
  }
});

describe("a process that does not lead", () => {
  const refused = (n: number): KubeObject => {
    const user = settled("Secret", { ...inShop, from: [{ secretRef: { name: `values-${n}` } }] }, {});
    const says = { ...ready, status: "False", reason: "Rejected", observedGeneration: n };
    const conditions = [says, { ...says, type: "Stalled", status: "True" }];
    const metadata = { ...user.metadata, generation: n, resourceVersion: `${n}` };
    return { ...user, metadata, status: { observedGeneration: n, conditions } };
  };
  const values = (n: number, resourceVersion: string): KubeObject => ({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `values-${n}`, namespace: "ns", uid: `v${n}`, resourceVersion },
  });

  it("keeps no more of who was refused than it refers to, whatever Secrets came and went in its spec", () => {
    const stores = storesWith([shop, refused(1)]);
    const environment = testEnvironment({ clock: new ManualClock(), stores });
    wire(environment, stores);
    const users = stores.ours.find(({ type }) => type.kind === "Secret")?.source();
    const secrets = stores.coreSecrets.source();
    const sizes: number[] = [];
    for (let n = 1; n <= 20; n += 1) {
      users?.upsert(refused(n));
      secrets.upsert(values(n, "1"));
      secrets.upsert(values(n, "2"));
      sizes.push(environment.waitingUsers.size);
      if (n % 2 === 0) secrets.remove(values(n, "3"));
    }
    expect([...new Set(sizes)]).toHaveLength(1);
  });
});
