import { describe, expect, it } from "vitest";
import { connectionOf } from "../../test/support/controllers/connection.ts";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import { storeOf } from "./watched-stores.ts";
import { wire } from "./wiring.ts";

/** Who lost something to another object hears of the connection of that, which thousands may use (ADR 4, engine.md §8). */

const SHARED = { kind: "ClusterConnection", name: "shared" } as const;
const LABEL = { team: "a" };

function object(kind: string, name: string, spec: object, more: object = {}): KubeObject {
  const metadata = { name, uid: `${kind} ${name}`, resourceVersion: "1", generation: 1, ...more };
  return { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec, status: {} };
}

const cluster = object("ClusterConnection", SHARED.name, {
  baseUrl: "https://api.example.com",
  token: { secretRef: { name: "token", namespace: "ns" } },
  allowedNamespaces: { from: "Selected", selector: { matchLabels: LABEL } },
});
const namespace: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "ns", uid: "ns", resourceVersion: "1", labels: LABEL },
};

const SHARED_REF = { connectionRef: SHARED };
const at = (ref: string): object => ({ projectRef: { ref }, ...SHARED_REF });
const anotherRef = (n: number): string =>
  `${n}`.padStart(20, "a").replaceAll(/\d/gu, (digit) => "bcdefghijk"[Number(digit)] ?? "");
const source = { inline: { files: { "index.ts": "1" } } };
const from = [{ secretRef: { name: "values" } }];
const one = "abcdefghijklmnopqrst";

const crowds = [
  {
    of: "functions of one slug in as many projects",
    kind: "EdgeFunction",
    spec: (n: number) => ({ ...at(anotherRef(n)), slug: "hello", source }),
  },
  {
    of: "functions of one slug in one project",
    kind: "EdgeFunction",
    spec: () => ({ ...at(one), slug: "hello", source }),
  },
  {
    of: "branches of one name in as many projects",
    kind: "Branch",
    spec: (n: number) => ({ ...at(anotherRef(n)), name: "preview" }),
  },
  { of: "branches of one name in one project", kind: "Branch", spec: () => ({ ...at(one), name: "preview" }) },
  { of: "secrets of one project", kind: "Secret", spec: () => ({ ...at(one), from }) },
  {
    of: "projects of one name",
    kind: "Project",
    spec: () => ({ organization: "acme", name: "shop", connectionRef: SHARED }),
  },
];

interface Crowd {
  readonly kind: string;
  readonly spec: (n: number) => object;
}

/**
 * How many objects the stores hand out one by one, or by what these have in common, while something is done: handlers are synchronous, and whoever
 * looks through all others for each user stands still until the lease is lost.
 */
function lookedAt({ kind, spec }: Crowd, size: number, act: (wired: Wired) => void): number {
  const crowd = Array.from({ length: size }, (_, n) =>
    object(kind, `${kind.toLowerCase()}-${n}`, spec(n), { namespace: "ns" }),
  );
  const stores = storesWith([cluster, namespace, ...crowd]);
  const environment = testEnvironment({ clock: new ManualClock(), stores });
  wire(environment, stores);
  environment.sessions.set(session);
  let count = 0;
  for (const store of stores.ours) {
    const [get, byIndex] = [store.get.bind(store), store.byIndex.bind(store)];
    const counting: Pick<Store, "get" | "byIndex"> = {
      get: (...name) => {
        count += 1;
        return get(...name);
      },
      byIndex: (...place) => {
        const found = byIndex(...place);
        count += 1 + found.length;
        return found;
      },
    };
    Object.assign(store, counting);
  }
  act({ environment, stores });
  return count;
}

interface Wired {
  readonly environment: ReturnType<typeof testEnvironment>;
  readonly stores: ReturnType<typeof storesWith>;
}

const session = { ...connectionOf("ns"), ...SHARED, id: "ClusterConnection//shared" };
const changes: readonly { readonly what: string; readonly act: (wired: Wired) => void }[] = [
  {
    what: "is edited",
    act: ({ stores }) => {
      const metadata = { ...cluster.metadata, resourceVersion: "2", generation: 2 };
      storeOf(stores.ours, SHARED.kind)
        .source()
        .upsert({ ...cluster, metadata });
    },
  },
  {
    what: "goes and comes",
    act: ({ stores }) => {
      const connections = storeOf(stores.ours, SHARED.kind).source();
      connections.remove(cluster);
      connections.upsert({ ...cluster, metadata: { ...cluster.metadata, uid: "another", resourceVersion: "3" } });
    },
  },
  { what: "works no more", act: ({ environment }) => environment.sessions.drop(session.id) },
  {
    what: "admits their namespace no more",
    act: ({ stores }) => {
      const metadata = { ...namespace.metadata, labels: {}, resourceVersion: "2" };
      stores.namespaces.source().upsert({ ...namespace, metadata });
    },
  },
];

describe.each(changes)("a connection that $what", ({ act }) => {
  it.each(crowds)("looks at twice as many $of with twice the work", (crowd) => {
    const [few, many] = [lookedAt(crowd, 200, act), lookedAt(crowd, 400, act)];
    expect(few).toBeGreaterThanOrEqual(200);
    expect(many).toBeLessThan(few * 2.2);
  });
});

describe("who lost something to an object of another namespace", () => {
  const conflict = { type: "Ready", status: "False", reason: "Conflict", message: "", observedGeneration: 1 };
  const conditions = [{ ...conflict, lastTransitionTime: "2026-01-01T00:00:00Z" }];
  const status = { observedGeneration: 1, conditions };
  const own = { connectionRef: { kind: "Connection", name: "own" } };
  const marked = (version: string, more: object): KubeObject => ({
    ...namespace,
    metadata: { name: "ns", uid: "ns", resourceVersion: version, ...more },
  });

  function wokenBy(before: readonly KubeObject[], now: KubeObject, through: object): number {
    const stores = storesWith([
      cluster,
      ...before,
      object("Branch", "holder", { ...at(one), ...through, name: "loser" }, { namespace: "ns" }),
      { ...object("Branch", "loser", { ...at(one), ...own }, { namespace: "elsewhere" }), status },
    ]);
    const asked: string[] = [];
    const onEnqueue = ({ name }: { readonly name: string }): void => void asked.push(name);
    wire(testEnvironment({ clock: new ManualClock(), stores, onEnqueue }), stores);
    asked.length = 0;
    stores.namespaces.source().upsert(now);
    return asked.filter((name) => name === "loser").length;
  }

  const labels = LABEL;
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  it.each([
    { what: "is let in no more", before: [{ labels }], now: {} },
    { what: "is let in no more, and goes", before: [{ labels }], now: { deletionTimestamp } },
    { what: "is let in", before: [{}], now: { labels } },
    { what: "is let in no more by what it does not use", before: [{ labels }], now: {}, through: own, wakes: 0 },
    { what: "has another label", before: [{ labels }], now: { labels: { ...labels, n: "1" } }, wakes: 0 },
    { what: "is seen for the first time", before: [], now: { labels }, wakes: 0 },
  ])("looks, or is left alone, when the holder $what", ({ before, now, through = SHARED_REF, wakes = 1 }) => {
    const seen = before.map((more) => marked("1", more));
    expect(wokenBy(seen, marked("2", now), through)).toBe(wakes);
  });
});
