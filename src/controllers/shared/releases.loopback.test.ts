import { expect, it } from "vitest";
import type { EventDraft } from "../../../test/support/controllers/environment.ts";
import { type Keeping, startKeeping } from "../../../test/support/kube-server/keeping-client.ts";
import { recordingMeter } from "../../../test/support/kube-server/recording-meter.ts";
import { logLines } from "../../../test/support/runtime/log-lines.ts";
import { DeletionTimes } from "./deletion-times.ts";
import { seededRandom } from "../../base/random.ts";
import { silentLogger } from "../../base/log.ts";
import { EventRecorder } from "../../kube/events.ts";
import { Releases, RELEASES_NAME } from "./releases.ts";

it("what is let go is told by a Warning event, a line in a ConfigMap, a log line and a counter by kind and cause (engine.md §5)", async () => {
  await using kept = await startKeeping();
  const { server, kube, clock } = kept;
  server.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
  const events: EventDraft[] = [];
  const { log, lines } = logLines();
  const meter = recordingMeter();
  const told = { event: (draft: EventDraft) => void events.push(draft) };
  const deletions = new DeletionTimes(clock, () => kube.serverNow());
  const releases = new Releases({ kube, events: told, namespace: "baas-system", deletions, clock, log, meter });
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1" };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  const { signal } = new AbortController();
  await releases.record({ object, remotes: ["project abc"], cause: "NoCredential", message: "no token" }, signal);
  expect(events).toMatchObject([{ type: "Warning", reason: "Released", regarding: { kind: "Namespace" } }]);
  expect(Object.keys(server.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {})).toHaveLength(1);
  expect(lines).toMatchObject([
    { level: "warn", fields: { kind: "Project", namespace: "ns", name: "shop", remote: "project abc" } },
  ]);
  expect(meter.counted("baas_released_total", { kind: "Project", cause: "NoCredential" })).toBe(1);
});

it("of two that stay it tells of none before all are listed, and then of each once", async () => {
  await using kept = await startKeeping();
  const { server, kube, clock } = kept;
  const meter = recordingMeter();
  const events: EventDraft[] = [];
  const told = { event: (draft: EventDraft) => void events.push(draft) };
  let lines = 0;
  const now = (): number => {
    lines += 1;
    if (lines === 2) server.refuseWrites("configmaps", { status: 403, reason: "Forbidden", message: "quota" });
    return clock.now();
  };
  const counting: typeof clock = Object.create(clock, { now: { value: now } });
  const deletions = new DeletionTimes(clock, () => kube.serverNow());
  const common = { clock: counting, log: silentLogger, meter };
  const releases = new Releases({ kube, events: told, namespace: "baas-system", deletions, ...common });
  const deletionTimestamp = new Date(clock.now()).toISOString();
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1", deletionTimestamp };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  const both = { object, remotes: ["project abc", "project acme/x"], cause: "ByHand", message: "by hand" } as const;
  const { signal } = new AbortController();
  const counted = (): number => meter.counted("baas_released_total", { kind: "Project", cause: "ByHand" });
  await expect(releases.record(both, signal)).rejects.toMatchObject({ reason: "DeletionBlocked" });
  expect([events.filter(({ reason }) => reason === "Released"), counted()]).toEqual([[], 0]);
  server.refuseWrites("configmaps", undefined);
  await releases.record(both, signal);
  expect([events.filter(({ reason }) => reason === "Released").length, counted()]).toEqual([2, 2]);
});

it("who does not lead any more once it is listed counts and tells nothing of it: the next one does", async () => {
  await using kept: Keeping = await startKeeping({
    mayRead: () => kept.server.get("configmaps", "baas-system", RELEASES_NAME) === undefined,
  });
  const { server, kube, clock } = kept;
  server.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "ns" } });
  const told: unknown[] = [];
  const events = { event: (draft: EventDraft) => void told.push(draft) };
  const { log, lines } = logLines();
  const meter = recordingMeter();
  const deletions = new DeletionTimes(clock, () => kube.serverNow());
  const releases = new Releases({ kube, events, namespace: "baas-system", deletions, clock, log, meter });
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1" };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  const { signal } = new AbortController();
  const one = { object, remotes: ["project abc"], cause: "ByHand", message: "by hand" } as const;
  await expect(releases.record(one, signal)).rejects.toMatchObject({ code: "NotLeader" });
  expect([told, lines, meter.counted("baas_released_total", { kind: "Project", cause: "ByHand" })]).toEqual([
    [],
    [],
    0,
  ]);
});

