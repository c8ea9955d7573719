import { describe, expect, inject, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/log.ts";
import type { KubeClient } from "../../src/kube/client.ts";
import { eventType } from "../../src/kube/event-body.ts";
import { EventRecorder } from "../../src/kube/events.ts";
import type { KubeObject } from "../../src/resources/meta.ts";
import { clientOf, configMap, configMapType, namespaceType, ownNamespace } from "../support/kube-cluster/session.ts";
import { recordingMeter } from "../support/kube-server/recording-meter.ts";

const cluster = inject("cluster");
const patience = { timeout: 30_000 };

function recorderOf(client: KubeClient) {
  const meter = recordingMeter();
  const reporter = { controller: "baas.dev/operator", instance: "kube-events-test" };
  const common = { client, clock: systemClock, random: Math.random, log: silentLogger, meter, reporter };
  const recorder = new EventRecorder({ ...common, tuning: { gatherMs: 50 } });
  onTestFinished(() => recorder.drain(AbortSignal.abort()));
  return { recorder, counted: (result: string) => meter.counted("baas_kube_events_total", { result }) };
}

async function eventsOn(client: KubeClient, subject: KubeObject): Promise<readonly KubeObject[]> {
  const { name, namespace = "default", uid } = subject.metadata;
  const { items } = await client.listPage(eventType, { namespace });
  return items.filter(({ metadata, regarding }) => {
    const about = JSON.stringify(regarding);
    return metadata.name.startsWith(`${name}.`) && about.includes(uid);
  });
}

describe("events in a real cluster", () => {
  it("are created, and repetitions counted in their series", async () => {
    const client = clientOf(cluster);
    const namespace = await ownNamespace(client);
    const regarding = await client.create(configMapType, configMap(namespace, "subject"));
    const { recorder } = recorderOf(client);
    const input = {
      regarding,
      type: "Warning",
      reason: "Conflict",
      action: "Reconcile",
      note: "ä".repeat(2000),
    } as const;
    for (let times = 0; times < 3; times++) recorder.event(input);
    recorder.event({ ...input, type: "Normal", reason: "Created", note: "made it" });
    await vi.waitFor(async () => expect(await eventsOn(client, regarding)).toHaveLength(2), patience);
    recorder.event(input);
    const repeated = async (): Promise<KubeObject | undefined> =>
      (await eventsOn(client, regarding)).find(({ reason }) => reason === "Conflict");
    await vi.waitFor(async () => expect(await repeated()).toMatchObject({ series: { count: 4 } }), patience);
    expect(await repeated()).toMatchObject({
      type: "Warning",
      action: "Reconcile",
      reportingController: "baas.dev/operator",
      note: `${"ä".repeat(510)}…`,
    });
  });

  it("about a namespace that is Terminating lie in default; those within it are refused and dropped", async () => {
    const client = clientOf(cluster);
    const name = await ownNamespace(client);
    const finalizers = ["example.dev/holds-the-namespace"];
    const { metadata, ...rest } = configMap(name, "held");
    const held = await client.create(configMapType, { ...rest, metadata: { ...metadata, finalizers } });
    await client.delete(namespaceType, { namespace: "", name });
    const namespace = await client.get(namespaceType, { namespace: "", name });
    expect(namespace.metadata.deletionTimestamp).toBeDefined();
    const { recorder, counted } = recorderOf(client);
    const left = { type: "Warning", reason: "Released", action: "Delete", note: "left remotely" } as const;
    recorder.event({ ...left, regarding: held });
    recorder.event({ ...left, regarding: namespace });
    await vi.waitFor(() => expect([counted("dropped"), counted("sent")]).toEqual([1, 1]), patience);
    const told = await eventsOn(client, namespace);
    expect(told).toHaveLength(1);
    expect(told[0]?.metadata.namespace).toBe("default");
    for (const event of told) await client.delete(eventType, { namespace: "default", name: event.metadata.name });
    await client.patchMerge(configMapType, { namespace: name, name: "held" }, { metadata: { finalizers: null } });
  });
});
