import { describe, expect, it, vi } from "vitest";
import type { Exchange } from "../../test/support/kube-server/exchange.ts";
import { statusObject } from "../../test/support/kube-server/exchange.ts";
import { described, reflecting, watching } from "../../test/support/kube-server/reflecting.ts";
import { widget, widgetList } from "../../test/support/kube-server/widgets.ts";

const poll = { interval: 2, timeout: 5000 };

describe("a watch", () => {
  it("brings additions, changes and deletions", async () => {
    const { watch, told } = await watching();
    watch.event("ADDED", widget("c", 6));
    watch.event("MODIFIED", widget("a", 7));
    watch.event("DELETED", widget("b", 8));
    const expected = ["added a@1", "added b@2", "added c@6", "updated a@7", "deleted b"];
    await vi.waitFor(() => expect(told).toEqual(expected), poll);
  });

  it("that the server ends is followed at once by one from the last event", async () => {
    const { server, watch, meter } = await watching();
    watch.event("MODIFIED", widget("a", 7));
    watch.end();
    expect(described(await server.next())).toBe("watch from 7");
    expect(meter.counted("baas_kube_watch_restarts_total", { resource: "widgets", reason: "ended" })).toBe(1);
  });

  it.each([
    { drawn: 0, seconds: "300" },
    { drawn: 0.25, seconds: "375" },
    { drawn: 1, seconds: "600" },
  ])("asks the server to end it after a time drawn by chance: $seconds s", async ({ drawn, seconds }) => {
    const { server } = await reflecting({ random: () => drawn });
    (await server.next()).json(200, widgetList([], 9));
    expect((await server.next()).query).toMatchObject({ timeoutSeconds: seconds });
  });

  it("goes on from its last bookmark", async () => {
    const { server, watch } = await watching();
    watch.bookmark("40");
    watch.end();
    expect(described(await server.next())).toBe("watch from 40");
  });

  it("reads characters that the network cut apart", async () => {
    const { watch, store } = await watching();
    const line = Buffer.from(
      `${JSON.stringify({ type: "MODIFIED", object: widget("a", 7, { color: "🎨 rot–weiß" }) })}\n`,
    );
    for (const byte of line) watch.write(Buffer.from([byte]));
    await vi.waitFor(() => expect(store.get("ns", "a")).toEqual(widget("a", 7, { color: "🎨 rot–weiß" })), poll);
  });

  it("skips an object whose metadata cannot be read, and what it does not know, and goes on after them", async () => {
    const { server, watch, stored } = await watching();
    watch.event("MODIFIED", { metadata: { name: "a", resourceVersion: "7" } });
    watch.write(`${JSON.stringify({ type: "SURPRISE", object: {} })}\n`);
    watch.event("BOOKMARK", { metadata: {} });
    watch.end();
    expect(described(await server.next())).toBe("watch from 7");
    expect(stored()).toEqual(["a@1", "b@2"]);
  });

  it("ignores events that are older than what we wrote", async () => {
    const { watch, store, told } = await watching();
    store.put(widget("a", 9));
    watch.event("MODIFIED", widget("a", 8));
    watch.event("MODIFIED", widget("a", 9));
    watch.event("ADDED", widget("c", 10));
    await vi.waitFor(() => expect(told).toEqual(["added a@1", "added b@2", "updated a@9", "added c@10"]), poll);
  });

  it("outlives a handler that throws", async () => {
    const { watch, store, stored } = await watching();
    const fail = (): never => {
      throw new Error("broken handler");
    };
    store.addHandler({ added: fail, updated: fail, deleted: fail });
    watch.event("MODIFIED", widget("a", 7));
    watch.event("DELETED", widget("b", 8));
    await vi.waitFor(() => expect(stored()).toEqual(["a@7"]), poll);
  });
});