it("what is kept on purpose is told by a line in the ConfigMap and a log line, and counted nowhere", async () => {
  await using kept = await startKeeping();
  const { server, kube, clock } = kept;
  const { log, lines } = logLines();
  const meter = recordingMeter();
  const events: EventDraft[] = [];
  const told = { event: (draft: EventDraft) => void events.push(draft) };
  const deletions = new DeletionTimes(clock, () => kube.serverNow());
  const releases = new Releases({ kube, events: told, namespace: "baas-system", deletions, clock, log, meter });
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1" };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  const one = { remote: "project abc", adopt: "spec.ref: abc" };
  await releases.retain({ object, kept: [one] }, new AbortController().signal);
  const [line] = Object.values(server.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {});
  expect(JSON.parse(String(line))).toMatchObject({ object: "ns/shop", remote: "project abc", cause: "Retained" });
  expect(lines).toMatchObject([
    { level: "info", fields: { name: "shop", remote: "project abc", adopt: "spec.ref: abc" } },
  ]);
  expect([events, meter.counted("baas_released_total", { kind: "Project", cause: "Retained" })]).toEqual([[], 0]);
});

it("lines as long as they may be leave room: an apiserver takes no ConfigMap of more than a mebibyte", async () => {
  await using started = await startKeeping();
  const { server, kube, clock } = started;
  const { log } = logLines();
  const releases = new Releases({
    kube,
    events: { event: () => undefined },
    namespace: "baas-system",
    deletions: new DeletionTimes(clock, () => kube.serverNow()),
    clock,
    log,
    meter: recordingMeter(),
  });
  const long = "€".repeat(512);
  const line = { object: "o".repeat(317), kind: "Project", remote: long, cause: "ByHand", message: long };
  const old = Array.from({ length: 300 }, (_, nth) => {
    const time = new Date(Date.UTC(2020, 0, 1) + nth * 1000).toISOString();
    return [String(nth).padStart(32, "0"), JSON.stringify({ ...line, time })] as const;
  });
  const place = { namespace: "baas-system", name: RELEASES_NAME };
  server.put("configmaps", { apiVersion: "v1", kind: "ConfigMap", metadata: place, data: Object.fromEntries(old) });
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1" };
  const object = { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  const release = { object, remotes: ["project abc"], cause: "ByHand", message: "by hand" } as const;
  await releases.record(release, new AbortController().signal);
  const kept = Object.entries(server.get("configmaps", "baas-system", RELEASES_NAME)?.["data"] ?? {});
  const text = kept.flat().map(String).join("");
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(786_432);
  expect(kept.length).toBeGreaterThan(200);
  expect(text).toContain("project abc");
  expect(kept.map(([key]) => key)).toContain(old.at(-1)?.[0]); // the newest stay
});

it("of a namespace with more objects than events that it may have, warnings come first, and one tells how many more there are, and where", async () => {
  await using started = await startKeeping();
  const { server, kube, clock } = started;
  const ending = { name: "ns", finalizers: ["kubernetes"], deletionTimestamp: new Date(clock.now()).toISOString() };
  server.put("namespaces", { apiVersion: "v1", kind: "Namespace", metadata: ending });
  const meter = recordingMeter();
  const reporter = { controller: "baas.dev/operator", instance: "one" };
  const common = { clock, log: silentLogger, meter };
  const events = new EventRecorder({ client: kube, reporter, random: seededRandom(11), ...common });
  const deletions = new DeletionTimes(clock, () => kube.serverNow());
  const releases = new Releases({ kube, events, namespace: "baas-system", deletions, ...common });
  const { signal } = new AbortController();
  const objectOf = (name: string) => {
    const metadata = { name, namespace: "ns", uid: name, resourceVersion: "1" };
    return { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata };
  };
  for (let n = 0; n < 30; n += 1) {
    const one = { remote: `project k${n}`, adopt: `spec.ref: k${n}` };
    await releases.retain({ object: objectOf(`kept-${n}`), kept: [one] }, signal);
  }
  for (let n = 0; n < 60; n += 1) {
    const release = { remotes: [`project r${n}`], cause: "DeletionTimeout", message: "the platform refused" } as const;
    await releases.record({ object: objectOf(`released-${n}`), ...release }, signal);
  }
  await events.drain(signal);
  const told = server.list("events").filter(({ ["type"]: type }) => type === "Warning");
  const one = told.filter(({ ["note"]: note }) => String(note).includes("was let go and project r"));
  const rest = told.filter((event) => !one.includes(event));
  expect(one).toHaveLength(25);
  expect(rest).toMatchObject([
    { reason: "Released", series: { count: 35 }, regarding: { kind: "Namespace", name: "ns" } },
  ]);
  expect(String(rest[0]?.["note"])).toContain("ConfigMap baas-system/baas-operator-released");
  expect(meter.counted("baas_kube_events_total", { result: "limited" })).toBe(5 + 35);
});
