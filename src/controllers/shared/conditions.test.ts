import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Condition } from "../../resources/meta.ts";
import { findCondition, isTrue, kubeTime, removeCondition, setCondition, sinceStored } from "./conditions.ts";

const first = { nowMs: Date.UTC(2026, 0, 1), generation: 1 };
const later = { nowMs: Date.UTC(2026, 0, 2), generation: 1 };
const ready = { type: "Ready", status: "True", reason: "Available", message: "as declared" } as const;

describe("setCondition", () => {
  const before = setCondition([], ready, first);

  it("adds what is new, with its time and generation", () => {
    expect(before).toEqual([{ ...ready, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 }]);
  });

  it("returns the same list for the same claim, so that nothing is written", () => {
    expect(setCondition(before, { ...ready }, later)).toBe(before);
  });

  it.each([
    {
      claim: { ...ready, status: "False" as const },
      moment: later,
      time: "2026-01-02T00:00:00Z",
      why: "another status is a transition",
    },
    {
      claim: { ...ready, reason: "Paused" },
      moment: later,
      time: "2026-01-01T00:00:00Z",
      why: "another reason is none",
    },
    {
      claim: { ...ready, message: "other words" },
      moment: later,
      time: "2026-01-01T00:00:00Z",
      why: "nor are other words",
    },
    {
      claim: ready,
      moment: { ...later, generation: 2 },
      time: "2026-01-01T00:00:00Z",
      why: "nor is another generation",
    },
  ])("moves the time of transition with the status alone: $why", ({ claim, moment, time }) => {
    const [after] = setCondition(before, claim, moment);
    expect(after).toEqual({ ...claim, lastTransitionTime: time, observedGeneration: moment.generation });
  });

  it("cuts a message that nobody would read, and still knows it again", () => {
    const long = { ...ready, message: "x".repeat(5000) };
    const cut = setCondition([], long, first);
    expect(cut[0]?.message).toHaveLength(1024);
    expect(setCondition(cut, long, later)).toBe(cut);
  });
});

const claim = fc.record({
  type: fc.constantFrom("Ready", "Stalled", "Drifted"),
  status: fc.constantFrom("True" as const, "False" as const, "Unknown" as const),
  reason: fc.constantFrom("A", "B"),
  message: fc.constantFrom("a", "b"),
});

describe("the laws of conditions", () => {
  it("there is one of a type, in the order in which they appeared", () => {
    fc.assert(
      fc.property(fc.array(claim), (claims) => {
        const all = claims.reduce<readonly Condition[]>((list, one) => setCondition(list, one, first), []);
        expect(all.map(({ type }) => type)).toEqual([...new Set(claims.map(({ type }) => type))]);
      }),
    );
  });

  it("the last claim of a type holds", () => {
    fc.assert(
      fc.property(fc.array(claim, { minLength: 1 }), (claims) => {
        const all = claims.reduce<readonly Condition[]>((list, one) => setCondition(list, one, first), []);
        const last = claims.at(-1);
        expect(findCondition(all, last?.type ?? "")).toMatchObject(last ?? {});
      }),
    );
  });
});

describe("other uses", () => {
  const list = setCondition([], ready, first);

  it("takes a condition away, and returns the same list where there is none", () => {
    expect(removeCondition(list, "Ready")).toEqual([]);
    expect(removeCondition(list, "Stalled")).toBe(list);
  });

  it("counts Unknown and absence as not true", () => {
    expect(isTrue(list, "Ready")).toBe(true);
    expect(isTrue(setCondition(list, { ...ready, status: "Unknown" }, first), "Ready")).toBe(false);
    expect(isTrue(undefined, "Ready")).toBe(false);
  });

  it("writes times as Kubernetes does, in whole seconds", () => {
    expect(kubeTime(Date.UTC(2026, 0, 1, 1, 2, 3, 999))).toBe("2026-01-01T01:02:03Z");
  });
});

describe("sinceStored", () => {
  const stored = [
    { ...ready, lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: 1 },
    { ...ready, type: "Stalled", lastTransitionTime: "2026-01-02T00:00:00Z", observedGeneration: 1 },
  ];
  const at = (type: string, status: "True" | "False", lastTransitionTime: string) => ({
    ...ready,
    type,
    status,
    lastTransitionTime,
    observedGeneration: 2,
  });

  it("keeps the time and the place of what has the status that it had, whatever a run said in between", () => {
    const said = [at("Stalled", "True", "2026-01-09T00:00:00Z"), at("Ready", "True", "2026-01-09T00:00:00Z")];
    expect(sinceStored(stored, said).map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`)).toEqual([
      "Ready 2026-01-01T00:00:00Z",
      "Stalled 2026-01-02T00:00:00Z",
    ]);
  });

  it("lets what changed have its own time, and puts what is new at the end", () => {
    const said = [at("Paused", "True", "2026-01-09T00:00:00Z"), at("Ready", "False", "2026-01-09T00:00:00Z")];
    expect(sinceStored(stored, said).map(({ type, lastTransitionTime }) => `${type} ${lastTransitionTime}`)).toEqual([
      "Ready 2026-01-09T00:00:00Z",
      "Paused 2026-01-09T00:00:00Z",
    ]);
  });
});