describe("a watch that fails after an event at version 7", () => {
  const faults: readonly {
    readonly fault: string;
    readonly strike: (watch: Exchange) => void;
    readonly pauseMs: number;
    readonly next: string;
    readonly reason: string;
  }[] = [
    {
      fault: "a reset connection",
      strike: (watch) => watch.reset(),
      pauseMs: 600,
      next: "watch from 7",
      reason: "error",
    },
    {
      fault: "a reset within an event",
      strike: (watch) => {
        watch.write('{"type": "MODIFIED", "object": {"metadata": {"name": "b", "resourceVersion": "8"');
        watch.reset();
      },
      pauseMs: 600,
      next: "watch from 7",
      reason: "error",
    },
    {
      fault: "an end within an event",
      strike: (watch) => {
        watch.write('{"type": "MODIFIED", "object": {"metadata": {"name": "b", "resourceVersion": "8"');
        watch.end();
      },
      pauseMs: 600,
      next: "watch from 7",
      reason: "unreadable",
    },
    {
      fault: "invalid JSON in the stream",
      strike: (watch) => watch.write("upstream connect error\n"),
      pauseMs: 600,
      next: "watch from 7",
      reason: "unreadable",
    },
    {
      fault: "bytes that are not UTF-8",
      strike: (watch) => watch.write(Buffer.from([0x22, 0xff, 0x22, 0x0a])),
      pauseMs: 600,
      next: "watch from 7",
      reason: "unreadable",
    },
    {
      fault: "JSON that is no event",
      strike: (watch) => watch.write('{"kind": "Status"}\n'),
      pauseMs: 600,
      next: "watch from 7",
      reason: "unreadable",
    },
    {
      fault: "a line of more than 16 MiB",
      strike: (watch) => {
        for (let megabytes = 0; megabytes <= 16; megabytes++) watch.write(Buffer.alloc(1024 * 1024, "x"));
      },
      pauseMs: 600,
      next: "watch from 7",
      reason: "unreadable",
    },
    {
      fault: "an ERROR event of 500",
      strike: (watch) => watch.event("ERROR", statusObject(500, "InternalError")),
      pauseMs: 600,
      next: "watch from 7",
      reason: "error",
    },
    {
      fault: "an ERROR event that is no Status",
      strike: (watch) => watch.event("ERROR", { message: "?" }),
      pauseMs: 600,
      next: "watch from 7",
      reason: "error",
    },
    {
      fault: "an ERROR event of 429",
      strike: (watch) =>
        watch.event("ERROR", statusObject(429, "TooManyRequests", { details: { retryAfterSeconds: 4 } })),
      pauseMs: 4300,
      next: "watch from 7",
      reason: "throttled",
    },
    {
      fault: "an ERROR event of 410",
      strike: (watch) => watch.event("ERROR", statusObject(410, "Expired")),
      pauseMs: 0,
      next: "list",
      reason: "gone",
    },
    {
      fault: "an event from before the last one: the history was rewound",
      strike: (watch) => watch.event("MODIFIED", widget("b", 6)),
      pauseMs: 0,
      next: "list",
      reason: "gone",
    },
  ];

  it.each(faults)("by $fault goes on with: $next", async ({ strike, pauseMs, next, reason }) => {
    const { server, watch, pause, stored, meter } = await watching();
    watch.event("MODIFIED", widget("a", 7));
    await vi.waitFor(() => expect(stored()).toContain("a@7"), poll);
    strike(watch);
    if (pauseMs > 0) await pause(pauseMs);
    expect(described(await server.next())).toBe(next);
    expect(meter.counted("baas_kube_watch_restarts_total", { resource: "widgets", reason })).toBe(1);
    expect(stored()).toEqual(["a@7", "b@2"]);
  });
});

