import { beforeEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { DriftChecks } from "./drift-checks.ts";

const KEY = { kind: "Project", namespace: "ns", name: "shop" };
const MINUTE_MS = 60_000;
const BY_ITSELF = { isAsked: false, isItsTime: false };

let clock: ManualClock;
let checks: DriftChecks;

beforeEach(() => {
  clock = new ManualClock();
  checks = new DriftChecks(clock);
});

interface Said {
  readonly policy?: string;
  readonly sections?: readonly object[];
  readonly uid?: string;
}

function object({ policy = "Correct", sections = [], uid = "1" }: Said = {}): KubeObject {
  const effective = {
    driftPolicy: { value: policy, origin: "Object" },
    managementPolicy: { value: "Manage", origin: "Default" },
    driftInterval: { value: "10m", origin: "Default" },
    deletionPolicy: { value: "Retain", origin: "Object" },
  };
  return {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata: { name: "shop", namespace: "ns", uid, resourceVersion: "1" },
    status: { observedGeneration: 1, conditions: [], effective, sections },
  };
}

/** Begins a check that is due, and ends it. */
function check(said?: Said): void {
  const begun = checks.begin(KEY, object(said), BY_ITSELF);
  if (begun === undefined) throw new Error("no check is due");
  checks.end(begun);
}

const isDue = (said?: Said): boolean => checks.begin(KEY, object(said), BY_ITSELF) !== undefined;

describe("a drift check", () => {
  it("is the first look of a process, and is due again once its interval has passed since it began, however long it took", () => {
    const begun = checks.begin(KEY, object(), BY_ITSELF);
    clock.advance(MINUTE_MS);
    if (begun !== undefined) checks.end(begun);
    clock.advance(9 * MINUTE_MS - 1);
    expect(isDue()).toBe(false);
    clock.advance(1);
    expect(isDue()).toBe(true);
  });

  it("is the same one until it ends, however long that takes", () => {
    const begun = checks.begin(KEY, object(), BY_ITSELF);
    clock.advance(25 * MINUTE_MS);
    expect(checks.begin(KEY, object(), BY_ITSELF)).toBe(begun);
  });

  it("is another one where somebody asks for a look meanwhile", () => {
    const begun = checks.begin(KEY, object(), BY_ITSELF);
    expect(checks.begin(KEY, object(), { isAsked: true, isItsTime: false })).not.toBe(begun);
  });

  it("comes when the queue says so, or somebody asks, however short the time since the last one", () => {
    check();
    expect(checks.begin(KEY, object(), { isAsked: false, isItsTime: true })).toBeDefined();
    expect(checks.begin(KEY, object(), { isAsked: true, isItsTime: false })).toBeDefined();
  });

  it.each([
    { why: "nothing is refused", sections: [{ name: "auth", state: "InSync" }], due: false },
    {
      why: "something is",
      sections: [{ name: "auth", state: "Failed", refused: { declared: "d", under: "u" } }],
      due: true,
    },
  ])("that drift is ignored by is due: $due where $why", ({ sections, due }) => {
    const said = { policy: "Ignore", sections };
    check(said);
    clock.advance(10 * MINUTE_MS);
    expect(isDue(said)).toBe(due);
  });

  it("is overdue once it has missed a whole interval", () => {
    check();
    clock.advance(10 * MINUTE_MS);
    const begun = checks.begin(KEY, object(), BY_ITSELF);
    if (begun === undefined) throw new Error("no check is due");
    clock.advance(10 * MINUTE_MS - 1);
    expect(checks.isOverdue(begun)).toBe(false);
    clock.advance(1);
    expect(checks.isOverdue(begun)).toBe(true);
  });

  it("is remembered of this very object, until that is gone", () => {
    check();
    expect(isDue({ uid: "2" })).toBe(true);
    checks.forget(KEY);
    expect(checks.size).toBe(0);
  });
});
