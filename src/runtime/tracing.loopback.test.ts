import PQueue from "p-queue";
import { describe, expect, it } from "vitest";
import { systemClock } from "../base/clock.ts";
import { seededRandom } from "../base/random.ts";
import { startScriptedServer } from "../../test/support/api-server/scripted-server.ts";
import { scriptedClients, TEST_PROJECT, TEST_REF, TEST_TOKEN } from "../../test/support/api-server/test-client.ts";
import { setUp } from "../../test/support/kube-server/for-a-test.ts";
import { logLines } from "../../test/support/runtime/log-lines.ts";
import { startCollector } from "../../test/support/traces/collector.ts";
import { Controller } from "./controller.ts";
import { createMetrics } from "./metrics.ts";
import { openTracing, type TracingOptions } from "./tracing.ts";
import { WorkQueue } from "./workqueue.ts";

/** Traces as a collector sees them. */

const start = scriptedClients();
const never = new AbortController().signal;

function tracingTo(endpoint: string, options: Partial<TracingOptions> = {}) {
  const metrics = createMetrics();
  return { metrics, ...openTracing({ endpoint, ratio: 1, version: "1.2.3", meter: metrics.meter, ...options }) };
}

describe("a trace", () => {
  it("has the children of its work, however deep they are called, and nothing of work beside it", async () => {
    await using collector = await startCollector();
    const { tracer, output } = tracingTo(`${collector.url}/`);
    const queue = new PQueue({ concurrency: 1 });
    const call = (name: string) => tracer.child({ name, kind: "client" }, async () => queue.add(async () => name));
    await Promise.all([
      tracer.root({ name: "one", attributes: { a: 1 } }, async () => {
        await call("first");
        await tracer.child({ name: "part" }, () => call("within a part"));
      }),
      tracer.root({ name: "two" }, () => call("second")),
      call("of nobody"),
    ]);
    await output.drain(never);

    const spans = collector.spans();
    const nameOf = (id: string) => spans.find(({ span_id: own }) => own === id)?.name;
    const told = spans.map(({ name, kind, parent_span_id: parent }) => ({ name, kind, parent: nameOf(parent) }));
    expect(told.toSorted((a, b) => a.name.localeCompare(b.name))).toEqual([
      { name: "first", kind: 3, parent: "one" },
      { name: "one", kind: 1, parent: undefined },
      { name: "part", kind: 1, parent: "one" },
      { name: "second", kind: 3, parent: "two" },
      { name: "two", kind: 1, parent: undefined },
      { name: "within a part", kind: 3, parent: "part" },
    ]);
    expect(new Set(spans.map(({ trace_id: id }) => id)).size).toBe(2);
    expect(spans.find(({ name }) => name === "one")?.attributes).toEqual({ a: 1 });
    expect(collector.services()).toEqual(["baas-operator"]);
  });

  it("tells of a failure its code, never its message, and lets it through", async () => {
    await using collector = await startCollector();
    const { tracer, output } = tracingTo(collector.url);
    const failure = Object.assign(new Error("the password hunter2 is wrong"), { code: "REFUSED" });
    await expect(tracer.root({ name: "fails" }, () => Promise.reject(failure))).rejects.toBe(failure);
    await output.drain(never);
    expect(collector.spans()).toMatchObject([
      { attributes: { "error.type": "REFUSED" }, status: { message: "", code: 2 } },
    ]);
    expect(collector.text()).not.toContain("hunter2");
  });

  it("is kept as often as the ratio says", async () => {
    await using collector = await startCollector();
    const { tracer, output } = tracingTo(collector.url, { ratio: 0 });
    const seen = await tracer.root({ name: "unseen" }, async ({ traceId, headers }) => ({ traceId, headers }));
    await output.drain(never);
    expect(seen).toEqual({ traceId: undefined, headers: { traceparent: expect.stringMatching(/^00-.+-00$/) } });
    expect(collector.spans()).toEqual([]);
  });

  it("is lost with a collector that is away, which a metric counts and the work does not notice", async () => {
    const gone = await startScriptedServer(() => ({ status: 400, body: "no" }));
    const { tracer, output, metrics } = tracingTo(gone.url);
    expect(await tracer.root({ name: "works" }, async () => 7)).toBe(7);
    await output.drain(never);
    await gone.stop();
    expect((await metrics.expose()).body).toContain('baas_trace_spans_total{result="lost"} 1');
  });
});

