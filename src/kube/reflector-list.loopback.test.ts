import { describe, expect, it } from "vitest";
import type { Exchange } from "../../test/support/kube-server/exchange.ts";
import { described, reflecting, watching } from "../../test/support/kube-server/reflecting.ts";
import { widget, widgetList } from "../../test/support/kube-server/widgets.ts";

describe("the first list", () => {
  it("is read page by page, and the watch goes on from its version", async () => {
    const { server, reflector, store, stored, meter } = await reflecting({ tuning: { pageSize: 2 } });
    const first = await server.next();
    expect(first).toMatchObject({ path: "/apis/example.dev/v1/widgets", query: { limit: "2" } });
    first.json(200, widgetList([widget("a", 1), widget("b", 2)], 5, "t1"));
    const second = await server.next();
    expect(second.query).toEqual({ limit: "2", continue: "t1" });
    expect(store.hasSynced).toBe(false);
    second.json(200, widgetList([widget("c", 3)], 5));
    await reflector.synced;
    expect(stored()).toEqual(["a@1", "b@2", "c@3"]);
    expect(meter.counted("baas_kube_lists_total", { resource: "widgets" })).toBe(1);
    const watch = await server.next();
    expect(watch.query).toEqual({
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: "5",
      timeoutSeconds: "450",
    });
  });

  it("asks for 500 objects a page", async () => {
    const { server } = await reflecting();
    expect((await server.next()).query["limit"]).toBe("500");
  });

  it("of one namespace and a selector asks for nothing else", async () => {
    const { server } = await reflecting({ namespace: "ns", labelSelector: "team=a" });
    const list = await server.next();
    expect(list.path).toBe("/apis/example.dev/v1/namespaces/ns/widgets");
    expect(list.query["labelSelector"]).toBe("team=a");
    list.json(200, widgetList([], 5));
    const watch = await server.next();
    expect(watch.path).toBe("/apis/example.dev/v1/namespaces/ns/widgets");
    expect(watch.query["labelSelector"]).toBe("team=a");
  });

  it("of metadata alone asks for it in list and watch, and keeps no value", async () => {
    const { server, store, reflector } = await reflecting({ metadataOnly: true });
    const list = await server.next();
    expect(list.headers.accept).toBe("application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    // A server that does not know the form answers with whole objects.
    list.json(200, widgetList([{ ...widget("a", 1), data: { password: "aHVudGVyMg==" } }], 5));
    const watch = await server.next();
    expect(watch.headers.accept).toBe("application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    await reflector.synced;
    expect(JSON.stringify(store.list())).not.toContain("aHVudGVyMg==");
    expect(store.get("ns", "a")?.kind).toBe("Widget");
  });
});

describe("a list that fails", () => {
  const faults: readonly {
    readonly fault: string;
    readonly answer: (list: Exchange) => void;
    readonly pauseMs: number;
    readonly reason: string;
  }[] = [
    { fault: "a reset connection", answer: (list) => list.reset(), pauseMs: 600, reason: "error" },
    { fault: "500", answer: (list) => list.failure(500, "InternalError"), pauseMs: 600, reason: "error" },
    { fault: "503 of a load balancer", answer: (list) => list.text(503, "<html>"), pauseMs: 600, reason: "error" },
    {
      fault: "429 with Retry-After",
      answer: (list) => list.failure(429, "TooManyRequests", { headers: { "retry-after": "7" } }),
      pauseMs: 7300,
      reason: "throttled",
    },
    { fault: "403", answer: (list) => list.failure(403, "Forbidden"), pauseMs: 600, reason: "refused" },
    { fault: "401", answer: (list) => list.failure(401, "Unauthorized"), pauseMs: 600, reason: "refused" },
    { fault: "404", answer: (list) => list.failure(404, "NotFound"), pauseMs: 600, reason: "refused" },
    { fault: "a login page", answer: (list) => list.text(200, "<html>"), pauseMs: 600, reason: "unreadable" },
    { fault: "half a list", answer: (list) => list.text(200, '{"items": ['), pauseMs: 600, reason: "unreadable" },
    { fault: "no list", answer: (list) => list.json(200, { items: [] }), pauseMs: 600, reason: "unreadable" },
    {
      fault: "a list that breaks off",
      answer: (list) => {
        list.open();
        list.write('{"metadata": {"resourceVersion": "5"}, "items": [');
        list.reset();
      },
      pauseMs: 600,
      reason: "error",
    },
  ];

  it.each(faults)("by $fault is made again after $pauseMs ms", async ({ answer, pauseMs, reason }) => {
    const { server, pause, reflector, stored, meter } = await reflecting();
    answer(await server.next());
    await pause(pauseMs);
    const again = await server.next();
    expect(described(again)).toBe("list");
    again.json(200, widgetList([widget("a", 1)], 5));
    await reflector.synced;
    expect(stored()).toEqual(["a@1"]);
    expect(meter.counted("baas_kube_watch_restarts_total", { resource: "widgets", reason })).toBe(1);
  });

  it("because nothing is answered is made again after its deadline", async () => {
    const { server, clock, pause } = await reflecting();
    await server.next();
    clock.advance(60_000);
    await pause(600);
    expect(described(await server.next())).toBe("list");
  });

  it("again and again is made ever more rarely", async () => {
    const { server, pause } = await reflecting();
    for (const pauseMs of [600, 1200, 2400, 4800, 9600, 19_200, 22_500, 22_500]) {
      (await server.next()).failure(500, "InternalError");
      await pause(pauseMs);
    }
    expect(described(await server.next())).toBe("list");
  });

  it("because a page is too large is made in smaller pages", async () => {
    const { server, pause } = await reflecting();
    const list = await server.next();
    list.open();
    const piece = Buffer.alloc(1024 * 1024, " ");
    for (let megabytes = 0; megabytes <= 64; megabytes++) list.write(piece);
    await pause(600);
    expect((await server.next()).query["limit"]).toBe("125");
  });
});

describe("a list of pages", () => {
  it("goes on where it was after a page failed, not from the start", async () => {
    const { server, pause, reflector, stored } = await reflecting({ tuning: { pageSize: 1 } });
    (await server.next()).json(200, widgetList([widget("a", 1)], 5, "t1"));
    (await server.next()).reset();
    await pause(600);
    (await server.next()).failure(500, "InternalError");
    await pause(1200);
    const again = await server.next();
    expect(described(again)).toBe("list after t1");
    again.json(200, widgetList([widget("b", 2)], 5));
    await reflector.synced;
    expect(stored()).toEqual(["a@1", "b@2"]);
  });

  it("whose token expires is made anew in one page, which cannot expire", async () => {
    const { server, reflector, stored } = await reflecting({ tuning: { pageSize: 1 } });
    (await server.next()).json(200, widgetList([widget("a", 1)], 5, "t1"));
    (await server.next()).failure(410, "Expired");
    const whole = await server.next();
    expect(whole.query).toEqual({});
    whole.json(200, widgetList([widget("a", 1), widget("b", 7)], 9));
    await reflector.synced;
    expect(stored()).toEqual(["a@1", "b@7"]);
    expect(described(await server.next())).toBe("watch from 9");
  });

  it("whose pages are of different versions is followed from the oldest, so that nothing is missed", async () => {
    const { server } = await reflecting({ tuning: { pageSize: 1 } });
    (await server.next()).json(200, widgetList([widget("a", 1)], 5, "t1"));
    (await server.next()).json(200, widgetList([widget("b", 8)], 9));
    expect(described(await server.next())).toBe("watch from 5");
  });
});

describe("a list after the watch was lost", () => {
  it("finds what was deleted, changed and made meanwhile", async () => {
    const { server, watch, told, stored } = await watching();
    watch.event("ERROR", { kind: "Status", status: "Failure", reason: "Expired", code: 410 });
    const list = await server.next();
    expect(described(list)).toBe("list");
    list.json(200, widgetList([widget("b", 8), widget("c", 9)], 10));
    expect(described(await server.next())).toBe("watch from 10");
    expect(told).toEqual(["added a@1", "added b@2", "deleted a", "updated b@8", "added c@9"]);
    expect(stored()).toEqual(["b@8", "c@9"]);
  });

  it("does not undo what we wrote while it was under way", async () => {
    const { server, watch, store, stored } = await watching();
    watch.event("ERROR", { kind: "Status", status: "Failure", reason: "Expired", code: 410 });
    const list = await server.next();
    store.put(widget("a", 12));
    store.put(widget("new", 13));
    list.json(200, widgetList([widget("a", 1)], 10));
    await server.next();
    expect(stored()).toEqual(["a@12", "new@13"]);
  });

  it("is believed as it is when the server's history went backwards", async () => {
    const { server, watch, store, stored } = await watching();
    watch.event("MODIFIED", widget("a", 900));
    watch.event("ERROR", { kind: "Status", status: "Failure", reason: "Expired", code: 410 });
    const list = await server.next();
    expect(store.get("ns", "a")?.metadata.resourceVersion).toBe("900");
    list.json(200, widgetList([widget("a", 40)], 50));
    expect(described(await server.next())).toBe("watch from 50");
    expect(stored()).toEqual(["a@40"]);
  });

  it("is believed too when the new history has come further than the old one meanwhile", async () => {
    const { server, watch, stored } = await watching();
    watch.event("MODIFIED", widget("a", 900));
    watch.event("MODIFIED", widget("b", 850));
    const list = await server.next();
    list.json(200, widgetList([widget("a", 840), widget("b", 850)], 1000));
    expect(described(await server.next())).toBe("watch from 1000");
    expect(stored()).toEqual(["a@840", "b@850"]);
  });
});
