import { describe, expect, inject, it } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import type { Logger } from "../../src/base/log.ts";
import { silentLogger } from "../../src/base/log.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../src/kube/finalizers.ts";
import { createLeaseClient } from "../../src/kube/leases.ts";
import { microTime } from "../../src/base/micro-time.ts";
import { StoreSet } from "../../src/kube/store-set.ts";
import { Store } from "../../src/kube/store.ts";
import {
  clientOf,
  configMap,
  configMapType,
  customKind,
  ownNamespace,
  secretType,
} from "../support/kube-cluster/session.ts";
import { settled } from "../support/kube-server/for-a-test.ts";

const cluster = inject("cluster");

describe("requests to a real apiserver", () => {
  it("create, read, update and delete, and say Conflict, AlreadyExists and NotFound where they should", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const id = { namespace, name: "c" };
    const draft = configMap(namespace, "c", { a: "1" });
    const created = await client.create(configMapType, draft);
    expect(created).toMatchObject({ apiVersion: "v1", kind: "ConfigMap", data: { a: "1" } });
    expect(await settled(client.create(configMapType, draft))).toMatchObject({ code: "AlreadyExists", effect: "none" });
    const { resourceVersion } = created.metadata;
    const newer = { ...draft, metadata: { ...draft.metadata, resourceVersion }, data: { a: "2" } };
    expect(await client.update(configMapType, newer)).toMatchObject({ data: { a: "2" } });
    expect(await settled(client.update(configMapType, newer))).toMatchObject({ code: "Conflict", effect: "none" });
    const merge = { metadata: { resourceVersion }, data: { a: "3" } };
    expect(await settled(client.patchMerge(configMapType, id, merge))).toMatchObject({ code: "Conflict" });
    expect(await client.delete(configMapType, id)).toEqual({ gone: true });
    expect(await settled(client.get(configMapType, id))).toMatchObject({ code: "NotFound", status: 404 });
  });
});

describe("server-side apply", () => {
  it("owns what it names, releases what it no longer names, and meets other managers with Conflict or force", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const apply = (fieldManager: string, data: Readonly<Record<string, string>>, force: boolean) =>
      client.apply(configMapType, configMap(namespace, "c", data), { fieldManager, force });
    expect(await apply("one", { a: "1", b: "1" }, false)).toMatchObject({ data: { a: "1", b: "1" } });
    expect(await apply("one", { a: "1" }, false)).toMatchObject({ data: { a: "1" } });
    const conflict = await settled(apply("two", { a: "2" }, false));
    expect(conflict).toMatchObject({
      code: "Conflict",
      causes: [{ reason: "FieldManagerConflict", field: ".data.a" }],
    });
    expect(await apply("two", { a: "2" }, true)).toMatchObject({ data: { a: "2" } });
  });
});

describe("JSON patches", () => {
  it("of which a test fails are a Conflict, and change nothing", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const id = { namespace, name: "c" };
    const { metadata } = await client.create(configMapType, configMap(namespace, "c", { a: "1" }));
    const patches = [
      [{ op: "test", path: "/data/a", value: "2" } as const],
      [{ op: "test", path: "/data/missing", value: "2" } as const],
      [{ op: "remove", path: "/data/missing" } as const],
    ];
    for (const patch of patches) {
      const full = [{ op: "replace", path: "/data/a", value: "9" } as const, ...patch];
      expect(await settled(client.patchJson(configMapType, id, full))).toMatchObject({
        code: "Conflict",
        effect: "none",
      });
    }
    expect((await client.get(configMapType, id)).metadata.resourceVersion).toBe(metadata.resourceVersion);
  });

  it("add and remove finalizers, our own alone, and only of the object that was seen", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const id = { namespace, name: "c" };
    const created = await client.create(configMapType, configMap(namespace, "c"));
    const add = (seen: typeof created, name: string) =>
      client.patchJson(configMapType, id, addFinalizerPatch(seen, name) ?? []);
    const first = await add(created, "example.dev/one");
    expect(first.metadata.finalizers).toEqual(["example.dev/one"]);
    expect(await settled(add(created, "example.dev/two"))).toMatchObject({ code: "Conflict" });
    const both = await add(first, "example.dev/two");
    const removal = removeFinalizerPatch(both, "example.dev/one") ?? [];
    const one = await client.patchJson(configMapType, id, removal);
    expect(one.metadata.finalizers).toEqual(["example.dev/two"]);
    expect(await settled(client.patchJson(configMapType, id, removal))).toMatchObject({ code: "Conflict" });
    expect(await client.delete(configMapType, id)).toMatchObject({ gone: false });
    expect(await settled(add(one, "example.dev/three"))).toMatchObject({ code: "Invalid" });
    await client.patchJson(configMapType, id, removeFinalizerPatch(one, "example.dev/two") ?? []);
    expect(await settled(client.get(configMapType, id))).toMatchObject({ code: "NotFound" });
  });
});

describe("deletions", () => {
  it("keep to their preconditions", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const id = { namespace, name: "c" };
    const { metadata } = await client.create(configMapType, configMap(namespace, "c"));
    const { uid, resourceVersion } = metadata;
    for (const preconditions of [{ uid: "another" }, { uid, resourceVersion: "1" }]) {
      const result = await settled(client.delete(configMapType, id, { preconditions }));
      expect(result).toMatchObject({ code: "Conflict", effect: "none" });
    }
    expect(await client.delete(configMapType, id, { preconditions: { uid, resourceVersion } })).toEqual({ gone: true });
  });
});

