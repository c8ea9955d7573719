import { describe, expect, it, vi } from "vitest";
import { settled, setUp } from "../../test/support/kube-server/for-a-test.ts";
import { widget, widgetType } from "../../test/support/kube-server/widgets.ts";

const id = { namespace: "ns", name: "w" };
const draft = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "w", namespace: "ns" } };

/** A client that asks before it sends whether it may (engine.md §8). */
describe("a gated client", () => {
  it("sends no write while it may not, and still reads", async () => {
    const { server, client } = await setUp({ mayWrite: () => false });
    expect(await settled(client.create(widgetType, draft))).toMatchObject({ code: "NotLeader", effect: "none" });
    const read = client.get(widgetType, id);
    const exchange = await server.next();
    expect(exchange.method).toBe("GET");
    exchange.json(200, widget("w", 1));
    await read;
    expect(server.untaken).toBe(0);
  });

  it("reads neither an object nor a list while it may not", async () => {
    const { server, client } = await setUp({ mayRead: () => false });
    expect(await settled(client.get(widgetType, id))).toMatchObject({ code: "NotLeader", effect: "none" });
    expect(await settled(client.list(widgetType)[Symbol.asyncIterator]().next())).toMatchObject({ code: "NotLeader" });
    expect(server.untaken).toBe(0);
  });

  it("lists for caches and watches all the same", async () => {
    const { server, client } = await setUp({ mayRead: () => false });
    const { signal } = new AbortController();
    const page = client.listPage(widgetType, { signal });
    (await server.next()).json(200, { metadata: { resourceVersion: "1" }, items: [] });
    expect(await page).toMatchObject({ items: [] });
    const watched = client.watch(widgetType, { resourceVersion: "1", timeoutSeconds: 300, idleMs: 60_000, signal });
    void settled(watched[Symbol.asyncIterator]().next());
    expect((await server.next()).query).toMatchObject({ watch: "true" });
  });

  it("asks again before it repeats a write", async () => {
    let leading = true;
    const { server, client, clock } = await setUp({ mayWrite: () => leading });
    const result = settled(client.create(widgetType, draft));
    (await server.next()).failure(429, "TooManyRequests");
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(1125));
    leading = false;
    clock.advance(1125);
    expect(await result).toMatchObject({ code: "NotLeader" });
  });
});
