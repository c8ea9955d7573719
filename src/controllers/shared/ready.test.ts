import { describe, expect, it } from "vitest";
import { KubeError, type KubeErrorCode } from "../../kube/errors.ts";
import { isReason } from "../../resources/conditions.ts";
import type { Condition } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { classify, disposition } from "../../runtime/outcome.ts";
import { terminal, waiting } from "./failures.ts";
import { summarizeCreating, summarizeFailure, summarizeReady } from "./ready.ts";
import { StatusDraft } from "./status-draft.ts";

const GENERATION = 3;

/** A status whose Ready was seen at a generation. */
function draft(
  readyAt?: number,
): StatusDraft<{ readonly conditions: readonly Condition[]; readonly observedGeneration: number }> {
  const ready: Condition = {
    type: "Ready",
    status: "True",
    reason: "Available",
    message: "the project is as declared",
    lastTransitionTime: "2026-01-01T00:00:00Z",
    ...(readyAt === undefined ? {} : { observedGeneration: readyAt }),
  };
  const status = { conditions: readyAt === undefined ? [] : [ready], observedGeneration: GENERATION };
  return new StatusDraft(status, status, {
    nowMs: Date.UTC(2026, 0, 2),
    generation: GENERATION,
    schema: projectKind.status,
  });
}

const lost = new KubeError("Timeout", "GET /x: no answer within 30000 ms", { effect: "none" });

describe("a failed run", () => {
  it.each([
    {
      why: "somebody must act",
      error: terminal("InvalidSpec", "spec.name: write another one"),
      shows: { Ready: "False InvalidSpec", Stalled: "True InvalidSpec" },
    },
    {
      why: "something is under way",
      error: waiting("Provisioning", "the project is COMING_UP", 2000),
      shows: { Ready: "Unknown Provisioning", Reconciling: "True Provisioning" },
    },
    {
      why: "the apiserver failed, whose client gives a code of its own",
      error: lost,
      shows: { Ready: "Unknown KubernetesError", Reconciling: "True KubernetesError" },
    },
    {
      why: "nobody foresaw it",
      error: new TypeError("x is not a function"),
      shows: { Ready: "Unknown UnexpectedError", Reconciling: "True UnexpectedError" },
    },
  ])("shows $shows where $why, and no reason that the table lacks", ({ error, shows }) => {
    const status = draft();
    summarizeFailure(status, disposition(classify(error)), { generation: GENERATION, isDue: false });
    const { conditions } = status.current;
    expect(Object.fromEntries(conditions.map(({ type, ...rest }) => [type, `${rest.status} ${rest.reason}`]))).toEqual(
      shows,
    );
    expect(conditions.filter(({ reason }) => !isReason(reason))).toEqual([]);
  });

  it.each([
    { error: lost, seenAt: GENERATION, ready: "True", why: "a failure that says nothing of the remote side leaves it" },
    { error: lost, seenAt: GENERATION - 1, ready: "Unknown", why: "what was seen is of an older spec" },
    {
      error: waiting("Resizing", "the project is RESIZING", 2000),
      seenAt: GENERATION,
      ready: "Unknown",
      why: "something was seen to be under way",
    },
  ])("with Ready seen at $seenAt has it $ready: $why", ({ error, seenAt, ready }) => {
    const status = draft(seenAt);
    summarizeFailure(status, disposition(classify(error)), { generation: GENERATION, isDue: false });
    expect(status.condition("Ready")?.status).toBe(ready);
  });

  it.each([
    { error: terminal("InvalidSpec", "wrong"), said: "Stalled" },
    { error: waiting("Resizing", "the project is RESIZING", 2000), said: "Reconciling" },
  ] as const)("is forgotten by a run that ends well: $said", ({ error, said }) => {
    const status = draft();
    summarizeFailure(status, disposition(classify(error)), { generation: GENERATION, isDue: false });
    expect(status.condition(said)?.status).toBe("True");
    summarizeReady(status, "Available", "as declared");
    expect(status.current.conditions.map(({ type, status: is }) => `${type}=${is}`)).toEqual(["Ready=True"]);
  });
});

