import { describe, expect, it, vi } from "vitest";
import { silentLogger } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { described, reflecting, watching } from "../../test/support/kube-server/reflecting.ts";
import { widget, widgetList, widgetType } from "../../test/support/kube-server/widgets.ts";
import { logLines } from "../../test/support/runtime/log-lines.ts";
import { Reflector } from "./reflector.ts";
import { Store } from "./store.ts";

const poll = { interval: 2, timeout: 5000 };

describe("the end of a reflector", () => {
  it("while it lists leaves nothing behind", async () => {
    const { server, clock, stop } = await reflecting();
    const list = await server.next();
    await stop();
    expect(clock.pendingTimers).toBe(0);
    await vi.waitFor(() => expect(list.closed).toBe(true), poll);
  });

  it("while it watches leaves nothing behind", async () => {
    const { watch, clock, stop } = await watching();
    await stop();
    expect(clock.pendingTimers).toBe(0);
    await vi.waitFor(() => expect(watch.closed).toBe(true), poll);
  });

  it("while it pauses leaves nothing behind", async () => {
    const { server, clock, stop } = await reflecting();
    (await server.next()).failure(500, "InternalError");
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(600), poll);
    await stop();
    expect(clock.pendingTimers).toBe(0);
    expect(server.untaken).toBe(0);
  });
});

describe("an optional kind", () => {
  it("that is absent counts as in sync and empty, and is found when it appears", async () => {
    const { server, reflector, store, pause, stored } = await reflecting({
      optional: true,
      tuning: { absentPollMs: 45_000 },
    });
    (await server.next()).failure(404, "NotFound");
    await reflector.synced;
    expect(store.hasSynced).toBe(true);
    await pause(45_000);
    (await server.next()).failure(404, "NotFound");
    await pause(45_000);
    (await server.next()).json(200, widgetList([widget("a", 1)], 5));
    expect(described(await server.next())).toBe("watch from 5");
    expect(stored()).toEqual(["a@1"]);
  });

  it("that disappears takes its objects along, and may come back with a history of its own", async () => {
    const { server, watch, told, stored, pause } = await watching({ optional: true, tuning: { absentPollMs: 45_000 } });
    watch.event("MODIFIED", widget("a", 700));
    watch.end();
    (await server.next()).failure(404, "NotFound");
    await pause(45_000);
    expect(told.slice(3).toSorted()).toEqual(["deleted a", "deleted b"]);
    (await server.next()).json(200, widgetList([widget("a", 801)], 900));
    await server.next();
    expect(stored()).toEqual(["a@801"]);
  });

  it("is no news where it never was, and is where it appears or disappears", async () => {
    const { log, lines } = logLines();
    const { server, pause } = await reflecting({ optional: true, log, tuning: { absentPollMs: 45_000 } });
    (await server.next()).failure(404, "NotFound");
    await pause(45_000);
    expect(lines.map(({ level }) => level)).toEqual(["debug"]);
    (await server.next()).json(200, widgetList([widget("a", 1)], 5));
    (await server.next()).failure(404, "NotFound");
    await pause(45_000);
    expect(lines.filter(({ level }) => level === "info").map(({ message }) => message)).toEqual([
      "the kind has appeared",
      "the server has no such kind; looking again from time to time",
    ]);
  });

  it("is not taken for absent because of another refusal", async () => {
    const { server, store, pause } = await reflecting({ optional: true, tuning: { absentPollMs: 45_000 } });
    (await server.next()).failure(403, "Forbidden");
    await pause(600);
    expect(store.hasSynced).toBe(false);
  });
});

