import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readings } from "../../../test/support/runtime/readings.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { ConvergenceGuard, type Difference } from "./convergence.ts";

const object = { kind: "Project", metadata: { uid: "uid", generation: 1 } };
const name: Difference = { field: "spec.name", difference: "a b" };
const state: Difference = { field: "spec.state", difference: "x" };

function guard(): { readonly clock: ManualClock; readonly guard: ConvergenceGuard; readonly counted: () => number } {
  const { meter, read } = readings();
  const clock = new ManualClock();
  return {
    clock,
    guard: new ConvergenceGuard(meter, clock),
    counted: () => read("baas_not_converging_total", { kind: "Project" }),
  };
}

/** As a reconcile does: what is admitted is written. */
function pass(to: ConvergenceGuard, differences: readonly Difference[], of = object): readonly string[] {
  const { write } = to.admit(of, differences);
  for (const one of write) to.wrote(of, one);
  return write.map(({ field }) => field);
}

describe("ConvergenceGuard", () => {
  it("[K-16] lets the same difference be written three times, then no more, and counts that once", () => {
    const { guard: one, counted } = guard();
    expect([1, 2, 3, 4, 5].map(() => pass(one, [name]).length)).toEqual([1, 1, 1, 0, 0]);
    expect(one.admit(object, [name])).toEqual({ write: [], stuck: [name] });
    expect(counted()).toBe(1);
  });

  it("goes on writing other fields of the object", () => {
    const { guard: one } = guard();
    for (let i = 0; i < 3; i += 1) pass(one, [name]);
    expect(pass(one, [name, state])).toEqual(["spec.state"]);
  });

  it("begins anew for another difference of the field", () => {
    const { guard: one } = guard();
    for (let i = 0; i < 4; i += 1) pass(one, [name]);
    expect(pass(one, [{ ...name, difference: "c b" }])).toEqual(["spec.name"]);
  });

  it("begins anew for another spec", () => {
    const { guard: one } = guard();
    for (let i = 0; i < 4; i += 1) pass(one, [name]);
    expect(pass(one, [name], { ...object, metadata: { uid: "uid", generation: 2 } })).toEqual(["spec.name"]);
  });

  it("begins anew once the field has converged", () => {
    const { guard: one } = guard();
    for (let i = 0; i < 2; i += 1) pass(one, [name]);
    pass(one, []);
    expect([1, 2, 3, 4].map(() => pass(one, [name]).length)).toEqual([1, 1, 1, 0]);
  });

  it("does not count attempts that came to nothing: a refusal, or a spent budget", () => {
    const { guard: one, counted } = guard();
    for (let i = 0; i < 10; i += 1) expect(one.admit(object, [name]).write).toEqual([name]);
    expect(counted()).toBe(0);
  });

  it("lets what is told by what was recorded be another one sixty times within an hour, quiet looks between or not", () => {
    const { guard: one, clock, counted } = guard();
    const rotate = (n: number): readonly string[] => {
      pass(one, []);
      return pass(one, [{ field: "spec.databasePassword", difference: `${n}`, remembered: true }]);
    };
    for (let n = 0; n < 60; n += 1) expect(rotate(n)).toHaveLength(1);
    expect([60, 61].map((n) => rotate(n).length)).toEqual([0, 0]);
    clock.advance(600_000);
    const left = { field: "spec.databasePassword", difference: "61", remembered: true } as const;
    expect(one.admit(object, [left, name]).againInMs, "what is left alone until then").toBe(3_000_000);
    expect(one.admit(object, [name]).againInMs, "what is left alone until the spec changes").toBeUndefined();
    expect(pass(one, [name]), "other fields go on").toEqual(["spec.name"]);
    expect(counted()).toBe(1);
    clock.advance(3_000_000);
    expect(rotate(62)).toHaveLength(1);
  });

  it("keeps objects apart, and forgets one that is gone", () => {
    const { guard: one } = guard();
    for (let i = 0; i < 4; i += 1) pass(one, [name]);
    expect(pass(one, [name], { ...object, metadata: { uid: "other", generation: 1 } })).toEqual(["spec.name"]);
    one.forget("uid");
    expect(pass(one, [name])).toEqual(["spec.name"]);
  });

  it("admits or holds back each difference, and writes none more than three times in a row", () => {
    const differences = fc.subarray([name, state, { field: "spec.x", difference: "1" }]);
    fc.assert(
      fc.property(fc.array(differences, { maxLength: 20 }), (rounds) => {
        const { guard: one } = guard();
        const row = new Map<string, number>();
        for (const round of rounds) {
          const { write, stuck } = one.admit(object, round);
          expect([...write, ...stuck].map(({ field }) => field).toSorted()).toEqual(
            round.map(({ field }) => field).toSorted(),
          );
          for (const { field } of [name, state, { field: "spec.x" }]) {
            const written = write.some((each) => each.field === field);
            const there = round.some((each) => each.field === field);
            row.set(field, there ? (row.get(field) ?? 0) + (written ? 1 : 0) : 0);
            expect(row.get(field)).toBeLessThanOrEqual(3);
          }
          for (const each of write) one.wrote(object, each);
        }
      }),
    );
  });
});
