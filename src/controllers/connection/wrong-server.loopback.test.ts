import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { type ConnectionBench, openConnectionBench } from "../../../test/support/controllers/connection-bench.ts";

let bench: ConnectionBench;

beforeEach(async () => {
  bench = await openConnectionBench();
});

afterEach(() => bench[Symbol.asyncDispose]());

const specSchema = z.looseObject({ baseUrl: z.string() });

describe("a base URL where something else answers", () => {
  it.each([
    { why: "another path", change: (url: string) => `${url}/api`, says: "check host and path of spec.baseUrl" },
    { why: "no TLS", change: (url: string) => url.replace("http:", "https:"), says: "no TLS is spoken there" },
  ])("is told with what to check: $why", async ({ change, says }) => {
    bench.putSecret("token");
    bench.putConnection("default");
    const spec = specSchema.parse(bench.server.get("connections", "ns", "default")?.["spec"]);
    bench.putConnection("default", { spec: { ...spec, baseUrl: change(spec.baseUrl) } });
    const { outcome } = await bench.look();
    const message = expect.stringContaining(says);
    expect(outcome).toMatchObject({ kind: "transient", reason: "ServerUnavailable", message });
    expect(bench.says("Reachable")).toBe("False ServerUnavailable");
  });
});
