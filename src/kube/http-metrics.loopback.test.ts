import { expect, it, onTestFinished } from "vitest";
import { connected } from "../../test/support/kube-server/connected.ts";
import type { Exchange } from "../../test/support/kube-server/exchange.ts";
import { readings } from "../../test/support/runtime/readings.ts";

/** What is counted of requests to the apiserver, and how long each took. */

it.each<{ readonly code: string; readonly answer: (exchange: Exchange) => void }>([
  { code: "ok", answer: (exchange) => exchange.json(200, {}) },
  { code: "403", answer: (exchange) => exchange.failure(403, "Forbidden") },
  { code: "200", answer: (exchange) => exchange.text(200, "<html>") },
  { code: "Unavailable", answer: (exchange) => exchange.reset() },
])("a request that ends with $code is counted as that, once, with its time in seconds", async ({ code, answer }) => {
  const { meter, read } = readings();
  const { server, transport, clock, ...parts } = await connected({ meter });
  onTestFinished(() => parts[Symbol.asyncDispose]());
  const ended = transport.request({ method: "GET", path: "/x" }).catch((error: unknown) => error);
  const exchange = await server.next();
  clock.advance(250);
  answer(exchange);
  await ended;
  expect(read("baas_kube_requests_total", { method: "GET", code })).toBe(1);
  expect(read("baas_kube_request_duration_seconds", { method: "GET" })).toBe(1);
  expect(read("baas_kube_request_duration_seconds_sum", { method: "GET" })).toBe(0.25);
});
