import { expect, it } from "vitest";
import { readings } from "../../test/support/runtime/readings.ts";
import { callMetrics } from "./call-metrics.ts";

it("a sending is counted by how it ended, and its time by operation, in seconds", () => {
  const { meter, read } = readings();
  const metrics = callMetrics(meter);
  metrics.sent("projects.get", "200", 250);
  metrics.sent("projects.get", "503", 1500);
  metrics.sent("projects.create", "lost", 10_000);
  metrics.repeated("projects.get", "503");
  const outcome = (operation: string, outcome: string) => read("baas_api_requests_total", { operation, outcome });
  expect([outcome("projects.get", "200"), outcome("projects.get", "503")]).toEqual([1, 1]);
  expect(outcome("projects.create", "lost")).toBe(1);
  const seconds = (operation: string) => [
    read("baas_api_request_duration_seconds", { operation }),
    read("baas_api_request_duration_seconds_sum", { operation }),
  ];
  expect([seconds("projects.get"), seconds("projects.create")]).toEqual([
    [2, 1.75],
    [1, 10],
  ]);
  expect(read("baas_api_retries_total", { operation: "projects.get", cause: "503" })).toBe(1);
});
