import { describe, expect, it } from "vitest";
import { createFaults, faultRuleSchema } from "./faults.ts";

const rule = (wanted: object) => faultRuleSchema.parse({ operation: "*", fault: { kind: "reset" }, ...wanted });
const kinds = (faults: ReturnType<typeof createFaults>, ...requests: readonly (readonly [string, string])[]) =>
  requests.map(([operation, path]) => faults.take(operation, path)?.kind ?? "none");

describe("ordered faults", () => {
  it("hit once unless more is ordered", () => {
    const faults = createFaults();
    faults.add(rule({}));
    expect(kinds(faults, ["a.b", "/"], ["a.b", "/"])).toEqual(["reset", "none"]);
  });

  it("hit for ever when the count is null", () => {
    const faults = createFaults();
    faults.add(rule({ count: null }));
    expect(kinds(faults, ["a.b", "/"], ["a.b", "/"], ["a.b", "/"])).toEqual(["reset", "reset", "reset"]);
  });

  it("let the requests to skip pass first", () => {
    const faults = createFaults();
    faults.add(rule({ skip: 2 }));
    expect(kinds(faults, ["a.b", "/"], ["a.b", "/"], ["a.b", "/"], ["a.b", "/"])).toEqual([
      "none",
      "none",
      "reset",
      "none",
    ]);
  });

  it("hit only the operation and the path that they name", () => {
    const faults = createFaults();
    faults.add(rule({ operation: "projects.get", pathContains: "xyz", count: null }));
    expect(kinds(faults, ["profile.get", "/xyz"], ["projects.get", "/abc"], ["projects.get", "/xyz/d"])).toEqual([
      "none",
      "none",
      "reset",
    ]);
  });

  it("hit in the order in which they were added", () => {
    const faults = createFaults();
    faults.add(rule({ fault: { kind: "html" } }));
    faults.add(rule({ fault: { kind: "half-open" } }));
    expect(kinds(faults, ["a.b", "/"], ["a.b", "/"], ["a.b", "/"])).toEqual(["html", "half-open", "none"]);
  });

  it("can be taken back", () => {
    const faults = createFaults();
    const id = faults.add(rule({}));
    expect([faults.remove(id), faults.remove(id)]).toEqual([true, false]);
    expect(kinds(faults, ["a.b", "/"])).toEqual(["none"]);
  });

  it("tell how often they hit", () => {
    const faults = createFaults();
    faults.add(rule({ count: 5 }));
    kinds(faults, ["a.b", "/"], ["a.b", "/"]);
    expect(faults.list().map(({ hits }) => hits)).toEqual([2]);
  });

  it("spoil a body after the effect, which is what gives one, and all else before it, unless told otherwise", () => {
    const faults = [{ kind: "truncated" }, { kind: "empty" }, { kind: "reset" }, { kind: "reset", phase: "after" }];
    expect(faults.map((fault) => rule({ fault }).fault.phase)).toEqual(["after", "after", "before", "after"]);
    for (const kind of ["empty", "truncated"]) {
      expect(rule({ fault: { kind, phase: "before" } }).fault.phase).toBe("before");
    }
  });
});
