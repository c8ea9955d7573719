import { describe, expect, it } from "vitest";
import { seededRandom } from "../base/random.ts";
import { annotations, finalizers, formatOwnership } from "../resources/annotations.ts";
import type { KubeObject } from "../resources/meta.ts";
import { requestAnnotations } from "../resources/requests.ts";
import type { EnqueueOptions } from "../runtime/reconciler.ts";
import { asksForRun, ownKeys } from "./watching.ts";

const record = formatOwnership({ ref: "r", identity: "account", object: "ns/shop", cluster: "cluster" });
const ready = { type: "Ready", status: "True" };

type Metadata = Partial<KubeObject["metadata"]>;

function version(metadata: Metadata = {}, status: unknown = { conditions: [ready] }): KubeObject {
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: "ns", uid: "u", resourceVersion: "1", generation: 1, ...metadata },
    status,
  };
}

function mistyped(value: string): KubeObject {
  return version({ annotations: { "baas.dev/restrat": value } });
}

const owned = { annotations: { [annotations.ref]: record }, finalizers: [finalizers.remote] };

describe("a new version of an object asks for a run", () => {
  it.each<{ why: string; before: KubeObject; now: KubeObject; asks: boolean }>([
    { why: "another spec", before: version(), now: version({ generation: 2 }), asks: true },
    { why: "a deletion", before: version(), now: version({ deletionTimestamp: "2026-01-01T00:00:00Z" }), asks: true },
    ...[
      annotations.paused,
      annotations.reconcileAt,
      annotations.recreate,
      annotations.release,
      ...requestAnnotations,
    ].flatMap((steers) => {
      const set = (value: string): KubeObject => version({ annotations: { [steers]: value } });
      return [
        { why: `${steers} is set`, before: version(), now: set("one"), asks: true },
        { why: `${steers} is set to something else`, before: set("one"), now: set("two"), asks: true },
        { why: `${steers} is taken away`, before: set("one"), now: version(), asks: true },
        { why: `${steers} stays`, before: set("one"), now: set("one"), asks: false },
      ];
    }),
    { why: "one that is mistyped is set", before: version(), now: mistyped("one"), asks: true },
    { why: "one that is mistyped is taken away", before: mistyped("one"), now: version(), asks: true },
    { why: "one that is mistyped says something else", before: mistyped("one"), now: mistyped("two"), asks: false },
    {
      why: "an annotation of others",
      before: version(),
      now: version({ annotations: { "example.com/restrat": "1" } }),
      asks: false,
    },
    { why: "a label is nobody's business", before: version(), now: version({ labels: { a: "b" } }), asks: false },
    { why: "the record that the operator wrote", before: version(), now: version(owned), asks: false },
    { why: "a replace took record and finalizer away", before: version(owned), now: version(), asks: true },
    {
      why: "somebody typed another record",
      before: version(owned),
      now: version({ ...owned, annotations: { [annotations.ref]: "abc" } }),
      asks: true,
    },
    { why: "a first status", before: version({}, null), now: version(), asks: false },
    {
      why: "another condition",
      before: version(),
      now: version({}, { conditions: [{ ...ready, status: "False" }] }),
      asks: false,
    },
    { why: "the status was taken away", before: version(), now: version({}, null), asks: true },
    {
      why: "and its default was put there",
      before: version(),
      now: version({}, { observedGeneration: -1 }),
      asks: true,
    },
    { why: "the conditions were emptied", before: version(), now: version({}, { conditions: [] }), asks: true },
  ])("$asks: $why", ({ before, now, asks }) => {
    expect(asksForRun(before, now)).toBe(asks);
  });
});

