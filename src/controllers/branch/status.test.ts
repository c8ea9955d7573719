import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BRANCH_STATUSES, PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { servicesOf } from "../shared/project-states.ts";
import { type BranchCondition, endsWithMigrations, factsOf, mayServe, phaseOf } from "./status.ts";

const ready: BranchCondition = {
  state: "FUNCTIONS_DEPLOYED",
  projectState: "ACTIVE_HEALTHY",
  unhealthy: [],
  migrationsAreTheEnd: false,
};

describe("[K-24] phaseOf", () => {
  it.each<{ readonly why: string; readonly is: Partial<BranchCondition>; readonly phase: object }>([
    { why: "final, up and healthy", is: {}, phase: { kind: "ready", reason: "Available" } },
    {
      why: "its project is being made",
      is: { state: "CREATING_PROJECT", projectState: "COMING_UP" },
      phase: { kind: "underway", reason: "Provisioning", operation: "Creating" },
    },
    { why: "migrations run", is: { state: "RUNNING_MIGRATIONS" }, phase: { kind: "underway", operation: "Migrating" } },
    {
      why: "functions may still come",
      is: { state: "MIGRATIONS_PASSED" },
      phase: { kind: "underway", operation: "DeployingFunctions" },
    },
    {
      why: "no functions came for long enough",
      is: { state: "MIGRATIONS_PASSED", migrationsAreTheEnd: true },
      phase: { kind: "ready" },
    },
    {
      why: "a migration failed",
      is: { state: "MIGRATIONS_FAILED" },
      phase: { kind: "failed", reason: "ProvisioningFailed" },
    },
    {
      why: "a function failed",
      is: { state: "FUNCTIONS_FAILED" },
      phase: { kind: "failed", reason: "ProvisioningFailed" },
    },
    {
      why: "its project failed, whatever the branch says",
      is: { projectState: "INIT_FAILED" },
      phase: { kind: "failed" },
    },
    {
      why: "the branch says it is ready, its project does not",
      is: { projectState: "COMING_UP" },
      phase: { kind: "underway", reason: "Provisioning", operation: "Creating" },
    },
    {
      why: "its project is restarted",
      is: { projectState: "RESTARTING" },
      phase: { kind: "underway", reason: "Updating" },
    },
    {
      why: "the platform paused it",
      is: { projectState: "INACTIVE" },
      phase: { kind: "failed", reason: "Paused" },
    },
    { why: "the platform says nothing of its project", is: { projectState: undefined }, phase: { kind: "underway" } },
    {
      why: "services refuse for a while",
      is: { unhealthy: ["pooler", "auth"] },
      phase: { kind: "underway", reason: "Unhealthy", message: "not healthy: pooler, auth" },
    },
    { why: "a state of a newer platform", is: { state: "SEEDING" }, phase: { kind: "underway", operation: "SEEDING" } },
    {
      why: "a project state of a newer platform",
      is: { projectState: "MOVING" },
      phase: { kind: "underway", operation: "MOVING" },
    },
  ])("is as the platform says: $why", ({ is, phase }) => {
    expect(phaseOf({ ...ready, ...is })).toMatchObject(phase);
  });

  it("says Ready for no other combination than final, up and healthy", () => {
    const condition = fc.record({
      state: fc.constantFrom(...BRANCH_STATUSES, "SEEDING"),
      projectState: fc.constantFrom(...PROJECT_STATUSES, undefined, "MOVING"),
      unhealthy: fc.subarray(["auth", "db", "pooler"]),
      migrationsAreTheEnd: fc.boolean(),
    });
    fc.assert(
      fc.property(condition, (is) => {
        const final = is.state === "FUNCTIONS_DEPLOYED" || (is.state === "MIGRATIONS_PASSED" && is.migrationsAreTheEnd);
        const up = is.projectState === "ACTIVE_HEALTHY";
        expect(phaseOf(is).kind === "ready").toBe(final && up && is.unhealthy.length === 0);
        expect(mayServe(is)).toBe(final && up);
      }),
    );
  });
});

describe("endsWithMigrations", () => {
  it.each([
    { sinceMs: 0, end: false, why: "functions are deployed right after" },
    { sinceMs: 299_999, end: false, why: "the platform may be slow" },
    { sinceMs: 300_000, end: true, why: "five minutes: there are none" },
    { sinceMs: Number.NaN, end: false, why: "a time that cannot be read proves nothing" },
  ])("after $sinceMs ms is $end: $why", ({ sinceMs, end }) => {
    expect(endsWithMigrations(sinceMs)).toBe(end);
  });
});

const branch = {
  id: "a2f1f0a0-0000-4000-8000-000000000001",
  name: "preview",
  project_ref: "previewpreviewprevie",
  parent_project_ref: "projectprojectprojec",
  is_default: false,
  persistent: false,
  with_data: false,
  status: "FUNCTIONS_DEPLOYED",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z",
};

describe("facts in the status", () => {
  it("takes what identifies the branch and what it is like, and leaves out what changes by itself", () => {
    expect(factsOf({ ...branch, updated_at: "2030-01-01T00:00:00.000Z" })).toEqual(factsOf(branch));
    expect(factsOf(branch)).toMatchObject({
      id: branch.id,
      ref: branch.project_ref,
      parentRef: branch.parent_project_ref,
    });
  });

  it("forgets a scheduled deletion that was called off", () => {
    const scheduled = factsOf({ ...branch, deletion_scheduled_at: "2026-01-01T01:00:00.000Z" });
    expect(scheduled.deletionScheduledAt).toBe("2026-01-01T01:00:00.000Z");
    expect(
      { ...scheduled, ...factsOf({ ...branch, deletion_scheduled_at: null }) }.deletionScheduledAt,
    ).toBeUndefined();
  });

  it("lists services in one order, however the platform lists them", () => {
    const service = (name: string) => ({ name, healthy: true, status: "ACTIVE_HEALTHY" });
    const names = ["auth", "db", "pooler", "rest"];
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: names.length }), (order) => {
        expect(servicesOf(order.map(service)).map(({ name }) => name)).toEqual(names);
      }),
    );
  });
});
