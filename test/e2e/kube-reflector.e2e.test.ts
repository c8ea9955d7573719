import { describe, expect, inject, it, vi } from "vitest";
import { Store } from "../../src/kube/store.ts";
import { follow } from "../support/kube-cluster/following.ts";
import {
  clientOf,
  configMap,
  configMapType,
  customKind,
  ownNamespace,
  secretType,
} from "../support/kube-cluster/session.ts";

const cluster = inject("cluster");

describe("a reflector on a real apiserver", () => {
  it("follows objects from page to page, through the ends of its watches, and goes on from bookmarks", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    for (const name of ["a", "b", "c"]) await client.create(configMapType, configMap(namespace, name));
    // The server ends these watches after 4 s, and sends a bookmark 2 s before.
    const tuning = { pageSize: 2, minWatchMs: 4000, maxWatchMs: 4000, steadyWatchMs: 2000 };
    const { reflector, shows, restarted, lists, meter } = follow({ client, type: configMapType, namespace, tuning });
    await reflector.synced;
    await shows(namespace, ["a", "b", "c"]);
    await client.create(configMapType, configMap(namespace, "d"));
    await client.delete(configMapType, { namespace, name: "a" });
    await shows(namespace, ["b", "c", "d"]);
    await restarted("ended");
    const bookmarks = meter.counted("baas_kube_watch_events_total", { resource: "configmaps", type: "BOOKMARK" });
    expect(bookmarks).toBeGreaterThan(0);
    await client.create(configMapType, configMap(namespace, "e"));
    await shows(namespace, ["b", "c", "d", "e"]);
    expect(lists()).toBe(1);
  });

  it("tells each change once, be it seen by the watch first or by the answer of our write", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const { reflector, store, told, shows } = follow({ client, type: configMapType, namespace });
    await reflector.synced;
    await shows(namespace, []);
    for (let round = 0; round < 20; round++) {
      const data = { round: String(round) };
      store.put(await client.apply(configMapType, configMap(namespace, "c", data), { fieldManager: "me" }));
      expect(store.get(namespace, "c")).toMatchObject({ data });
    }
    await client.create(configMapType, configMap(namespace, "last"));
    await shows(namespace, ["c", "last"]);
    expect(told.filter((line) => line.endsWith(" c"))).toEqual([
      "added c",
      ...Array.from({ length: 19 }, () => "updated c"),
    ]);
  });

  it("keeps nothing of Secrets but metadata", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const { store, reflector, shows } = follow({ client, type: secretType, namespace, metadataOnly: true });
    await reflector.synced;
    const metadata = { name: "s", namespace };
    await client.create(secretType, {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      stringData: { password: "hunter2" },
    });
    await shows(namespace, ["s"]);
    const object = store.get(namespace, "s");
    expect(Object.keys(object ?? {}).toSorted()).toEqual(["apiVersion", "kind", "metadata"]);
    expect(object?.kind).toBe("Secret");
  });

  it("feeds one store from several namespaces, and leaves others out", async () => {
    const client = clientOf(cluster);
    const namespaces = [await ownNamespace(client), await ownNamespace(client)] as const;
    const elsewhere = await ownNamespace(client);
    const store = new Store({ type: configMapType });
    const followers = namespaces.map((namespace) => follow({ client, type: configMapType, namespace, store }));
    await Promise.all(followers.map(({ reflector }) => reflector.synced));
    expect(store.hasSynced).toBe(true);
    for (const namespace of [...namespaces, elsewhere]) {
      await client.create(configMapType, configMap(namespace, "c"));
    }
    for (const [index, namespace] of namespaces.entries()) await followers[index]?.shows(namespace, ["c"]);
    expect(store.list(elsewhere)).toEqual([]);
  });

  it("finds a kind when it is defined, loses it when it is taken away, and finds it again", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const { type, define, remove } = customKind(client);
    const { reflector, store, shows } = follow({ client, type, optional: true });
    await reflector.synced;
    expect(store.hasSynced).toBe(true);
    const gadget = {
      apiVersion: `${type.group}/v1`,
      kind: "Gadget",
      metadata: { name: "g", namespace },
      spec: { size: 1 },
    };
    await define();
    await client.create(type, gadget);
    await shows(namespace, ["g"]);
    await remove();
    await shows(namespace, []);
    await define();
    await client.create(type, gadget);
    await shows(namespace, ["g"]);
  });

  it("is told NotFound for a required kind, and is not in sync until it is there", async () => {
    const client = clientOf(cluster);
    const { type, define } = customKind(client);
    const { reflector, store, restarted } = follow({ client, type });
    await restarted("refused", 2);
    expect(store.hasSynced).toBe(false);
    await define();
    await reflector.synced;
    await vi.waitFor(() => expect(store.hasSynced).toBe(true));
  });
});
