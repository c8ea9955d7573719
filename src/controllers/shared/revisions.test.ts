import { describe, expect, it } from "vitest";
import { storesWith, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { edgeFunctionStatus } from "../../resources/edge-function/status.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { isEnvironmentChanging, isOutdated, outdatedBy, seenWith, type StandingRevision } from "./revisions.ts";

const stands = (uid: string, revision: string, asks = true): StandingRevision => ({
  name: `test/${uid}`,
  uid,
  revision,
  asks,
});
const seen = (uid: string, revision: string) => ({ name: `test/${uid}`, uid, revision });

describe("a function is outdated", () => {
  it.each([
    {
      why: "by a revision that it was not deployed with",
      was: [seen("a", "1")],
      now: [stands("a", "2")],
      by: ["test/a"],
    },
    { why: "by the first of an object", was: [], now: [stands("a", "1")], by: ["test/a"] },
    {
      why: "by the first of any, deployed before there were such records",
      was: undefined,
      now: [stands("a", "1")],
      by: ["test/a"],
    },
    {
      why: "by a lower one: revisions have no order",
      was: [seen("a", "9")],
      now: [stands("a", "10"), stands("b", "1")],
      by: ["test/a", "test/b"],
    },
    {
      why: "by those alone that differ",
      was: [seen("a", "1"), seen("b", "1")],
      now: [stands("a", "1"), stands("b", "2")],
      by: ["test/b"],
    },
    { why: "by none that it was deployed with", was: [seen("a", "1")], now: [stands("a", "1")], by: [] },
    { why: "by none that does not ask for it", was: [seen("a", "1")], now: [stands("a", "2", false)], by: [] },
    { why: "by none that is no more", was: [seen("a", "1")], now: [], by: [] },
    {
      why: "by one of the same name that is another object",
      was: [seen("old", "1")],
      now: [stands("a", "1")],
      by: ["test/a"],
    },
  ])("$why", ({ was, now, by }) => {
    expect(outdatedBy(was, now).map(({ name }) => name)).toEqual(by);
    expect(isOutdated(was, now)).toBe(by.length > 0);
  });
});

describe("of more Secret objects than a status lists", () => {
  const environment = testEnvironment({ clock: new ManualClock() });
  const many = (count: number, revisionOf: (n: number) => string = () => "1"): readonly StandingRevision[] =>
    Array.from({ length: count }, (_, n) =>
      stands(`uid-${String((n * 7919) % count).padStart(5, "0")}`, revisionOf(n)),
    );
  const deployedWith = (standing: readonly StandingRevision[]) => {
    const told = seenWith(environment, undefined, standing);
    return edgeFunctionStatus.parse({ conditions: [], environment: told }).environment;
  };

  it.each([1024, 1025, 1500])(
    "what a function was deployed with fits its status, and it is not outdated: %d",
    (count) => {
      const was = deployedWith(many(count));
      expect(was).toHaveLength(Math.min(count, 1024));
      expect(isOutdated(was, many(count).toReversed())).toBe(false);
    },
  );

  it("a change of any one of them is noticed, and is none once it was deployed with", () => {
    const was = deployedWith(many(1500));
    for (let n = 0; n < 1500; n += 13) {
      const now = many(1500, (one) => (one === n ? "2" : "1"));
      const by = outdatedBy(was, now);
      expect(by.map(({ uid }) => uid)).toContain(now[n]?.uid);
      expect(isOutdated(deployedWith(now), now)).toBe(false);
    }
  });

  const unread = (uid: string): KubeObject => ({
    apiVersion: "baas.dev/v1alpha1",
    kind: "Secret",
    metadata: { namespace: "test", name: uid, uid, resourceVersion: "1" },
    spec: "what this version cannot read",
  });
  const uidAt = (n: number): string => `uid-${String(n).padStart(5, "0")}`;

  it.each([
    { why: "one of the list", count: 1500, at: 3, added: 0 },
    { why: "the last one of the list", count: 1500, at: 1022, added: 0 },
    { why: "one beyond it", count: 1500, at: 1400, added: 0 },
    { why: "one that new ones move beyond it", count: 1500, at: 1022, added: 2 },
    { why: "one without which all would be listed", count: 1025, at: 3, added: 0 },
    { why: "one without which all are listed, moved beyond it", count: 1024, at: 1023, added: 1 },
  ])(
    "one that is there and cannot be read asks for nothing once it was deployed beside: $why",
    ({ count, at, added }) => {
      const stores = storesWith([unread(uidAt(at))]);
      const there = testEnvironment({ clock: new ManualClock(), stores });
      const fresh = Array.from({ length: added }, (_, n) => stands(`new-${n}`, "1"));
      const standing = [...fresh, ...many(count).filter(({ uid }) => uid !== uidAt(at))];
      const was = seenWith(there, undefined, many(count));
      const now = seenWith(there, was, standing);
      expect(outdatedBy(now, standing)).toEqual([]);
    },
  );

  it.each([3, 1022])("one of the list that is no more, or cannot be read, is no change of the others: %d", (at) => {
    const was = deployedWith(many(1500));
    const standing = many(1500).filter(({ uid }) => uid !== uidAt(at));
    expect(outdatedBy(was, standing)).toEqual([]);
  });

  it("one that joins the list changes none of those that it moves out of it", () => {
    const was = deployedWith(many(1024));
    expect(outdatedBy(was, [stands("new", "1"), ...many(1024)]).map(({ uid }) => uid)).toEqual(["new"]);
  });

  it("those beyond the list stand for each other: where they do not ask for it, nothing is to be done", () => {
    const was = deployedWith(many(1500));
    const silent = many(1500, () => "2").map((one) => ({ ...one, asks: false }));
    expect(isOutdated(was, silent)).toBe(false);
  });
});

describe("an environment is about to change", () => {
  const REF = "projectprojectprojec";
  const ready = { type: "Ready", status: "True", reason: "Available", message: "" };

  /** Of values that were read at version 7, when the watch has told of another one. */
  function changes(told: string, status: object = {}): boolean {
    const metadata = { namespace: "ns", name: "values", uid: "v", resourceVersion: told };
    const values: KubeObject = { apiVersion: "v1", kind: "Secret", metadata };
    const user: KubeObject = {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Secret",
      metadata: { namespace: "ns", name: "environment", uid: "u", resourceVersion: "1", generation: 1 },
      spec: { projectRef: { ref: REF }, from: [{ secretRef: { name: "values" } }], redeployOnSecretChange: true },
      status: {
        observedGeneration: 1,
        conditions: [{ ...ready, observedGeneration: 1, lastTransitionTime: "2026-01-01T00:00:00Z" }],
        ref: REF,
        recordedFor: "u",
        sources: [{ name: "values", uid: "v", resourceVersion: "7" }],
        ...status,
      },
    };
    const environment = testEnvironment({ clock: new ManualClock(), stores: storesWith([values, user]) });
    const reader = { metadata: { namespace: "ns" }, spec: { projectRef: { ref: REF } } };
    return isEnvironmentChanging(environment, reader, { ref: REF, server: undefined });
  }

  it.each([
    { why: "nothing is due", told: "7", changing: false },
    { why: "its values are of a newer version", told: "8", changing: true },
    { why: "the watch is behind what was read by name", told: "6", changing: false },
    { why: "of versions that have no order, another one", told: "x7", changing: true },
    { why: "a change has begun", told: "7", status: { environment: { pending: "1" } }, changing: true },
  ])("$changing: $why", ({ told, status, changing }) => {
    expect(changes(told, status)).toBe(changing);
  });
});
