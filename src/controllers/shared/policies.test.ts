import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { driftIntervalMs, effectivePolicies, type InheritablePolicies, nextDriftCheck } from "./policies.ts";

const nobody = { object: {}, connection: undefined, operator: {}, deletionPolicy: "Delete" } as const;

describe("effectivePolicies", () => {
  it.each<{
    readonly why: string;
    readonly object?: InheritablePolicies;
    readonly connection?: InheritablePolicies;
    readonly operator?: InheritablePolicies;
    readonly is: string;
  }>([
    { why: "nobody set it", is: "Correct Default" },
    { why: "the operator's command line", operator: { driftPolicy: "Report" }, is: "Report Operator" },
    {
      why: "the connection goes before the operator",
      connection: { driftPolicy: "Ignore" },
      operator: { driftPolicy: "Report" },
      is: "Ignore Connection",
    },
    {
      why: "the object goes before all",
      object: { driftPolicy: "Correct" },
      connection: { driftPolicy: "Ignore" },
      operator: { driftPolicy: "Report" },
      is: "Correct Object",
    },
    {
      why: "a connection that sets other policies is asked in vain",
      connection: { driftInterval: "1h" },
      operator: { driftPolicy: "Report" },
      is: "Report Operator",
    },
  ])("is $is: $why", ({ object = {}, connection, operator = {}, is }) => {
    const { driftPolicy } = effectivePolicies({ ...nobody, object, connection, operator });
    expect(`${driftPolicy.value} ${driftPolicy.origin}`).toBe(is);
  });

  it("finds each policy where it was set first, independently of the others", () => {
    const policies = fc.record(
      {
        driftPolicy: fc.constantFrom("Correct" as const, "Report" as const, "Ignore" as const),
        managementPolicy: fc.constantFrom("Manage" as const, "Observe" as const),
        driftInterval: fc.constantFrom("1m", "2m"),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(policies, fc.option(policies, { nil: undefined }), policies, (object, connection, operator) => {
        const effective = effectivePolicies({ object, connection, operator, deletionPolicy: "Retain" });
        for (const name of ["driftPolicy", "managementPolicy", "driftInterval"] as const) {
          const [first] = [
            { value: object[name], origin: "Object" },
            { value: connection?.[name], origin: "Connection" },
            { value: operator[name], origin: "Operator" },
            {
              value: { driftPolicy: "Correct", managementPolicy: "Manage", driftInterval: "10m" }[name],
              origin: "Default",
            },
          ].filter(({ value }) => value !== undefined);
          expect(effective[name]).toEqual(first);
        }
        expect(effective.deletionPolicy).toEqual({ value: "Retain", origin: "Object" });
      }),
    );
  });
});

it("nobody sets a policy: what is declared is written, and written again every ten minutes", () => {
  const policies = effectivePolicies(nobody);
  expect([policies.driftPolicy, policies.managementPolicy, policies.driftInterval]).toEqual(
    ["Correct", "Manage", "10m"].map((value) => ({ value, origin: "Default" })),
  );
  expect(nextDriftCheck(policies)).toEqual({ requeueAfterMs: 600_000, lane: "drift" });
});

describe("driftIntervalMs", () => {
  it.each([
    { driftPolicy: "Correct" as const, ms: 90_000, why: "repaired at each check" },
    { driftPolicy: "Report" as const, ms: 90_000, why: "reported at each check" },
    { driftPolicy: "Ignore" as const, ms: undefined, why: "nobody looks" },
  ])("with $driftPolicy is $ms: $why", ({ driftPolicy, ms }) => {
    expect(driftIntervalMs(effectivePolicies({ ...nobody, object: { driftPolicy, driftInterval: "1m30s" } }))).toBe(ms);
  });
});