describe("metadata alone", () => {
  it("brings no value of a Secret, be it read, listed, patched or applied", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const id = { namespace, name: "s" };
    const metadata = { name: "s", namespace };
    const options = { metadataOnly: true };
    await client.create(secretType, {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: { password: "hunter2" },
    });
    const answers = [
      await client.get(secretType, id, options),
      ...(await client.listPage(secretType, { namespace, ...options })).items,
      await client.patchJson(secretType, id, [{ op: "add", path: "/metadata/labels", value: { a: "b" } }], options),
      await client.patchMerge(secretType, id, { metadata: { labels: { a: "c" } } }, options),
      await client.apply(
        secretType,
        { apiVersion: "v1", kind: "Secret", metadata },
        { fieldManager: "me", ...options },
      ),
    ];
    expect(answers).toHaveLength(5);
    for (const answer of answers) {
      expect(Object.keys(answer).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
      expect(answer).toMatchObject({ apiVersion: "v1", kind: "Secret", metadata });
    }
    expect(JSON.stringify(answers)).not.toContain(Buffer.from("hunter2").toString("base64"));
  });
});

describe("lists", () => {
  it("go through all pages, and heed selectors", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) {
      const { metadata, ...rest } = configMap(namespace, name);
      await client.create(configMapType, {
        ...rest,
        metadata: { ...metadata, labels: { vowel: String("ae".includes(name)) } },
      });
    }
    const sizes: number[] = [];
    const found: string[] = [];
    for await (const page of client.list(configMapType, { namespace, limit: 2 })) {
      sizes.push(page.items.length);
      found.push(...page.items.map(({ metadata }) => metadata.name));
      expect(page.items.every(({ kind }) => kind === "ConfigMap")).toBe(true);
    }
    expect(found.filter((name) => names.includes(name))).toEqual(names);
    expect(sizes.slice(0, -1).every((size) => size === 2)).toBe(true);
    const selected = await client.listPage(configMapType, { namespace, labelSelector: "vowel=true" });
    expect(selected.items.map(({ metadata }) => metadata.name)).toEqual(["a", "e"]);
  });
});

describe("custom objects", () => {
  it("have a status of their own, say which field is wrong, and warn of fields that are dropped", async () => {
    const warnings: unknown[] = [];
    const log: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields["warning"]), child: () => log };
    const client = clientOf(cluster, { log });
    const namespace = await ownNamespace(client);
    const { type, define } = customKind(client);
    await define();
    const id = { namespace, name: "g" };
    const draft = { apiVersion: `${type.group}/v1`, kind: "Gadget", metadata: { name: "g", namespace } };
    const refused = await settled(client.create(type, { ...draft, spec: { size: 9 } }));
    expect(refused).toMatchObject({ code: "Invalid", causes: [{ field: "spec.size" }] });
    await client.create(type, { ...draft, spec: { size: 3, colour: "red" } });
    expect(warnings).toEqual(['unknown field "spec.colour"']);
    const status = { subresource: "status" } as const;
    const patched = await client.patchMerge(type, id, { spec: { size: 4 }, status: { phase: "Ready" } }, status);
    expect(patched).toMatchObject({ spec: { size: 3 }, status: { phase: "Ready" } });
    const withSize = [{ op: "replace", path: "/spec/size", value: 9 } as const];
    expect(await settled(client.patchJson(type, id, withSize))).toMatchObject({ code: "Invalid" });
  });
});

describe("own writes", () => {
  it("show in the store as soon as their calls resolve, and their objects' ends too", async () => {
    const stores = new StoreSet();
    const store = new Store({ type: configMapType });
    stores.add(store);
    const client = clientOf(cluster, { observer: stores });
    const namespace = await ownNamespace(client);
    const { items, resourceVersion } = await client.listPage(configMapType, { namespace });
    store.source(namespace).replace(items, resourceVersion);
    const id = { namespace, name: "c" };
    await client.create(configMapType, configMap(namespace, "c"));
    const created = store.get(namespace, "c");
    expect(created).toBeDefined();
    expect(created?.metadata["managedFields"]).toBeUndefined();
    const held = await client.patchMerge(configMapType, id, { metadata: { finalizers: ["example.dev/x"] } });
    await client.delete(configMapType, id);
    expect(store.get(namespace, "c")?.metadata.deletionTimestamp).toBeDefined();
    await client.patchJson(configMapType, id, removeFinalizerPatch(held, "example.dev/x") ?? []);
    expect(store.get(namespace, "c")).toBeUndefined();
  });
});

describe("a lease", () => {
  it("is held by one: of two that write over the same version, one is told Conflict", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const { signal } = new AbortController();
    const [one, two] = [1, 2].map(() => createLeaseClient(client, { namespace, name: "l" }));
    const time = microTime(systemClock.now());
    const spec = {
      holderIdentity: "one",
      leaseDurationSeconds: 15,
      acquireTime: time,
      renewTime: time,
      leaseTransitions: 0,
    };
    expect(await two?.get(signal)).toBeUndefined();
    const lease = await one?.create(spec, signal);
    expect(lease?.spec).toEqual(spec);
    expect(await settled(two?.create(spec, signal) ?? Promise.resolve())).toMatchObject({ code: "AlreadyExists" });
    const version = (await two?.get(signal))?.resourceVersion ?? "";
    const taken = await two?.update(version, { ...spec, holderIdentity: "two" }, signal);
    expect(taken?.spec.holderIdentity).toBe("two");
    const late = one?.update(version, spec, signal) ?? Promise.resolve();
    expect(await settled(late)).toMatchObject({ code: "Conflict", effect: "none" });
  });
});
