import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asDeclared, foreignNames, planSecrets, type SecretPlanInput, union } from "./plan.ts";

const none: SecretPlanInput = { wanted: [], remote: [], ours: [], edited: false };
const named = (names: Readonly<Record<string, string>>): SecretPlanInput["wanted"] =>
  Object.entries(names).map(([name, digest]) => ({ name, digest }));
const there = (names: Readonly<Record<string, string>>): SecretPlanInput["remote"] =>
  Object.entries(names).map(([name, value]) => ({ name, value }));

describe("planSecrets", () => {
  it.each<{ why: string; input: Partial<SecretPlanInput>; plan: readonly string[] }>([
    {
      why: "what is as declared needs nothing",
      input: { wanted: named({ A: "1" }), remote: there({ A: "1" }), ours: ["A"] },
      plan: [],
    },
    { why: "a new name is set", input: { wanted: named({ A: "1" }) }, plan: ["put A edit"] },
    {
      why: "[K-33] what was edited and deleted by hand is set again, and what was added is left alone",
      input: { wanted: named({ A: "1", B: "2" }), remote: there({ B: "theirs", C: "3" }), ours: ["A", "B"] },
      plan: ["put A declared", "put B declared"],
    },
    {
      why: "a rotated Kubernetes Secret is an edit, due whatever the drift policy",
      input: { wanted: named({ A: "2" }), remote: there({ A: "1" }), ours: ["A"], edited: true },
      plan: ["put A edit"],
    },
    {
      why: "[K-34] of a renamed key the new name comes before the old one goes",
      input: { wanted: named({ ZNEW: "1" }), remote: there({ AOLD: "1" }), ours: ["AOLD", "ZNEW"] },
      plan: ["put ZNEW declared", "remove AOLD edit"],
    },
    { why: "what is not declared any more and is gone needs nothing", input: { ours: ["A"] }, plan: [] },
    { why: "what others set is never deleted", input: { remote: there({ A: "1" }) }, plan: [] },
    {
      why: "digests are told apart as they are written: lower case",
      input: { wanted: named({ A: "ab" }), remote: there({ A: "AB" }), ours: ["A"] },
      plan: ["put A declared"],
    },
  ])("$why", ({ input, plan }) => {
    const changes = planSecrets({ ...none, ...input });
    expect(changes.map(({ kind, field, cause }) => `${kind} ${field} ${cause}`)).toEqual(plan);
  });

  it("names what is there and was not set by this object", () => {
    const input = { wanted: named({ A: "1", B: "2", C: "3" }), remote: there({ A: "1", B: "x" }), ours: ["A"] };
    expect(foreignNames(input)).toEqual(["B"]);
  });
});

const name = fc.constantFrom("A", "B", "C", "D", "E");
const digest = fc.constantFrom("1", "2", "3");
const anyNames = fc.dictionary(name, digest);

/** The platform after some changes of a plan. */
function after(
  before: Readonly<Record<string, string>>,
  changes: ReturnType<typeof planSecrets>,
  wanted: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const remote = new Map(Object.entries(before));
  for (const { kind, field } of changes) {
    if (kind === "remove") remote.delete(field);
    else remote.set(field, wanted[field] ?? "");
  }
  return Object.fromEntries(remote);
}

function without(names: Readonly<Record<string, string>>, ours: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(names).filter(([one]) => !ours.includes(one)));
}

describe("laws", () => {
  const given = fc.tuple(anyNames, anyNames, fc.uniqueArray(name), fc.boolean());

  it("applying a plan leaves an empty plan, all that is declared, and what others set as it was", () => {
    fc.assert(
      fc.property(given, ([wantedNames, remoteNames, before, edited]) => {
        const wanted = named(wantedNames);
        const ours = union(before, Object.keys(wantedNames));
        const plan = planSecrets({ wanted, ours, edited, remote: there(remoteNames) });
        const result = after(remoteNames, plan, wantedNames);
        expect(planSecrets({ wanted, ours, edited, remote: there(result) })).toEqual([]);
        expect(result).toMatchObject(wantedNames);
        expect(without(result, ours)).toEqual(without(remoteNames, ours));
      }),
    );
  });

  it("[K-34] everything that is set comes before anything that is deleted", () => {
    fc.assert(
      fc.property(given, ([wantedNames, remoteNames, before, edited]) => {
        const ours = union(before, Object.keys(wantedNames));
        const plan = planSecrets({ wanted: named(wantedNames), ours, edited, remote: there(remoteNames) });
        const kinds = plan.map(({ kind }) => kind);
        expect(kinds).toEqual(kinds.toSorted()); // put, remove
      }),
    );
  });
});

describe("asDeclared", () => {
  it("names what is there with the declared value, and nothing that a claim would change or that is not declared", () => {
    const wanted = named({ A: "1", B: "2", C: "3" });
    expect(asDeclared({ wanted, remote: there({ A: "1", B: "theirs", D: "4" }) })).toEqual(["A"]);
  });
});
