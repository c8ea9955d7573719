import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { setUp } from "../../test/support/kube-server/for-a-test.ts";
import { logLines } from "../../test/support/runtime/log-lines.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { applyClusterConnection, parseClusterConnection } from "./cluster-connection.ts";

const MANIFEST = parseClusterConnection(
  "{apiVersion: baas.dev/v1alpha1, kind: ClusterConnection, metadata: {name: default}, spec: {}}",
);

const REFUSAL = {
  message:
    'ClusterConnection "default" is invalid: [spec.allowedNamespaces.from: Unsupported value, <nil>: Invalid value: null]',
  details: {
    causes: [
      {
        field: "spec.allowedNamespaces.from",
        message: 'Unsupported value: "Some": supported values: "All", "Selected"',
      },
      { field: "<nil>", message: "Invalid value: null: some validation rules were not checked" },
    ],
  },
};

async function started() {
  const { server, client } = await setUp();
  const clock = new ManualClock(); // of the tries alone, not of their requests
  const { log, lines } = logLines();
  const stop = new AbortController();
  const parts = { kube: client, manifest: MANIFEST, clock, random: () => 0.5, log };
  const first = applyClusterConnection(parts, stop.signal);
  return { server, clock, lines, stop, first };
}

it("one that is refused ends nothing: it is told once, in the apiserver's words, and tried again until it is taken", async () => {
  const { server, clock, lines, first, stop } = await started();
  (await server.next()).failure(422, "Invalid", REFUSAL);
  await first;
  const told = {
    level: "error",
    message:
      '--cluster-connection-file: spec.allowedNamespaces.from: Unsupported value: "Some": supported values: "All", "Selected"; ' +
      "the operator goes on without it and tries again",
  };
  expect(lines).toEqual([expect.objectContaining(told)]);
  await clock.advanceAsync(2_000);
  (await server.next()).failure(422, "Invalid", REFUSAL);
  while (clock.pendingTimers === 0) await setImmediate();
  await clock.advanceAsync(10_000);
  (await server.next()).json(200, { ...MANIFEST, metadata: { name: "default", uid: "u", resourceVersion: "1" } });
  while (lines.length < 2) await setImmediate();
  expect(lines).toEqual([
    expect.objectContaining(told),
    expect.objectContaining({ level: "info", message: "--cluster-connection-file: applied" }),
  ]);
  stop.abort(new Error("stop"));
});

it("is not tried again once the operator stops", async () => {
  const { server, clock, first, stop } = await started();
  (await server.next()).failure(422, "Invalid", REFUSAL);
  await first;
  stop.abort(new Error("stop"));
  await clock.advanceAsync(600_000);
  expect(clock.pendingTimers).toBe(0);
});
