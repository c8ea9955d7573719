import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { awaitsState, planProject, type ProjectPlanInput } from "./plan.ts";

const asDeclared: ProjectPlanInput = {
  name: "shop",
  state: undefined,
  remote: { name: "shop", status: "ACTIVE_HEALTHY" },
  passwordChanged: false,
};

function in_(status: string): Partial<ProjectPlanInput> {
  return { remote: { name: "shop", status } };
}

describe("planProject", () => {
  it.each<{ readonly why: string; readonly input: Partial<ProjectPlanInput>; readonly plan: readonly string[] }>([
    { why: "nothing differs", input: {}, plan: [] },
    { why: "[K-11] a name that is not declared is left as it is", input: { name: undefined }, plan: [] },
    { why: "the name was changed", input: { name: "boutique" }, plan: ["rename"] },
    {
      why: "a name can be changed while the project moves",
      input: { name: "boutique", ...in_("COMING_UP") },
      plan: ["rename"],
    },
    { why: "the password's Secret was rotated", input: { passwordChanged: true }, plan: ["setPassword"] },
    {
      why: "a database that is not up takes no password",
      input: { passwordChanged: true, ...in_("INACTIVE") },
      plan: [],
    },
    { why: "a state that is not declared is left as it is", input: in_("INACTIVE"), plan: [] },
    { why: "to be paused", input: { state: "Paused" }, plan: ["pause"] },
    { why: "also when it is not well", input: { state: "Paused", ...in_("ACTIVE_UNHEALTHY") }, plan: ["pause"] },
    { why: "paused already", input: { state: "Paused", ...in_("INACTIVE") }, plan: [] },
    { why: "a pause under way is waited out", input: { state: "Paused", ...in_("PAUSING") }, plan: [] },
    { why: "[K-03] a pause under way is not turned round", input: { state: "Running", ...in_("PAUSING") }, plan: [] },
    { why: "to be resumed", input: { state: "Running", ...in_("INACTIVE") }, plan: ["resume"] },
    { why: "a restore under way is waited out", input: { state: "Running", ...in_("RESTORING") }, plan: [] },
    { why: "running already", input: { state: "Running" }, plan: [] },
    { why: "while it comes up it cannot be paused", input: { state: "Paused", ...in_("COMING_UP") }, plan: [] },
    {
      why: "first the name, then the password, then the state",
      input: { name: "x", passwordChanged: true, state: "Paused" },
      plan: ["rename", "setPassword", "pause"],
    },
  ])("$plan: $why", ({ input, plan }) => {
    expect(planProject({ ...asDeclared, ...input }).map(({ kind }) => kind)).toEqual(plan);
  });

  it("calls a rotated Secret an edit, which no drift policy holds back", () => {
    const [change] = planProject({ ...asDeclared, passwordChanged: true });
    expect(change).toMatchObject({ cause: "edit", difference: "", remembered: true });
  });
});

const input = fc.record({
  name: fc.constantFrom("shop", "boutique", undefined),
  state: fc.constantFrom("Running" as const, "Paused" as const, undefined),
  remote: fc.record({ name: fc.constantFrom("shop", "by-hand"), status: fc.constantFrom(...PROJECT_STATUSES, "NEW") }),
  passwordChanged: fc.boolean(),
});

/** What the platform makes of the requests, and has come to when it is done. */
function carriedOut(before: ProjectPlanInput): ProjectPlanInput {
  return planProject(before).reduce<ProjectPlanInput>((now, change) => {
    switch (change.kind) {
      case "rename":
        return { ...now, remote: { ...now.remote, name: change.name } };
      case "setPassword":
        return { ...now, passwordChanged: false };
      case "pause":
        return { ...now, remote: { ...now.remote, status: "INACTIVE" } };
      case "resume":
        return { ...now, remote: { ...now.remote, status: "ACTIVE_HEALTHY" } };
      default:
        return change satisfies never;
    }
  }, before);
}

describe("the laws of a plan", () => {
  it("carried out, it leaves nothing to do", () => {
    fc.assert(
      fc.property(input, (before) => {
        const after = carriedOut(before);
        // A password that waited for the database goes when it is up again.
        expect(planProject({ ...after, passwordChanged: false })).toEqual([]);
      }),
    );
  });

  it("never asks for a state that was not declared, and never for two", () => {
    fc.assert(
      fc.property(input, (before) => {
        const states = planProject(before).filter(({ kind }) => kind === "pause" || kind === "resume");
        const wanted = before.state === "Paused" ? "pause" : "resume";
        expect(states.map(({ kind }) => kind)).toEqual(states.length === 0 ? [] : [wanted]);
        expect(before.state === undefined && states.length > 0).toBe(false);
      }),
    );
  });

  it("a declared state is there, asked for, under way, or waited for: it is never forgotten", () => {
    fc.assert(
      fc.property(input, (before) => {
        const { state, remote } = before;
        const there = state === "Paused" ? remote.status === "INACTIVE" : remote.status !== "INACTIVE";
        const underway = state === "Paused" && remote.status === "PAUSING";
        const asked = planProject(before).some(({ kind }) => kind === "pause" || kind === "resume");
        expect(state === undefined || there || underway || asked || awaitsState(before)).toBe(true);
      }),
    );
  });
});

describe("awaitsState", () => {
  it.each([
    {
      state: "Paused" as const,
      status: "COMING_UP",
      awaits: true,
      why: "the pause can only be asked for when it is up",
    },
    { state: "Paused" as const, status: "ACTIVE_HEALTHY", awaits: false, why: "it is asked for now" },
    { state: "Paused" as const, status: "PAUSING", awaits: false, why: "it was asked for" },
    { state: "Paused" as const, status: "INACTIVE", awaits: false, why: "it is paused" },
    {
      state: "Running" as const,
      status: "PAUSING",
      awaits: true,
      why: "the resume can only be asked for when the pause has ended",
    },
    { state: "Running" as const, status: "RESTORING", awaits: false, why: "it was asked for" },
    { state: "Running" as const, status: "COMING_UP", awaits: false, why: "it is on its way there" },
    { state: undefined, status: "COMING_UP", awaits: false, why: "no state is declared" },
  ])("$state in $status is $awaits: $why", ({ state, status, awaits }) => {
    expect(awaitsState({ state, remote: { name: "shop", status } })).toBe(awaits);
  });
});
