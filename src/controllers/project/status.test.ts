import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PROJECT_STATUSES } from "../../api/contract/fields.ts";
import { factsOf, phaseOf } from "./status.ts";

type Input = Parameters<typeof phaseOf>[0];

const healthy: Input = { state: "ACTIVE_HEALTHY", declared: undefined, unhealthy: [] };

describe("phaseOf", () => {
  it.each<{ readonly why: string; readonly is: Partial<Input>; readonly phase: object }>([
    { why: "up and healthy", is: {}, phase: { kind: "ready", reason: "Available" } },
    {
      why: "up, but a service is not",
      is: { unhealthy: ["rest"] },
      phase: { kind: "underway", reason: "Unhealthy", operation: "Recovering", message: "not healthy: rest" },
    },
    { why: "up, and about to be paused", is: { declared: "Paused" }, phase: { kind: "underway", reason: "Pausing" } },
    {
      why: "paused as declared",
      is: { state: "INACTIVE", declared: "Paused" },
      phase: { kind: "ready", reason: "Paused" },
    },
    {
      why: "paused, and nobody declared anything",
      is: { state: "INACTIVE" },
      phase: { kind: "ready", reason: "Paused" },
    },
    {
      why: "paused, and about to be resumed",
      is: { state: "INACTIVE", declared: "Running" },
      phase: { kind: "underway", reason: "Resuming" },
    },
    {
      why: "just created",
      is: { state: "UNKNOWN" },
      phase: { kind: "underway", reason: "Provisioning", operation: "Creating" },
    },
    {
      why: "[K-04] coming up",
      is: { state: "COMING_UP" },
      phase: { kind: "underway", reason: "Provisioning", operation: "Creating", message: "the project is COMING_UP" },
    },
    {
      why: "[K-03] a pause under way, also against the declared state",
      is: { state: "PAUSING", declared: "Running" },
      phase: { kind: "underway", reason: "Pausing" },
    },
    {
      why: "it failed to come up",
      is: { state: "INIT_FAILED" },
      phase: { kind: "failed", reason: "ProvisioningFailed" },
    },
    { why: "it failed to be restored", is: { state: "RESTORE_FAILED" }, phase: { kind: "failed" } },
    { why: "it failed to be paused", is: { state: "PAUSE_FAILED" }, phase: { kind: "failed" } },
    { why: "a state of a newer platform", is: { state: "MOVING" }, phase: { kind: "underway", operation: "MOVING" } },
  ])("is as the platform says: $why", ({ is, phase }) => {
    expect(phaseOf({ ...healthy, ...is })).toMatchObject(phase);
  });

  it("says Ready only where the project is up and healthy, or paused and not to be resumed", () => {
    const input = fc.record({
      state: fc.constantFrom(...PROJECT_STATUSES, "MOVING"),
      declared: fc.constantFrom("Running" as const, "Paused" as const, undefined),
      unhealthy: fc.subarray(["auth", "db"]),
    });
    fc.assert(
      fc.property(input, (is) => {
        const up = is.state === "ACTIVE_HEALTHY" && is.unhealthy.length === 0 && is.declared !== "Paused";
        const paused = is.state === "INACTIVE" && is.declared !== "Running";
        expect(phaseOf(is).kind === "ready").toBe(up || paused);
      }),
    );
  });
});

const project = {
  id: "projectprojectprojec",
  ref: "projectprojectprojec",
  organization_slug: "acme",
  name: "shop",
  region: "us-east-1",
  created_at: "2026-01-01T00:00:00.000Z",
  status: "ACTIVE_HEALTHY",
};

describe("facts in the status", () => {
  it("lists services in one order, without what changes by itself", () => {
    const service = (name: string) => ({
      name,
      healthy: true,
      status: "ACTIVE_HEALTHY",
      info: { version: "2" },
      error: "?",
    });
    const { services } = factsOf(project, [service("rest"), service("auth")]);
    expect(services).toEqual([
      { name: "auth", healthy: true, state: "ACTIVE_HEALTHY" },
      { name: "rest", healthy: true, state: "ACTIVE_HEALTHY" },
    ]);
  });

  it("forgets the services of an earlier look when they are not asked, as of a paused project", () => {
    const before = factsOf(project, [{ name: "auth", healthy: true, status: "ACTIVE_HEALTHY" }]);
    expect({ ...before, ...factsOf({ ...project, status: "INACTIVE" }, undefined) }.services).toBeUndefined();
  });

  it("keeps the host that an answer leaves out", () => {
    const database = { host: "db.x", version: "17", postgres_engine: "17", release_channel: "ga" };
    expect({ ...factsOf({ ...project, database }, undefined), ...factsOf(project, undefined) }.host).toBe("db.x");
  });
});