describe("a run of a reconciler", () => {
  /** One run that asks the platform, which answers the second time only, and the apiserver, and then fails. */
  async function runOnce() {
    await using collector = await startCollector();
    const { tracer, output, metrics } = tracingTo(collector.url);
    const { log, lines } = logLines();
    const { client, calls } = await start(
      (_, nth) => (nth === 1 ? { status: 503 } : { status: 200, body: TEST_PROJECT }),
      { tracer },
    );
    const apiserver = await setUp({ tracer });
    const atApiserver: unknown[] = [];
    const common = { clock: systemClock, log, random: seededRandom(1), meter: metrics.meter };
    const queue = new WorkQueue({ ...common, maxRunningPerGroup: 1 });
    const controller = new Controller({ ...common, queue, tracer, workers: 1, newId: () => "run-1" });
    const stop = new AbortController();
    controller.addReconciler({
      kind: "Project",
      groupOf: () => "group",
      reconcile: async () => {
        await client.projects.get({ ref: TEST_REF });
        const asked = apiserver.transport.request({ method: "GET", path: "/version" });
        const exchange = await apiserver.server.next();
        atApiserver.push(exchange.headers["traceparent"]);
        exchange.json(200, {});
        await asked;
        stop.abort();
        throw Object.assign(new Error("refused"), { code: "REFUSED" });
      },
    });
    queue.start();
    controller.enqueue({ kind: "Project", namespace: "shop", name: "main" }, { lane: "change" });
    await controller.run(stop.signal, never);
    await output.drain(never);
    const span = (name: string) => collector.spans().find((one) => one.name === name);
    const [run, call, request] = [span("reconcile Project"), span("projects.get"), span("kube GET")];
    const atPlatform = calls().map(({ headers }) => headers["traceparent"]);
    return { run, call, request, atPlatform, atApiserver, lines, text: collector.text() };
  }

  it("is a trace, whose calls carry its context to both servers and say how they went", async () => {
    const { run, call, request, atPlatform, atApiserver, text } = await runOnce();
    expect(run?.attributes).toMatchObject({
      "baas.kind": "Project",
      "k8s.namespace.name": "shop",
      "baas.name": "main",
      "baas.lane": "change",
      "baas.reconcile_id": "run-1",
      "baas.outcome": "unexpected",
      "error.type": "REFUSED",
    });
    const child = { kind: 3, parent_span_id: run?.span_id, trace_id: run?.trace_id };
    expect(call).toMatchObject(child);
    expect(call?.attributes).toMatchObject({
      "http.request.method": "GET",
      "url.template": "/v1/projects/{ref}",
      "http.response.status_code": 200,
      "http.request.resend_count": 1,
      "baas.budget_wait_ms": expect.any(Number),
    });
    expect(request).toMatchObject(child);
    expect(request?.attributes).toMatchObject({
      "http.request.method": "GET",
      "url.path": "/version",
      "http.response.status_code": 200,
    });
    const contextOf = (span: typeof run): string => `00-${run?.trace_id}-${span?.span_id}-01`;
    expect(atPlatform).toEqual([contextOf(call), contextOf(call)]);
    expect(atApiserver).toEqual([contextOf(request)]);
    expect(text).not.toContain(TEST_TOKEN);
  });

  it("is found from each of its log lines, which name its trace", async () => {
    const { run, lines } = await runOnce();
    const ofRun = lines.filter(({ fields }) => fields["reconcileId"] === "run-1");
    expect(ofRun.length).toBeGreaterThan(0);
    expect(ofRun.map(({ fields }) => fields["traceId"])).toEqual(ofRun.map(() => run?.trace_id));
  });
});