describe("a watch that is refused", () => {
  const refusals: readonly {
    readonly refusal: string;
    readonly answer: (watch: Exchange) => void;
    readonly pauseMs: number;
    readonly next: string;
  }[] = [
    { refusal: "410", answer: (watch) => watch.failure(410, "Expired"), pauseMs: 0, next: "list" },
    { refusal: "500", answer: (watch) => watch.failure(500, "InternalError"), pauseMs: 600, next: "watch from 5" },
    { refusal: "403", answer: (watch) => watch.failure(403, "Forbidden"), pauseMs: 600, next: "watch from 5" },
    { refusal: "404", answer: (watch) => watch.failure(404, "NotFound"), pauseMs: 600, next: "list" },
    {
      refusal: "429 with Retry-After",
      answer: (watch) => watch.failure(429, "TooManyRequests", { headers: { "retry-after": "3" } }),
      pauseMs: 3300,
      next: "watch from 5",
    },
    {
      refusal: "an end as soon as it began",
      answer: (watch) => {
        watch.open();
        watch.end();
      },
      pauseMs: 600,
      next: "watch from 5",
    },
  ];

  it.each(refusals)("by $refusal is followed after $pauseMs ms by: $next", async ({ answer, pauseMs, next }) => {
    const { server, pause } = await reflecting();
    (await server.next()).json(200, widgetList([], 5));
    answer(await server.next());
    if (pauseMs > 0) await pause(pauseMs);
    expect(described(await server.next())).toBe(next);
  });

  it("by 410 again and again makes lists ever more rarely", async () => {
    const { server, pause } = await reflecting();
    for (const pauseMs of [0, 1200, 2400, 4800]) {
      const list = await server.next();
      expect(described(list)).toBe("list");
      list.json(200, widgetList([], 5));
      (await server.next()).failure(410, "Expired");
      if (pauseMs > 0) await pause(pauseMs);
    }
  });

  it("by streams that cannot be read makes a list after the third", async () => {
    const { server, pause } = await reflecting();
    (await server.next()).json(200, widgetList([], 5));
    for (const pauseMs of [600, 1200, 2400]) {
      const watch = await server.next();
      expect(described(watch)).toBe("watch from 5");
      watch.open();
      watch.write("garbage\n");
      await pause(pauseMs);
    }
    expect(described(await server.next())).toBe("list");
  });
});

describe("a silent watch", () => {
  it("is given up after 150 s and followed by one from the last version", async () => {
    const { server, watch, clock, pause, nextTimer } = await watching();
    clock.advance(1);
    watch.bookmark("9");
    await nextTimer(150_000);
    clock.advance(149_999);
    expect(watch.closed).toBe(false);
    clock.advance(1);
    await pause(600);
    expect(described(await server.next())).toBe("watch from 9");
    await vi.waitFor(() => expect(watch.closed).toBe(true), poll);
  });

  it("counts from the last byte, be it within an event", async () => {
    const { watch, clock, nextTimer } = await watching();
    clock.advance(100_000);
    watch.write('{"type": "BOOK');
    await nextTimer(150_000);
    clock.advance(100_000);
    expect(watch.closed).toBe(false);
  });

  it("does not make the pauses grow: that a kind is quiet is no failure", async () => {
    const { server, clock, pause, nextTimer, meter } = await watching();
    for (const _ of [1, 2, 3, 4]) {
      clock.advance(150_000);
      await pause(600);
      (await server.next()).open();
      await nextTimer(150_000);
    }
    expect(meter.counted("baas_kube_watch_restarts_total", { resource: "widgets", reason: "silent" })).toBe(4);
  });

  it("without even a head is given up after 30 s", async () => {
    const { server, clock, pause } = await reflecting();
    (await server.next()).json(200, widgetList([], 5));
    await server.next();
    clock.advance(30_000);
    await pause(600);
    expect(described(await server.next())).toBe("watch from 5");
  });
});

describe("an apiserver that is away", () => {
  it("is found again, from the last version", async () => {
    const { server, watch, pause, nextTimer, stored } = await watching();
    watch.event("MODIFIED", widget("a", 7));
    await vi.waitFor(() => expect(stored()).toContain("a@7"), poll);
    server.stopListening();
    server.cutConnections();
    for (const pauseMs of [600, 1200, 2400]) await pause(pauseMs);
    await nextTimer(4800);
    await server.listenAgain();
    await pause(4800);
    expect(described(await server.next())).toBe("watch from 7");
  });
});