describe("an optional kind that may be forbidden", () => {
  const options = { optional: true, maybeForbidden: true, tuning: { absentPollMs: 45_000 } };

  it("counts as absent while it is, and is read when it may be", async () => {
    const { server, reflector, store, pause, stored } = await reflecting(options);
    (await server.next()).failure(403, "Forbidden");
    await reflector.synced;
    expect(store.hasSynced).toBe(true);
    await pause(45_000);
    (await server.next()).json(200, widgetList([widget("a", 1)], 5));
    await server.next();
    expect(stored()).toEqual(["a@1"]);
  });

  it("keeps what was read when it is forbidden later", async () => {
    const { server, watch, stored, pause } = await watching(options);
    watch.event("MODIFIED", widget("a", 700));
    watch.end();
    (await server.next()).failure(403, "Forbidden");
    await pause(600);
    expect(stored()).toContain("a@700");
  });
});

describe("a required kind that is absent", () => {
  it("is not in sync until it appears", async () => {
    const { server, store, reflector, pause } = await reflecting();
    (await server.next()).failure(404, "NotFound");
    await pause(600);
    expect(store.hasSynced).toBe(false);
    (await server.next()).json(200, widgetList([], 5));
    await reflector.synced;
    expect(store.hasSynced).toBe(true);
  });
});

describe("one store for several namespaces", () => {
  it("is in sync when each has been listed, and keeps them apart", async () => {
    const store = new Store({ type: widgetType });
    const one = await reflecting({ store, namespace: "one" });
    const two = await reflecting({ store, namespace: "two" });
    const list = await one.server.next();
    list.json(200, widgetList([widget("a", 1, { namespace: "one", uid: "1" })], 5));
    await one.reflector.synced;
    expect(store.hasSynced).toBe(false);
    (await two.server.next()).json(200, widgetList([widget("a", 2, { namespace: "two", uid: "2" })], 5));
    await two.reflector.synced;
    expect(store.hasSynced).toBe(true);
    (await one.server.next()).failure(410, "Expired");
    (await one.server.next()).json(200, widgetList([], 9));
    await one.server.next();
    expect(store.list().map(({ metadata }) => metadata.namespace)).toEqual(["two"]);
  });
});

describe("the liveness of a reflector", () => {
  it("does not suffer from an apiserver that is down", async () => {
    const { server, clock, reflector, pause } = await reflecting();
    for (const pauseMs of [600, 1200, 2400, 4800, 9600, 19_200, 22_500, 22_500, 22_500, 22_500]) {
      (await server.next()).failure(500, "InternalError");
      await pause(pauseMs);
      expect(reflector.alive).toBe(true);
      expect(reflector.lastActivity).toBeLessThanOrEqual(clock.monotonic());
    }
  });

  it("does not suffer from an apiserver that asks to wait for minutes", async () => {
    const { server, clock, reflector } = await reflecting();
    (await server.next()).failure(429, "TooManyRequests", { headers: { "retry-after": "240" } });
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBeGreaterThanOrEqual(240_000), { interval: 2 });
    clock.advance(239_000);
    expect(reflector.alive).toBe(true);
  });

  it("does not suffer from a kind where nothing happens", async () => {
    const { clock, reflector } = await watching();
    clock.advance(149_000);
    expect(reflector.alive).toBe(true);
  });

  it("ends with its loop", async () => {
    const { reflector, stop } = await watching();
    expect(reflector.alive).toBe(true);
    await stop();
    expect(reflector.alive).toBe(false);
  });

  it("ends when the loop is stuck in something that does not even heed its signal", () => {
    const clock = new ManualClock();
    const never = new Promise<never>(() => undefined);
    const client = {
      listPage: () => never,
      watch: () => ({ [Symbol.asyncIterator]: () => ({ next: () => never }) }),
    };
    const store = new Store({ type: widgetType });
    const reflector = new Reflector({ client, store, clock, random: () => 0.5, log: silentLogger, meter: silentMeter });
    expect(reflector.alive).toBe(true);
    void reflector.run(new AbortController().signal);
    clock.advance(119_000);
    expect(reflector.alive).toBe(true);
    clock.advance(2_000);
    expect(reflector.alive).toBe(false);
  });
});
