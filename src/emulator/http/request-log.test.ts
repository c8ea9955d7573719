import { expect, it } from "vitest";
import { createRequestLog } from "./request-log.ts";

const entry = {
  atMs: 0,
  operation: null,
  method: "GET",
  path: "/",
  query: {},
  identity: "address:::1",
  scope: null,
  status: 200,
  fault: null,
} as const;

it("the request log keeps the newest 20,000 and never more than a tenth above", () => {
  const log = createRequestLog();
  for (let sequence = 1; sequence <= 50_000; sequence += 1) {
    log.open(entry);
    expect(log.entries.length).toBeLessThanOrEqual(22_000);
    if (sequence % 5000 === 0) {
      expect(log.entries.length).toBeGreaterThanOrEqual(Math.min(sequence, 20_000));
      expect(log.entries.at(-1)?.sequence).toBe(sequence);
    }
  }
});
