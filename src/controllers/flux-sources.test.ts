import { describe, expect, it } from "vitest";
import { fluxStatus } from "../../test/support/artifacts/flux.ts";
import { digestOf } from "../../test/support/artifacts/tar.ts";
import { storesWith, testEnvironment } from "../../test/support/controllers/environment.ts";
import { ManualClock } from "../base/manual-clock.ts";
import type { KubeObject } from "../resources/meta.ts";
import { wire } from "./wiring.ts";

type Stores = ReturnType<typeof storesWith>;

const [OLD, NEW] = ["old", "new"].map((text) => digestOf(Buffer.from(text)));

/** A source object of Flux with an artifact of that digest. */
function source(digest: string | undefined, version: string, { name = "app", ready = "True" } = {}): KubeObject {
  const artifact = { url: "http://flux/a.tar.gz", revision: "main", ...(digest === undefined ? {} : { digest }) };
  return {
    apiVersion: "source.toolkit.fluxcd.io/v1",
    kind: "GitRepository",
    metadata: { name, namespace: "ns", uid: name, resourceVersion: version },
    status: fluxStatus({ artifact, ready: [ready, "Succeeded"] }),
  };
}

/** In which the function is. */
const shop: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "Project",
  metadata: { name: "shop", namespace: "ns", uid: "p", resourceVersion: "1", generation: 1 },
  spec: { organization: "acme" },
};

/** A function that was Ready with the old artifact. */
const settled: KubeObject = {
  apiVersion: "baas.dev/v1alpha1",
  kind: "EdgeFunction",
  metadata: { name: "hello", namespace: "ns", uid: "f", resourceVersion: "1", generation: 1 },
  spec: {
    projectRef: { name: "shop" },
    source: { artifactRef: { kind: "GitRepository", name: "app" } },
  },
  status: {
    observedGeneration: 1,
    conditions: [
      {
        type: "Ready",
        status: "True",
        reason: "Available",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
        observedGeneration: 1,
      },
    ],
    artifact: { kind: "GitRepository", name: "app", revision: "main", digest: OLD },
  },
};

function wired(objects: readonly KubeObject[]): { stores: Stores; asked: string[] } {
  const asked: string[] = [];
  const stores = storesWith([shop, ...objects]);
  const onEnqueue = ({ kind }: { kind: string }, { lane }: { lane: string }): void =>
    void (kind === "EdgeFunction" && asked.push(lane));
  wire(testEnvironment({ clock: new ManualClock(), stores, onEnqueue }), stores);
  return { stores, asked };
}

function upsert(stores: Stores, object: KubeObject): void {
  const all = [...stores.ours, ...stores.fluxSources];
  all
    .find(({ type }) => type.kind === object.kind)
    ?.source()
    .upsert(object);
}

describe("at a start, a function runs at once where another artifact was published while nobody watched", () => {
  it.each([
    { digest: NEW, asks: true, why: "the source object is seen first" },
    { digest: OLD, asks: false, why: "the same artifact is no reason" },
  ])("$why", ({ digest, asks }) => {
    const { stores, asked } = wired([source(digest, "2")]);
    upsert(stores, settled);
    expect(asked.includes("change")).toBe(asks);
  });

  it.each([
    { digest: NEW, asks: ["change"], why: "the function is seen first" },
    { digest: OLD, asks: [], why: "the same artifact is no reason" },
    { digest: undefined, asks: [], why: "none is no other one" },
  ])("$why", ({ digest, asks }) => {
    const { stores, asked } = wired([settled]);
    asked.length = 0;
    upsert(stores, source(digest, "2"));
    expect(asked).toEqual(asks);
  });
});

describe("a function runs", () => {
  it.each([
    { what: "when another artifact is published", next: source(NEW, "3"), asks: ["change"] },
    { what: "when the source is not Ready any more", next: source(OLD, "3", { ready: "False" }), asks: ["change"] },
    { what: "not when Flux only writes its status again", next: source(OLD, "3"), asks: [] },
    { what: "not for another source object", next: source(NEW, "3", { name: "other" }), asks: [] },
  ])("$what", ({ next, asks }) => {
    const { stores, asked } = wired([settled, source(OLD, "2")]);
    asked.length = 0;
    upsert(stores, next);
    expect(asked).toEqual(asks);
  });
});

it("a function runs when its source object goes", () => {
  const { stores, asked } = wired([settled, source(OLD, "2")]);
  asked.length = 0;
  const repositories = stores.fluxSources.find(({ type }) => type.kind === "GitRepository");
  repositories?.source().remove(source(OLD, "3"));
  expect(asked).toEqual(["change"]);
});

it("the stores keep nothing of a source object but what is read of it", () => {
  const { stores } = wired([]);
  const full = source(NEW, "2");
  upsert(stores, { ...full, spec: { secretRef: { name: "x" } }, data: "x" });
  const [kept] = stores.fluxSources.flatMap((store) => store.list());
  expect(Object.keys(kept ?? {}).toSorted()).toEqual(["apiVersion", "kind", "metadata", "status"]);
  expect(kept?.["status"]).toEqual({
    conditions: [{ type: "Ready", status: "True", reason: "Succeeded" }],
    artifact: { url: "http://flux/a.tar.gz", revision: "main", digest: NEW },
  });
});
