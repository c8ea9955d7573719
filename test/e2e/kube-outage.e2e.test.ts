import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { listAll } from "../../src/kube/list-all.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { follow } from "../support/kube-cluster/following.ts";
import { clientOf, configMap, configMapType, ownNamespace } from "../support/kube-cluster/session.ts";

describe("an apiserver that forgets", () => {
  // Without its watch cache the apiserver serves watches and lists from etcd, so that a compaction is felt at once.
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane({ watchCache: false });
  });
  afterAll(() => controlPlane.stop());

  it("answers a watch from before a compaction 410, and one list finds what was deleted meanwhile", async () => {
    const client = clientOf(controlPlane);
    const namespace = await ownNamespace(client);
    for (const name of ["kept", "lost"]) await client.create(configMapType, configMap(namespace, name));
    let offline = false;
    // The watch ends with the connection, and the next begins only when we let it: by then its version is compacted.
    const gated = {
      listPage: client.listPage.bind(client),
      watch: (...args: Parameters<typeof client.watch>) => {
        if (offline) throw new Error("offline");
        return client.watch(...args);
      },
    };
    const tuning = { minWatchMs: 1000, maxWatchMs: 1000, steadyWatchMs: 500 };
    const { reflector, restarted, lists, told, shows } = follow({
      client: gated,
      type: configMapType,
      namespace,
      tuning,
    });
    await reflector.synced;
    await shows(namespace, ["kept", "lost"]);
    offline = true;
    await restarted("error");
    await client.delete(configMapType, { namespace, name: "lost" });
    await client.create(configMapType, configMap(namespace, "new"));
    await controlPlane.compactEtcd();
    offline = false;
    await restarted("gone");
    await shows(namespace, ["kept", "new"]);
    expect(lists()).toBe(2);
    expect(told).toContain("deleted lost");
    await client.create(configMapType, configMap(namespace, "later"));
    await shows(namespace, ["kept", "later", "new"]);
    expect(lists()).toBe(2);
  });

  it("answers a page after a compaction 410, and the list is made anew, whole", async () => {
    const client = clientOf(controlPlane);
    const namespace = await ownNamespace(client);
    const names = ["a", "b", "c", "d", "e"];
    for (const name of names) await client.create(configMapType, configMap(namespace, name));
    const codes: unknown[] = [];
    const forgetful = {
      listPage: async (...args: Parameters<typeof client.listPage>) => {
        const page = await client.listPage(...args).catch((error: unknown) => {
          codes.push(error instanceof Error && "code" in error ? error.code : error);
          throw error;
        });
        if (codes.length === 0) {
          await client.patchMerge(configMapType, { namespace, name: "a" }, { data: { changed: "yes" } });
          await controlPlane.compactEtcd();
        }
        return page;
      },
    };
    const { signal } = new AbortController();
    const options = { namespace, limit: 2, signal, pause: () => Promise.resolve(), onRequest: () => undefined };
    const list = await listAll(forgetful, configMapType, options);
    expect(codes).toEqual(["Gone"]);
    expect(list.items.map(({ metadata }) => metadata.name).slice(0, 5)).toEqual(names);
    expect(list.items[0]).toMatchObject({ data: { changed: "yes" } });
  });
});

describe("an apiserver that dies", () => {
  it("is watched again when it is back, from where the watch was, and nothing is missed", async () => {
    const controlPlane = await startControlPlane();
    onTestFinished(() => controlPlane.stop());
    const client = clientOf(controlPlane);
    const namespace = await ownNamespace(client);
    await client.create(configMapType, configMap(namespace, "a"));
    const { reflector, shows, restarted, told } = follow({ client, type: configMapType, namespace });
    await reflector.synced;
    await shows(namespace, ["a"]);
    await controlPlane.killApiserver("SIGKILL");
    await restarted("error", 3);
    expect(reflector.alive).toBe(true);
    await controlPlane.startApiserver();
    await client.create(configMapType, configMap(namespace, "b"));
    await client.delete(configMapType, { namespace, name: "a" });
    await shows(namespace, ["b"]);
    expect(told.filter((line) => line === "deleted a")).toHaveLength(1);
    await controlPlane.restartApiserver();
    await client.create(configMapType, configMap(namespace, "c"));
    await shows(namespace, ["b", "c"]);
    await vi.waitFor(() => expect(told.filter((line) => line === "added c")).toHaveLength(1));
  });
});
