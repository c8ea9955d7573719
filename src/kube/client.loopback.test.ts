import { describe, expect, it, vi } from "vitest";
import { statusObject } from "../../test/support/kube-server/exchange.ts";
import { settled, setUp } from "../../test/support/kube-server/for-a-test.ts";
import { widget, widgetList, widgetType } from "../../test/support/kube-server/widgets.ts";
import type { KubeClient, ListPage } from "./client.ts";

const id = { namespace: "ns", name: "w" };
const path = "/apis/example.dev/v1/namespaces/ns/widgets/w";
const draft = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "w", namespace: "ns" } };
const partial = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";

describe("requests of the client", () => {
  const calls: readonly {
    readonly verb: string;
    readonly call: (client: KubeClient) => Promise<unknown>;
    readonly request: object;
  }[] = [
    { verb: "get", call: (client) => client.get(widgetType, id), request: { method: "GET", path } },
    {
      verb: "create",
      call: (client) => client.create(widgetType, draft, { fieldManager: "me" }),
      request: {
        method: "POST",
        path: "/apis/example.dev/v1/namespaces/ns/widgets",
        query: { fieldManager: "me" },
        body: draft,
      },
    },
    {
      verb: "update",
      call: (client) => client.update(widgetType, draft, { subresource: "status" }),
      request: { method: "PUT", path: `${path}/status`, body: draft },
    },
    {
      verb: "apply",
      call: (client) => client.apply(widgetType, draft, { fieldManager: "me" }),
      request: { method: "PATCH", path, query: { fieldManager: "me", force: "true" }, body: draft },
    },
    {
      verb: "apply without force",
      call: (client) => client.apply(widgetType, draft, { fieldManager: "me", force: false, subresource: "status" }),
      request: { method: "PATCH", path: `${path}/status`, query: { fieldManager: "me", force: "false" } },
    },
    {
      verb: "patchJson",
      call: (client) => client.patchJson(widgetType, id, [{ op: "remove", path: "/metadata/finalizers/0" }]),
      request: { method: "PATCH", path, body: [{ op: "remove", path: "/metadata/finalizers/0" }] },
    },
    {
      verb: "patchMerge",
      call: (client) => client.patchMerge(widgetType, id, { status: { a: null } }, { subresource: "status" }),
      request: { method: "PATCH", path: `${path}/status`, body: { status: { a: null } } },
    },
  ];

  it.each(calls)("$verb sends what the API wants and returns the object", async ({ call, request }) => {
    const { server, client } = await setUp();
    const answer = call(client);
    const exchange = await server.next();
    expect(exchange).toMatchObject(request);
    expect(exchange.headers).toMatchObject({ authorization: "Bearer secret-token", "user-agent": "baas-operator" });
    exchange.json(200, widget("w", 9));
    expect(await answer).toEqual(widget("w", 9));
  });

  it.each([
    ["apply", "application/apply-patch+yaml"],
    ["patchJson", "application/json-patch+json"],
    ["patchMerge", "application/merge-patch+json"],
    ["create", "application/json"],
  ])("%s names its content %s", async (verb, contentType) => {
    const { server, client } = await setUp();
    const answer = calls.find((candidate) => candidate.verb === verb)?.call(client);
    const exchange = await server.next();
    expect(exchange.headers["content-type"]).toBe(contentType);
    exchange.json(200, widget("w", 9));
    await answer;
  });

  it("ask for metadata alone, and give it the type's kind", async () => {
    const { server, client } = await setUp();
    const answer = client.get(widgetType, id, { metadataOnly: true });
    const exchange = await server.next();
    expect(exchange.headers.accept).toBe(partial);
    const { metadata } = widget("w", 9);
    exchange.json(200, { apiVersion: "meta.k8s.io/v1", kind: "PartialObjectMetadata", metadata });
    expect(await answer).toEqual({ apiVersion: "example.dev/v1", kind: "Widget", metadata });
  });
});

describe("a definition that is being deleted", () => {
  const offered = ["delete", "deletecollection", "get", "list", "watch"];

  it.each([
    { told: "no more to create objects", status: 200, resources: [{ name: "widgets", verbs: offered }], is: true },
    {
      told: "to create objects",
      status: 200,
      resources: [{ name: "widgets", verbs: [...offered, "create"] }],
      is: false,
    },
    { told: "nothing of the kind", status: 200, resources: [{ name: "widgets/status", verbs: ["get"] }], is: false },
    { told: "nothing of the group", status: 404, resources: [], is: false },
    { told: "nothing to such as us", status: 403, resources: [], is: false },
  ])("is told by what the apiserver offers: $told", async ({ status, resources, is }) => {
    const { server, client } = await setUp();
    const asked = client.isWithdrawn(widgetType);
    const exchange = await server.next();
    expect(`${exchange.method} ${exchange.path}`).toBe("GET /apis/example.dev/v1");
    if (status === 200) exchange.json(200, { kind: "APIResourceList", resources });
    else exchange.failure(status, "Refused");
    expect(await asked).toBe(is);
  });
});

