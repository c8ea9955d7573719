import { describe, expect, it, onTestFinished, vi } from "vitest";
import { silentLogger } from "../base/log.ts";
import { collectGarbage } from "../../test/support/garbage.ts";
import { connected } from "../../test/support/kube-server/connected.ts";
import type { Exchange } from "../../test/support/kube-server/exchange.ts";
import { recordingMeter } from "../../test/support/kube-server/recording-meter.ts";
import { widget } from "../../test/support/kube-server/widgets.ts";
import type { EventInput } from "./event-body.ts";
import type { EventTuning } from "./events.ts";
import { EventRecorder } from "./events.ts";

const poll = { interval: 2, timeout: 5000 };
const created: EventInput = {
  regarding: widget("w", 7),
  type: "Normal",
  reason: "Created",
  action: "Reconcile",
  note: "made it",
};

async function setUp(tuning: Partial<EventTuning> = {}) {
  const parts = await connected();
  const { client, clock } = parts;
  const meter = recordingMeter();
  const reporter = { controller: "baas.dev/operator", instance: "pod-1" };
  const recorder = new EventRecorder({ client, clock, random: () => 0.5, log: silentLogger, meter, reporter, tuning });
  onTestFinished(async () => {
    await recorder.drain(AbortSignal.abort());
    await parts[Symbol.asyncDispose]();
  });
  const counted = (result: string): number => meter.counted("baas_kube_events_total", { result });
  return { ...parts, recorder, counted };
}

/** Answers a create or a patch as the apiserver does. */
function accept(exchange: Exchange): void {
  exchange.json(exchange.method === "POST" ? 201 : 200, { metadata: { name: "e", uid: "u", resourceVersion: "1" } });
}

/** Accepts an Event. @returns its note */
async function noteOf(asked: Promise<Exchange>): Promise<unknown> {
  const exchange = await asked;
  accept(exchange);
  return (exchange.body as { readonly note: unknown }).note;
}

