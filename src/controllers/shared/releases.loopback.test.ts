import { expect, it } from "vitest";
import type { EventDraft } from "../../../test/support/controllers/environment.ts";
import { startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { recordingMeter } from "../../../test/support/kube-server/recording-meter.ts";
import { logLines } from "../../../test/support/runtime/log-lines.ts";
import { Releases, RELEASES_NAME } from "./releases.ts";

it("what is let go is told by a Warning event, a line in a ConfigMap, a log line and a counter by kind and cause (engine.md §5)", async () => {
  await using kept = await startKeeping();
  const { server, kube, clock } = kept;
  server.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
  const events: EventDraft[] = [];
  const { log, lines } = logLines();
  const meter = recordingMeter();
  const told = { event: (draft: EventDraft) => void events.push(draft) };
  const releases = new Releases({ kube, events: told, namespace: "baas-system", clock, log, meter });
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1" };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  const { signal } = new AbortController();
  await releases.record({ object, remote: "project abc", cause: "NoCredential", message: "no token" }, signal);
  expect(events).toMatchObject([{ type: "Warning", reason: "Released", regarding: { kind: "Namespace" } }]);
  expect(Object.keys(server.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {})).toHaveLength(1);
  expect(lines).toMatchObject([
    { level: "warn", fields: { kind: "Project", namespace: "ns", name: "shop", remote: "project abc" } },
  ]);
  expect(meter.counted("baas_released_total", { kind: "Project", cause: "NoCredential" })).toBe(1);
});