describe("a list", () => {
  async function pages(list: AsyncIterable<ListPage>): Promise<readonly string[]> {
    const names: string[] = [];
    for await (const { items } of list) names.push(...items.map((item) => item.metadata.name));
    return names;
  }

  it("goes from page to page, and fills in the kind that lists leave out", async () => {
    const { server, client } = await setUp();
    const names = pages(client.list(widgetType, { namespace: "ns", labelSelector: "a=b", limit: 1 }));
    const first = await server.next();
    expect(first.query).toEqual({ limit: "1", labelSelector: "a=b" });
    const { apiVersion: _, kind: __, ...bare } = widget("a", 1);
    first.json(200, { metadata: { resourceVersion: "5", continue: "next" }, items: [bare] });
    const second = await server.next();
    expect(second.query).toEqual({ limit: "1", labelSelector: "a=b", continue: "next" });
    second.json(200, widgetList([widget("b", 2)], 5));
    expect(await names).toEqual(["a", "b"]);
  });

  it("skips an object whose metadata cannot be read", async () => {
    const { server, client } = await setUp();
    const names = pages(client.list(widgetType));
    (await server.next()).json(200, {
      metadata: { resourceVersion: "5" },
      items: [{ metadata: { name: 7 } }, widget("b", 2), null],
    });
    expect(await names).toEqual(["b"]);
  });

  it("takes null for no items, as Go writes it", async () => {
    const { server, client } = await setUp();
    const names = pages(client.list(widgetType));
    (await server.next()).json(200, { metadata: { resourceVersion: "5" }, items: null });
    expect(await names).toEqual([]);
  });

  it("is refused when it is no list", async () => {
    const { server, client } = await setUp();
    const names = settled(pages(client.list(widgetType)));
    (await server.next()).json(200, { items: [] });
    expect(await names).toMatchObject({ code: "UnexpectedResponse" });
  });
});

describe("answers that are not what the API promises", () => {
  it.each([
    ["HTML with 200", (): [number, string] => [200, "<html>login</html>"], "UnexpectedResponse"],
    ["half of an object", (): [number, string] => [200, '{"metadata": {"name"'], "UnexpectedResponse"],
    [
      "an object without a version",
      (): [number, string] => [200, '{"metadata": {"name": "w", "uid": "u"}}'],
      "UnexpectedResponse",
    ],
    ["a redirect", (): [number, string] => [302, ""], "UnexpectedResponse"],
    ["HTML with 404", (): [number, string] => [404, "<html>not found</html>"], "NotFound"],
    ["text with 403", (): [number, string] => [403, "no"], "Forbidden"],
    ["17 MiB", (): [number, string] => [200, `"${"x".repeat(17 * 1024 * 1024)}"`], "UnexpectedResponse"],
  ])("%s is an error that says so", async (_, answer, code) => {
    const { server, client } = await setUp();
    const result = settled(client.get(widgetType, id));
    (await server.next()).text(...answer());
    expect(await result).toMatchObject({ code });
  });
});

describe("a write whose answer is lost", () => {
  it("is not sent again, and says that nobody knows", async () => {
    const { server, client } = await setUp();
    const result = settled(client.create(widgetType, draft));
    (await server.next()).reset();
    expect(await result).toMatchObject({ code: "Unavailable", effect: "unknown" });
    expect(server.untaken).toBe(0);
  });

  it("by a deadline says so too", async () => {
    const { server, client, clock } = await setUp();
    const result = settled(client.create(widgetType, draft, { deadlineMs: 5000 }));
    const exchange = await server.next();
    clock.advance(5000);
    expect(await result).toMatchObject({ code: "Timeout", effect: "unknown" });
    await vi.waitFor(() => expect(exchange.closed).toBe(true));
    expect(clock.pendingTimers).toBe(0);
  });

  it("because the caller stopped rejects with the caller's reason", async () => {
    const { server, client } = await setUp();
    const stop = new AbortController();
    const result = settled(client.create(widgetType, draft, { signal: stop.signal }));
    await server.next();
    const reason = new Error("stopping");
    stop.abort(reason);
    expect(await result).toBe(reason);
  });
});

describe("retries", () => {
  it("repeat a throttled write after the time that the server named", async () => {
    const { server, client, clock } = await setUp();
    const result = client.create(widgetType, draft);
    (await server.next()).failure(429, "TooManyRequests", { headers: { "retry-after": "2" } });
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(2250));
    clock.advance(2250);
    (await server.next()).json(201, widget("w", 9));
    expect(await result).toEqual(widget("w", 9));
  });

  it("repeat a read after a reset and after a 503", async () => {
    const { server, client, clock } = await setUp();
    const result = client.get(widgetType, id);
    (await server.next()).reset();
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(50));
    clock.advance(50);
    (await server.next()).text(503, "no backend");
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(100));
    clock.advance(100);
    (await server.next()).json(200, widget("w", 9));
    expect(await result).toEqual(widget("w", 9));
  });
});

describe("patchJson", () => {
  it.each([
    {
      what: "a failed test",
      extras: {},
      code: "Conflict",
      why: "nothing is wrong with the object: somebody was faster",
    },
    {
      what: "an invalid object",
      extras: { details: { causes: [{ field: "spec", message: "bad" }] } },
      code: "Invalid",
      why: "the user must act",
    },
  ])("tells $what apart: $code ($why)", async ({ extras, code }) => {
    const { server, client } = await setUp();
    const result = settled(client.patchJson(widgetType, id, [{ op: "test", path: "/x", value: 1 }]));
    (await server.next()).json(422, statusObject(422, "Invalid", extras));
    expect(await result).toMatchObject({ code, effect: "none" });
  });
});
