import { describe, expect, it } from "vitest";
import { type EventDraft, runOf, testEnvironment } from "../../../test/support/controllers/environment.ts";
import { readings } from "../../../test/support/runtime/readings.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { projectKind } from "../../resources/project/kind.ts";
import type { DriftPolicy } from "../../resources/policies.ts";
import { applyDrift, type PlannedChange } from "./drift.ts";
import { effectivePolicies } from "./policies.ts";

const rename: PlannedChange = { field: "spec.name", cause: "declared", difference: "a b" };
const password: PlannedChange = { field: "spec.databasePassword", cause: "edit", difference: "", remembered: true };

interface Situation {
  readonly driftPolicy: DriftPolicy;
  readonly changes: readonly PlannedChange[];
  /** the spec of this generation was in force before */
  readonly inForce: boolean;
}

/** What one run does about changes, and what it says. */
function decide(situation: Situation, environment = testEnvironment({ clock: new ManualClock() })) {
  const { driftPolicy, changes, inForce } = situation;
  const metadata = { name: "shop", namespace: "ns", uid: "uid", resourceVersion: "1", generation: 2 };
  const object = {
    apiVersion: "baas.dev/v1alpha1",
    kind: "Project",
    metadata,
    status: { observedGeneration: 2, syncedGeneration: inForce ? 2 : 1, conditions: [] },
  };
  const run = runOf(environment, projectKind, object);
  const policies = effectivePolicies({
    object: { driftPolicy },
    connection: undefined,
    operator: {},
    deletionPolicy: "Retain",
  });
  const write = applyDrift(run, { object, policies, changes });
  const drifted = run.status.condition("Drifted");
  return {
    run,
    object,
    fields: write.map(({ field }) => field),
    drifted: drifted && `${drifted.status} ${drifted.message}`,
  };
}

describe("applyDrift", () => {
  it.each<Situation & { readonly why: string; readonly writes: readonly string[]; readonly says?: string }>([
    {
      why: "an edit is carried out, whatever the policy",
      driftPolicy: "Report",
      changes: [rename],
      inForce: false,
      writes: ["spec.name"],
    },
    {
      why: "also where drift is ignored",
      driftPolicy: "Ignore",
      changes: [rename],
      inForce: false,
      writes: ["spec.name"],
    },
    { why: "drift is repaired", driftPolicy: "Correct", changes: [rename], inForce: true, writes: ["spec.name"] },
    {
      why: "drift is reported and left",
      driftPolicy: "Report",
      changes: [rename],
      inForce: true,
      writes: [],
      says: "True differs remotely: spec.name",
    },
    { why: "drift is left and not even reported", driftPolicy: "Ignore", changes: [rename], inForce: true, writes: [] },
    {
      why: "a rotated Secret is no drift: its cause lies in the cluster",
      driftPolicy: "Report",
      changes: [password],
      inForce: true,
      writes: ["spec.databasePassword"],
    },
    {
      why: "each for itself",
      driftPolicy: "Report",
      changes: [rename, password],
      inForce: true,
      writes: ["spec.databasePassword"],
      says: "True differs remotely: spec.name",
    },
    { why: "nothing differs", driftPolicy: "Report", changes: [], inForce: true, writes: [] },
  ])("with $driftPolicy writes $writes: $why", ({ writes, says, ...situation }) => {
    const { fields, drifted } = decide(situation);
    expect(fields).toEqual(writes);
    expect(drifted).toBe(says);
  });

  it("takes Drifted away when the drift is gone", () => {
    const { run, object } = decide({ driftPolicy: "Report", changes: [rename], inForce: true });
    const policies = effectivePolicies({
      object: { driftPolicy: "Report" },
      connection: undefined,
      operator: {},
      deletionPolicy: "Retain",
    });
    applyDrift(run, { object, policies, changes: [] });
    expect(run.status.condition("Drifted")).toBeUndefined();
  });

  it("tells by an event which fields were repaired, once they were written, and only of repairs", () => {
    const events: EventDraft[] = [];
    const environment = testEnvironment({ clock: new ManualClock(), onEvent: (draft) => void events.push(draft) });
    const edit = decide({ driftPolicy: "Correct", changes: [rename], inForce: false }, environment);
    edit.run.wrote("Updated", "renamed", edit.fields);
    const repair = decide({ driftPolicy: "Correct", changes: [rename, password], inForce: true }, environment);
    expect(events.map(({ reason }) => reason)).toEqual(["Updated"]);
    repair.run.wrote("Updated", "set", ["spec.databasePassword"]);
    for (const note of ["renamed", "renamed again"]) repair.run.wrote("Updated", note, ["spec.name"]);
    expect(events.slice(1).map(({ reason, note }) => `${reason}: ${note}`)).toEqual([
      "Updated: set: spec.databasePassword",
      "DriftCorrected: the remote side differed and was repaired: spec.name",
      "Updated: renamed: spec.name",
      "Updated: renamed again: spec.name",
    ]);
  });

  it("counts what was repaired and what was left, and no edits", () => {
    const { meter, read } = readings();
    const environment = testEnvironment({ clock: new ManualClock(), meter });
    const drifts = () => ["corrected", "left"].map((action) => read("baas_drift_total", { kind: "Project", action }));
    decide({ driftPolicy: "Correct", changes: [rename], inForce: false }, environment);
    decide({ driftPolicy: "Correct", changes: [password], inForce: true }, environment);
    expect(drifts()).toEqual([0, 0]);
    const { run, fields } = decide({ driftPolicy: "Correct", changes: [rename, password], inForce: true }, environment);
    expect(drifts(), "not written yet").toEqual([0, 0]);
    run.wrote("Updated", "changed", fields);
    expect(drifts()).toEqual([1, 0]);
    decide({ driftPolicy: "Report", changes: [rename], inForce: true }, environment);
    decide({ driftPolicy: "Ignore", changes: [rename], inForce: true }, environment);
    expect(drifts()).toEqual([1, 2]);
  });

  it("[K-16] stops writing what comes back different, says so, and takes it back when it has converged", () => {
    const environment = testEnvironment({ clock: new ManualClock() });
    const situation: Situation = { driftPolicy: "Correct", changes: [rename], inForce: true };
    for (let i = 0; i < 3; i += 1) {
      const { object } = decide(situation, environment);
      environment.convergence.wrote(object, rename);
    }
    const { fields, run, object } = decide(situation, environment);
    expect(fields).toEqual([]);
    expect(run.status.condition("Converging")).toMatchObject({
      status: "False",
      reason: "NotConverging",
      message: expect.stringContaining("spec.name"),
    });
    const policies = effectivePolicies({ object: {}, connection: undefined, operator: {}, deletionPolicy: "Retain" });
    applyDrift(run, { object, policies, changes: [] });
    expect(run.status.condition("Converging")).toBeUndefined();
  });

  it("writes what was recorded and forgotten as often as that happens: an apiserver that saves no status says nothing of the platform", () => {
    const environment = testEnvironment({ clock: new ManualClock() });
    for (let i = 0; i < 5; i += 1) {
      const { fields, object, run } = decide(
        { driftPolicy: "Correct", changes: [password, rename], inForce: false },
        environment,
      );
      expect(fields).toContain("spec.databasePassword");
      expect(run.status.condition("Converging")).toBeUndefined();
      environment.convergence.wrote(object, password);
    }
  });
});
