import { describe, expect, it } from "vitest";
import { memoryInUse } from "../../test/support/garbage.ts";
import { createMetrics } from "./metrics.ts";

const lines = async (metrics: ReturnType<typeof createMetrics>): Promise<readonly string[]> =>
  (await metrics.expose()).body.split("\n").filter((line) => line !== "" && !line.startsWith("#"));

describe("createMetrics", () => {
  it("exposes counters, gauges and histograms with their labels", async () => {
    const metrics = createMetrics();
    const { meter } = metrics;
    const runs = meter.counter({ name: "runs_total", help: "Runs.", labels: ["kind"] });
    runs.increment({ kind: "Project" });
    runs.increment({ kind: "Project" }, 2);
    meter.gauge({ name: "leader", help: "Leader." }).set(1);
    meter.histogram({ name: "wait_seconds", help: "Wait.", buckets: [1, 10] }).observe(5);
    expect(await lines(metrics)).toEqual([
      'runs_total{kind="Project"} 3',
      "leader 1",
      'wait_seconds_bucket{le="1"} 0',
      'wait_seconds_bucket{le="10"} 1',
      'wait_seconds_bucket{le="+Inf"} 1',
      "wait_seconds_sum 5",
      "wait_seconds_count 1",
    ]);
    expect((await metrics.expose()).contentType).toContain("text/plain; version=0.0.4");
  });

  it("gives the same metric to all who ask for it by name", async () => {
    const metrics = createMetrics();
    for (const by of [1, 2]) metrics.meter.counter({ name: "lists_total", help: "Lists." }).increment({}, by);
    expect(await lines(metrics)).toEqual(["lists_total 3"]);
  });

  it.each([
    { kind: "another type", ask: (name: string) => createAndAsk(name, "gauge", []) },
    { kind: "other labels", ask: (name: string) => createAndAsk(name, "counter", ["lane"]) },
  ])("refuses a name that is taken by $kind", ({ ask }) => {
    expect(() => ask("taken_total")).toThrow("taken_total");
  });

  it("reads observable gauges when it is scraped: readers add up, and labels that are gone go", async () => {
    const metrics = createMetrics();
    let depth: readonly string[] = ["change", "drift"];
    const spec = { name: "depth", help: "Depth.", labels: ["lane"] };
    metrics.meter.observableGauge(spec, () => depth.map((lane) => ({ labels: { lane }, value: 2 })));
    metrics.meter.observableGauge(spec, () => [{ labels: { lane: "change" }, value: 5 }]);
    expect(await lines(metrics)).toEqual(['depth{lane="change"} 7', 'depth{lane="drift"} 2']);
    depth = [];
    expect(await lines(metrics)).toEqual(['depth{lane="change"} 5']);
  });

  it("leaves out what one reader fails to tell, and nothing else", async () => {
    const metrics = createMetrics();
    const spec = { name: "depth", help: "Depth." };
    metrics.meter.observableGauge(spec, () => {
      throw new Error("no");
    });
    metrics.meter.observableGauge(spec, () => [{ value: 3 }]);
    metrics.meter.gauge({ name: "other", help: "Other." }).set(1);
    expect(await lines(metrics)).toEqual(["depth 3", "other 1"]);
  });

  it("adds metrics of the process only when asked", async () => {
    expect(await lines(createMetrics())).toEqual([]);
    expect((await createMetrics({ processMetrics: true }).expose()).body).toContain("process_cpu_seconds_total");
  });

  it("holds nothing of who has ended, though those of the process live on", async () => {
    const register = (): WeakRef<object> => {
      const read = { value: 1 };
      const { meter } = createMetrics({ processMetrics: true });
      meter.observableGauge({ name: "kept", help: "something that is read" }, () => [read]);
      return new WeakRef(read);
    };
    const held = register();
    await memoryInUse();
    expect(held.deref()).toBeUndefined();
  });
});

function createAndAsk(name: string, type: "gauge" | "counter", labels: readonly string[]): void {
  const { meter } = createMetrics();
  meter.counter({ name, help: "Taken." });
  meter[type]({ name, help: "Again.", labels });
}
