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
  const kept = Array.from({ length: 50_000 }, () => {
    log.open(entry);
    return log.entries.length;
  });
  expect(Math.max(...kept)).toBeLessThanOrEqual(22_000);
  expect(Math.min(...kept.slice(20_000))).toBeGreaterThanOrEqual(20_000);
  expect(log.entries.at(-1)?.sequence).toBe(50_000);
});