describe("an object that a start shows", () => {
  const asks = { annotations: { "baas.dev/restart": "1" } };
  const atRest = {
    conditions: [{ ...ready, reason: "Available", message: "as declared", lastTransitionTime: "2026-01-01T00:00:00Z" }],
    observedGeneration: 1,
  };
  // A run that carries out a request writes the status before it goes on to the spec.
  const cutShort = {
    ...atRest,
    conditions: atRest.conditions.map((condition) => ({ ...condition, observedGeneration: 1 })),
    observedGeneration: 2,
  };
  const ignored = { ...atRest.conditions[0], type: "AnnotationIgnored", reason: "AnnotationIgnored" };
  const asked = (state: string) => ({ ...atRest, requests: [{ verb: "restart", id: "1", request: "1", state }] });

  it.each([
    { why: "asks for nothing", metadata: {}, status: atRest, lane: "drift" },
    {
      why: "was edited, and the run for that ended in the middle",
      metadata: { generation: 2 },
      status: cutShort,
      lane: "change",
    },
    { why: "asks for what was done", metadata: asks, status: asked("Succeeded"), lane: "drift" },
    { why: "asks for what nobody has seen yet", metadata: asks, status: atRest, lane: "change" },
    { why: "asked for what is under way", metadata: {}, status: asked("Running"), lane: "change" },
    { why: "asked for what may have been sent", metadata: {}, status: asked("Sending"), lane: "change" },
    {
      why: "has a mistyped annotation",
      metadata: { annotations: { "baas.dev/restrat": "1" } },
      status: atRest,
      lane: "change",
    },
    {
      why: "has a mistyped annotation that was told of",
      metadata: { annotations: { "baas.dev/restrat": "1" } },
      status: { ...atRest, conditions: [...atRest.conditions, ignored] },
      lane: "drift",
    },
    {
      why: "lost a mistyped annotation",
      metadata: {},
      status: { ...atRest, conditions: [...atRest.conditions, ignored] },
      lane: "change",
    },
    {
      why: "asks for what only another kind can be asked for, and was told so",
      metadata: { annotations: { "baas.dev/merge": "1" } },
      status: { ...atRest, conditions: [...atRest.conditions, ignored] },
      lane: "drift",
    },
    { why: "asks for what waits", metadata: asks, status: asked("Waiting"), lane: "change" },
  ])("runs in the lane $lane when it $why", ({ metadata, status, lane }) => {
    const lanes: EnqueueOptions["lane"][] = [];
    const handler = ownKeys({
      enqueue: (_key, options) => void lanes.push(options.lane),
      random: seededRandom(3),
    });
    handler.added(version(metadata, status));
    expect(lanes).toEqual([lane]);
  });
});

describe("what is of the first rank", () => {
  function ranks(show: (handler: ReturnType<typeof ownKeys>) => void, eager = false): readonly unknown[] {
    const seen: unknown[] = [];
    const enqueue = (_key: unknown, options: EnqueueOptions): void => void seen.push(options.wasReady);
    show(ownKeys({ enqueue, random: seededRandom(3), eager }));
    return seen;
  }

  const edited = (metadata: Metadata): readonly unknown[] =>
    ranks((handler) => handler.updated(version(metadata, null), version({ ...metadata, generation: 2 }, null)));

  it("is an edit of what has on record what it has, though it is not Ready", () => {
    expect(edited(owned)).toEqual([true]);
  });

  it.each([
    { why: "nothing", record: "" },
    { why: "any text", record: "x" },
    { why: "another object's record", record: record.replace("ns/shop", "ns/another") },
  ])("is none of what has a record that somebody wrote: $why", ({ record: text }) => {
    expect(edited({ annotations: { [annotations.ref]: text } })).toEqual([false]);
  });

  it("is a connection that was looked at before, and not a new one, which may never be let in anywhere", () => {
    const known = version({}, { conditions: [], observedGeneration: 1 });
    expect(ranks((handler) => handler.added(known), true)).toEqual([true]);
    expect(ranks((handler) => handler.added(version({}, { conditions: [], observedGeneration: -1 })), true)).toEqual([
      false,
    ]);
    expect(ranks((handler) => handler.added(version({}, { conditions: [] })), true)).toEqual([false]);
    const told = { ...ready, reason: "Available", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
    expect(ranks((handler) => handler.added(version({}, { conditions: [told] })), true)).toEqual([true]);
  });
});