describe("an event recorder", () => {
  it("creates an Event beside its subject, and nobody waits for it", async () => {
    const { server, recorder, counted } = await setUp();
    recorder.event(created);
    const exchange = await server.next();
    expect(exchange).toMatchObject({ method: "POST", path: "/apis/events.k8s.io/v1/namespaces/ns/events" });
    expect(exchange.body).toMatchObject({ reason: "Created", note: "made it", reportingInstance: "pod-1" });
    accept(exchange);
    await vi.waitFor(() => expect(counted("sent")).toBe(1), poll);
  });

  it("remembers an event without the version of the object that it was of", async () => {
    const { server, recorder } = await setUp();
    const versions = [7, 8].map((version) => {
      const regarding = widget("w", version);
      recorder.event({ ...created, regarding, note: `made version ${version}` });
      return new WeakRef(regarding);
    });
    accept(await server.next());
    accept(await server.next());
    await vi.waitFor(async () => {
      await collectGarbage();
      expect(versions.map((version) => version.deref())).toEqual([undefined, undefined]);
    }, poll);
  });

  it("gathers repetitions into a series, written at most every half minute", async () => {
    const { server, recorder, clock, counted } = await setUp();
    recorder.event(created);
    const create = await server.next();
    accept(create);
    await vi.waitFor(() => expect(counted("sent")).toBe(1), poll);
    for (let times = 0; times < 9; times++) recorder.event(created);
    expect(counted("aggregated")).toBe(9);
    clock.advance(30_000);
    const patch = await server.next();
    expect(patch.method).toBe("PATCH");
    expect(patch.path).toMatch(/^\/apis\/events\.k8s\.io\/v1\/namespaces\/ns\/events\/w\.[0-9a-f]+$/);
    expect(patch.body).toEqual({ series: { count: 10, lastObservedTime: "2026-01-01T00:00:00.000000Z" } });
    accept(patch);
    await vi.waitFor(() => expect(counted("sent")).toBe(2), poll);
    expect(server.untaken).toBe(0);
  });

  it("begins another series after six minutes without one", async () => {
    const { server, recorder, clock, counted } = await setUp();
    recorder.event(created);
    accept(await server.next());
    await vi.waitFor(() => expect(counted("sent")).toBe(1), poll);
    clock.advance(360_000);
    recorder.event(created);
    expect((await server.next()).method).toBe("POST");
  });

  it("creates the Event again when the apiserver has let it expire", async () => {
    const { server, recorder, clock, counted } = await setUp();
    recorder.event(created);
    accept(await server.next());
    await vi.waitFor(() => expect(counted("sent")).toBe(1), poll);
    recorder.event(created);
    clock.advance(30_000);
    (await server.next()).failure(404, "NotFound");
    const again = await server.next();
    expect(again.method).toBe("POST");
    expect(again.body).toMatchObject({ series: { count: 2 } });
  });

  it("lets one object cause only so many", async () => {
    const { server, recorder, counted } = await setUp({ limit: { burst: 2, refillMs: 60_000 } });
    for (let times = 0; times < 5; times++) recorder.event({ ...created, note: `note ${times}` });
    recorder.event({ ...created, regarding: widget("other", 1) });
    expect(counted("limited")).toBe(3);
    for (let times = 0; times < 3; times++) accept(await server.next());
    await vi.waitFor(() => expect(counted("sent")).toBe(3), poll);
  });

  it("lets what is normal keep no warning back", async () => {
    const { server, recorder, counted } = await setUp({ limit: { burst: 2, refillMs: 60_000 } });
    for (let n = 0; n < 3; n++) recorder.event({ ...created, note: `note ${n}` });
    for (let n = 0; n < 3; n++) recorder.event({ ...created, type: "Warning", note: `warning ${n}` });
    expect(counted("limited")).toBe(2);
    const notes: unknown[] = [];
    for (let n = 0; n < 4; n++) notes.push(await noteOf(server.next()));
    expect(notes).toEqual(["note 0", "note 1", "warning 0", "warning 1"]);
  });

  it("tells of all that it keeps back in one event in its stead, which counts them", async () => {
    const { server, recorder, counted } = await setUp({ limit: { burst: 2, refillMs: 60_000 } });
    const instead = "more than is told: see the list";
    for (let n = 0; n < 9; n++) recorder.event({ ...created, type: "Warning", note: `warning ${n}`, instead });
    expect([await noteOf(server.next()), await noteOf(server.next())]).toEqual(["warning 0", "warning 1"]);
    const rest = await server.next();
    expect(rest.body).toMatchObject({ note: instead, type: "Warning", series: { count: 7 } });
    accept(rest);
    expect(counted("limited")).toBe(7);
  });

  it("waits and tries again while the apiserver is away", async () => {
    const { server, recorder, clock, counted } = await setUp();
    recorder.event(created);
    (await server.next()).failure(500, "InternalError");
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(750), poll);
    clock.advance(750);
    (await server.next()).reset();
    await vi.waitFor(() => expect(clock.msToNextTimer()).toBe(1500), poll);
    clock.advance(1500);
    accept(await server.next());
    await vi.waitFor(() => expect(counted("sent")).toBe(1), poll);
  });

  it.each([
    [403, "Forbidden", "RBAC, or the namespace is Terminating"],
    [422, "Invalid", "sending it again would be refused again"],
    [404, "NotFound", "the namespace is gone"],
  ])("drops what is answered %i %s: %s", async (status, reason) => {
    const { server, recorder, counted } = await setUp();
    recorder.event(created);
    (await server.next()).failure(status, reason);
    await vi.waitFor(() => expect(counted("dropped")).toBe(1), poll);
    recorder.event({ ...created, note: "the next" });
    accept(await server.next());
    await vi.waitFor(() => expect(counted("sent")).toBe(1), poll);
  });

  it("keeps only so many waiting", async () => {
    const { server, recorder, counted } = await setUp({ queueLength: 2 });
    for (let times = 0; times < 5; times++) recorder.event({ ...created, note: `note ${times}` });
    expect(counted("dropped")).toBe(2); // one is under way, two wait
    for (let times = 0; times < 3; times++) accept(await server.next());
  });
});

describe("draining", () => {
  it("sends what waits, repetitions included, and then resolves", async () => {
    const { server, recorder, clock } = await setUp();
    recorder.event(created);
    recorder.event({ ...created, note: "second" });
    accept(await server.next());
    accept(await server.next());
    recorder.event(created);
    const drained = recorder.drain(new AbortController().signal);
    const patch = await server.next();
    expect(patch.body).toMatchObject({ series: { count: 2 } });
    accept(patch);
    await drained;
    expect(clock.pendingTimers).toBe(0);
  });

  it("gives up when it is told to, and says how much was lost", async () => {
    const { server, recorder, counted, clock } = await setUp();
    recorder.event(created);
    recorder.event({ ...created, note: "second" });
    await server.next();
    const stop = new AbortController();
    const drained = recorder.drain(stop.signal);
    stop.abort(new Error("out of time"));
    await drained;
    expect(counted("dropped")).toBe(2);
    expect(clock.pendingTimers).toBe(0);
  });

  it("resolves at once when nothing waits", async () => {
    const { recorder } = await setUp();
    await expect(recorder.drain(new AbortController().signal)).resolves.toBeUndefined();
  });
});
