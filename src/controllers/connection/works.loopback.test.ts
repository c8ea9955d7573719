import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ConnectionBench, openConnectionBench } from "../../../test/support/controllers/connection-bench.ts";

/** When a connection is looked at again, and what it says while it cannot be. */

let bench: ConnectionBench;

beforeEach(async () => {
  bench = await openConnectionBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

describe("a Connection that works", () => {
  it.each([
    { why: "nobody says", defaults: undefined, afterMs: 600_000 },
    { why: "its own interval", defaults: { driftInterval: "1h" }, afterMs: 3_600_000 },
    { why: "what it reaches is not looked at either", defaults: { driftPolicy: "Ignore" }, afterMs: undefined },
  ])("has its token tried again after $afterMs ms: $why", async ({ defaults, afterMs }) => {
    bench.putSecret("token");
    bench.putConnection("default");
    const spec = bench.server.get("connections", "ns", "default")?.["spec"] as object;
    bench.putConnection("default", { spec: { ...spec, ...(defaults === undefined ? {} : { defaults }) } });
    const { outcome } = await bench.look();
    expect(outcome.kind === "done" && outcome.result.requeueAfterMs).toBe(afterMs);
  });

  it("is not said to reach nothing while it waits for request budget: nothing was asked", async () => {
    bench.putSecret("token");
    bench.putConnection("default");
    let last = await bench.look();
    for (let n = 0; n < 100 && last.outcome.kind === "done"; n += 1) last = await bench.look();
    expect(last.outcome).toMatchObject({ kind: "rateLimited" });
    expect(bench.says("Reachable")).toBe("True Available");
  });
});