describe("Ready of what is up", () => {
  it.each([
    { why: "all is as declared", also: [], says: "as declared" },
    { why: "a difference is left alone", also: ["Drifted"] as const, says: "see condition Drifted" },
    {
      why: "a field does not keep what is written to it",
      also: ["Converging"] as const,
      says: "see condition Converging",
    },
    { why: "both", also: ["Drifted", "Converging"] as const, says: "see condition Drifted and Converging" },
  ])("says '$says': $why", ({ also, says }) => {
    const status = draft();
    for (const type of also) status.set(type, type === "Drifted" ? "True" : "False", "DriftDetected", "spec.name");
    summarizeReady(status, "Available", "as declared");
    expect(status.condition("Ready")).toMatchObject({ status: "True", message: says });
  });

  it.each([
    {
      reason: "Available",
      also: [],
      says: "all is as declared, but for what driftPolicy Ignore leaves different: a, b",
    },
    { reason: "Paused", also: [], says: "all is as declared; driftPolicy Ignore leaves different: a, b" },
    {
      reason: "Available",
      also: ["Converging"],
      says: "see condition Converging; driftPolicy Ignore leaves different: a, b",
    },
  ] as const)("says what is ignored, with reason $reason beside $also", ({ reason, also, says }) => {
    const status = draft();
    for (const type of also) status.set(type, "False", "NotConverging", "spec.name");
    status.ignore(["a", "b"]);
    summarizeReady(status, reason, "all is as declared");
    expect(status.condition("Ready")).toMatchObject({ status: "True", message: says });
    status.ignore([]);
    summarizeReady(status, reason, "all is as declared");
    expect(status.condition("Ready")?.message).not.toContain("Ignore");
  });
});

describe("what is created", () => {
  it("is under way, whatever stood in its way before", () => {
    const status = draft();
    summarizeFailure(status, disposition(classify(terminal("InvalidSpec", "wrong"))), {
      generation: GENERATION,
      isDue: false,
    });
    summarizeCreating(status, "creating it");
    expect(status.current.conditions.map(({ type, status: is }) => `${type}=${is}`).toSorted()).toEqual([
      "Ready=Unknown",
      "Reconciling=True",
    ]);
  });
});

/** Every code of the apiserver's client, and what becomes of it; the types see to it that none is missing. */
const kubeCodes: Readonly<Record<KubeErrorCode, "shown" | "silent">> = {
  AlreadyExists: "shown",
  NotFound: "shown",
  Forbidden: "shown",
  Unauthorized: "shown",
  Invalid: "shown",
  Gone: "shown",
  TooManyRequests: "shown",
  ServerError: "shown",
  Unavailable: "shown",
  Timeout: "shown",
  UnexpectedResponse: "shown",
  // Repeated without a word: a stale write, and a write that a process kept back which leads no more.
  Conflict: "silent",
  NotLeader: "silent",
};

describe("a failure of the apiserver", () => {
  // Object.entries forgets of which type the keys are.
  it.each(Object.entries(kubeCodes).map(([code, how]) => ({ code: code as KubeErrorCode, how })))(
    "$code is $how, and never takes a reason that means the platform's",
    ({ code, how }) => {
      // The apiserver's own word for it comes along: `Forbidden` and `Expired` are reasons of ours too, with other meanings.
      for (const reason of [code, "Forbidden", "Expired", undefined]) {
        const status = draft();
        const error = new KubeError(code, "secrets is forbidden", { effect: "none", reason });
        summarizeFailure(status, disposition(classify(error)), { generation: GENERATION, isDue: false });
        const shown = status.current.conditions.map(({ type, reason: given }) => `${type} ${given}`).toSorted();
        expect(shown).toEqual(how === "shown" ? ["Ready KubernetesError", "Reconciling KubernetesError"] : []);
      }
    },
  );
});
