import { describe, expect, it } from "vitest";
import type { KubeObject, ResourceType } from "../resources/meta.ts";
import { setUp } from "../../test/support/kube-server/for-a-test.ts";
import { widget, widgetType } from "../../test/support/kube-server/widgets.ts";
import { StoreSet } from "./store-set.ts";
import { Store } from "./store.ts";

const id = { namespace: "ns", name: "w" };
const path = "/apis/example.dev/v1/namespaces/ns/widgets/w";

describe("own writes and the stores", () => {
  const secretType: ResourceType = { group: "", version: "v1", kind: "Secret", plural: "secrets", namespaced: true };

  async function withStores() {
    const stores = new StoreSet();
    const widgets = new Store({ type: widgetType });
    const secrets = new Store({ type: secretType, metadataOnly: true });
    stores.add(widgets);
    stores.add(secrets);
    const source = widgets.source();
    source.replace([widget("w", 3, { metadata: { finalizers: ["baas.dev/x"] } })], "3");
    secrets.source().replace([], "3");
    const parts = await setUp({ observer: stores });
    return { ...parts, widgets, secrets, source };
  }

  function deleting(version: number, finalizers: string[], extra: object = {}): KubeObject {
    const deletionTimestamp = "2026-01-01T00:00:00Z";
    return widget("w", version, {
      metadata: { deletionTimestamp, deletionGracePeriodSeconds: 0, finalizers, ...extra },
    });
  }

  it("the object of a write shows when its call resolves", async () => {
    const { server, client, widgets } = await withStores();
    const result = client.patchMerge(widgetType, id, {});
    (await server.next()).json(200, widget("w", 9));
    await result;
    expect(widgets.get("ns", "w")).toEqual(widget("w", 9));
  });

  it("a deletion that leaves nothing behind shows too", async () => {
    const { server, client, widgets } = await withStores();
    const result = client.delete(widgetType, id, { preconditions: { uid: "uid-w", resourceVersion: "3" } });
    const exchange = await server.next();
    expect(exchange).toMatchObject({ method: "DELETE", path });
    expect(exchange.body).toMatchObject({
      kind: "DeleteOptions",
      preconditions: { uid: "uid-w", resourceVersion: "3" },
    });
    exchange.json(200, { kind: "Status", status: "Success", details: { name: "w", uid: "uid-w" } });
    expect(await result).toEqual({ gone: true });
    expect(widgets.size).toBe(0);
  });

  it("a deletion that waits for finalizers shows the waiting object", async () => {
    const { server, client, widgets } = await withStores();
    const result = client.delete(widgetType, id);
    (await server.next()).json(200, deleting(9, ["baas.dev/x"]));
    expect(await result).toMatchObject({ gone: false });
    expect(widgets.get("ns", "w")?.metadata.deletionTimestamp).toBeDefined();
  });

  it("the patch that removes the last finalizer deletes, and a late event does not bring it back", async () => {
    const { server, client, widgets, source } = await withStores();
    const result = client.patchJson(widgetType, id, []);
    (await server.next()).json(200, deleting(9, []));
    await result;
    expect(widgets.size).toBe(0);
    source.upsert(deleting(8, ["baas.dev/x"]));
    expect(widgets.size).toBe(0);
  });

  it("an answer of metadata alone does not take spec and status from a store that has them", async () => {
    const { server, client, widgets } = await withStores();
    const result = client.patchMerge(widgetType, id, {}, { metadataOnly: true });
    (await server.next()).json(200, widget("w", 9));
    await result;
    expect(widgets.get("ns", "w")?.metadata.resourceVersion).toBe("3");
  });

  it("the values of a written Secret stay out of memory", async () => {
    const { server, client, secrets } = await withStores();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "ns" } };
    const result = client.create(secretType, secret);
    (await server.next()).json(201, { ...widget("s", 9), data: { password: "aHVudGVyMg==" } });
    await result;
    expect(secrets.size).toBe(1);
    expect(JSON.stringify(secrets.list())).not.toContain("aHVudGVyMg==");
  });
});
