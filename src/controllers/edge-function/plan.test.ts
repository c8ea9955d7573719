import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EdgeFunction } from "../../api/contract/functions.ts";
import {
  type DeployedFunction,
  type FunctionChange,
  planFunction,
  samePath,
  settingsLeft,
  sparingDrift,
  type WantedFunction,
} from "./plan.ts";

const wanted: WantedFunction = {
  name: undefined,
  entrypoint: "index.ts",
  importMap: undefined,
  verifyJwt: true,
  sourceHash: "source-1",
  paths: ["index.ts"],
};
const remote: EdgeFunction = {
  id: "id",
  slug: "hello",
  name: "hello",
  status: "ACTIVE",
  version: 3,
  verify_jwt: true,
  import_map: false,
  entrypoint_path: "index.ts",
  ezbr_sha256: "bundle-1",
};
const deployed: DeployedFunction = { sourceHash: "source-1", bundleHash: "bundle-1" };

interface Case {
  readonly why: string;
  readonly wanted?: Partial<WantedFunction>;
  readonly remote?: Partial<EdgeFunction> | "missing";
  readonly deployed?: DeployedFunction;
  /** fields, each with what kind of change it is and what caused it */
  readonly plan: readonly (readonly [field: string, kind: string, cause: string])[];
}

const source = (cause: string): readonly [string, string, string] => ["spec.source", "deploy", cause];
const set = (field: string): readonly [string, string, string] => [field, "set", "declared"];

const cases: readonly Case[] = [
  { why: "what is as declared needs nothing", plan: [] },
  { why: "a new source is deployed", wanted: { sourceHash: "source-2" }, plan: [source("edit")] },
  { why: "what was never deployed is deployed", deployed: {}, plan: [source("edit")] },
  { why: "another bundle is drift", remote: { ezbr_sha256: "theirs" }, plan: [source("declared")] },
  { why: "a missing function is drift", remote: "missing", plan: [source("declared")] },
  {
    why: "a missing function whose source changed too is an edit, due whatever the drift policy",
    remote: "missing",
    wanted: { sourceHash: "source-2" },
    plan: [source("edit")],
  },
  { why: "a platform that tells no hash shows no drift", remote: { ezbr_sha256: null }, plan: [] },
  {
    why: "another environment is an edit, due whatever the drift policy",
    deployed: { ...deployed, outdated: true },
    plan: [["environment", "deploy", "edit"]],
  },
  {
    why: "another environment adds nothing to a deployment that is due",
    wanted: { sourceHash: "source-2" },
    deployed: { ...deployed, outdated: true },
    plan: [source("edit")],
  },
  {
    why: "a missing function has no environment",
    remote: "missing",
    deployed: { ...deployed, outdated: true },
    plan: [source("declared")],
  },
  {
    why: "a bundle whose hash was not told at the deployment is not compared",
    deployed: { sourceHash: "source-1" },
    plan: [],
  },
  {
    why: "[K-28] verifyJwt alone needs no deployment",
    wanted: { verifyJwt: false },
    plan: [set("spec.verifyJwt")],
  },
  { why: "[K-28] drift of the flag alone, too", remote: { verify_jwt: false }, plan: [set("spec.verifyJwt")] },
  {
    why: "[K-28] a flag that the platform does not tell is not taken for set",
    remote: { verify_jwt: undefined },
    plan: [set("spec.verifyJwt")],
  },
  { why: "a declared name is compared", wanted: { name: "Hello" }, plan: [set("spec.name")] },
  { why: "a name that is not declared is left as it is", remote: { name: "theirs" }, plan: [] },
  {
    why: "an entrypoint that somebody changed is set, without an upload",
    remote: { entrypoint_path: "main.ts" },
    plan: [set("spec.entrypoint")],
  },
  {
    why: "an entrypoint below a folder of the platform's own is the same one",
    remote: { entrypoint_path: "file:///tmp/user_fn_1/source/index.ts" },
    plan: [],
  },
  { why: "a path that the platform does not tell is not compared", remote: { entrypoint_path: null }, plan: [] },
  {
    why: "a declared import map is compared by its path",
    wanted: { importMap: "deno.json" },
    remote: { import_map: true, import_map_path: "old.json" },
    plan: [set("spec.importMap")],
  },
  {
    why: "a declared import map that is switched off is switched on",
    wanted: { importMap: "deno.json" },
    remote: { import_map: false, import_map_path: "deno.json" },
    plan: [set("spec.importMap")],
  },
  {
    why: "an import map that is declared no more and whose file is gone is switched off (facts.md §6.7, stale import_map_path)",
    remote: { import_map: true, import_map_path: "deno.json" },
    plan: [set("spec.importMap")],
  },
  {
    why: "one that the platform found among the files by itself is left alone",
    wanted: { paths: ["index.ts", "deno.json"] },
    remote: { import_map: true, import_map_path: "deno.json" },
    plan: [],
  },
  {
    why: "several differences are told one by one",
    wanted: { sourceHash: "source-2", verifyJwt: false, name: "Hello" },
    plan: [source("edit"), set("spec.verifyJwt"), set("spec.name")],
  },
];

describe("planFunction", () => {
  it.each(cases)("$why", ({ plan, ...given }) => {
    const found = given.remote === "missing" ? undefined : { ...remote, ...given.remote };
    const changes = planFunction({ ...wanted, ...given.wanted }, found, given.deployed ?? deployed);
    expect(changes.map(({ field, kind, cause }) => [field, kind, cause])).toEqual(plan);
  });

  it("tells one difference from another of the same field, so that the convergence guard counts each by itself", () => {
    const differences = ["theirs", "others"].map(
      (hash) => planFunction(wanted, { ...remote, ezbr_sha256: hash }, deployed)[0]?.difference,
    );
    expect(new Set(differences).size).toBe(2);
  });

  it("tells another source by what was recorded, and another bundle by what was read", () => {
    const [edited] = planFunction({ ...wanted, sourceHash: "source-2" }, remote, deployed);
    const [drifted] = planFunction(wanted, { ...remote, ezbr_sha256: "theirs" }, deployed);
    expect([edited?.remembered, drifted?.remembered]).toEqual([true, undefined]);
  });
});

describe("settingsLeft", () => {
  it("holds only what was due and is different still", () => {
    const given = { ...wanted, verifyJwt: false, name: "Hello" };
    const due = planFunction(given, remote, deployed).filter(({ field }) => field === "spec.verifyJwt");
    expect(settingsLeft(due, given, remote).map(({ field }) => field)).toEqual(["spec.verifyJwt"]);
    expect(settingsLeft(due, given, { ...remote, verify_jwt: false })).toEqual([]);
  });
});

it.each([
  { found: "./index.ts", same: true },
  { found: "lib/index.ts", same: false },
  { found: "file:///src/lib/index.ts", same: true },
  { found: "/home/deno/index.ts", same: true },
  { found: "file:///src/myindex.ts", same: false },
])("the platform's path $found is index.ts: $same", ({ found, same }) => {
  expect(samePath(found, "index.ts")).toBe(same);
});

/** What the platform does with a change, as facts.md §6.7 says: what is not named keeps its old value. */
function apply(
  change: FunctionChange,
  want: WantedFunction,
  before: EdgeFunction | undefined,
): { readonly remote: EdgeFunction | undefined; readonly deployed?: DeployedFunction } {
  if (change.kind === "set") return { remote: before && { ...before, ...change.settings } };
  const bundleHash = `bundle of ${want.sourceHash}`;
  const after: EdgeFunction = {
    ...(before ?? { ...remote, version: 0, import_map: false, import_map_path: undefined, name: "hello" }),
    version: (before?.version ?? 0) + 1,
    verify_jwt: want.verifyJwt,
    entrypoint_path: want.entrypoint,
    ezbr_sha256: bundleHash,
    ...(want.name === undefined ? {} : { name: want.name }),
    ...(want.importMap === undefined ? {} : { import_map: true, import_map_path: want.importMap }),
  };
  return { remote: after, deployed: { sourceHash: want.sourceHash, bundleHash } };
}

const path = fc.constantFrom("index.ts", "main.ts", "lib/index.ts", "deno.json", "old.json");
const anyWanted: fc.Arbitrary<WantedFunction> = fc.record({
  name: fc.option(fc.constantFrom("hello", "Hello"), { nil: undefined }),
  entrypoint: path,
  importMap: fc.option(path, { nil: undefined }),
  verifyJwt: fc.boolean(),
  sourceHash: fc.constantFrom("a", "b"),
  paths: fc.uniqueArray(path),
});
const anyRemote: fc.Arbitrary<EdgeFunction | undefined> = fc.option(
  fc.record(
    {
      id: fc.constant("id"),
      slug: fc.constant("hello"),
      name: fc.constantFrom("hello", "Hello", "theirs"),
      status: fc.constant("ACTIVE"),
      version: fc.nat(),
      verify_jwt: fc.boolean(),
      import_map: fc.boolean(),
      entrypoint_path: fc.option(path),
      import_map_path: fc.option(path),
      ezbr_sha256: fc.option(fc.constantFrom("bundle of a", "bundle of b", "theirs")),
    },
    { requiredKeys: ["id", "slug", "name", "status", "version"] },
  ),
  { nil: undefined },
);
const anyDeployed: fc.Arbitrary<DeployedFunction> = fc.record(
  { sourceHash: fc.constantFrom("a", "b"), bundleHash: fc.constantFrom("bundle of a", "bundle of b") },
  { requiredKeys: [] },
);

describe("laws", () => {
  it("applying a plan and then its rest leaves an empty plan", () => {
    fc.assert(
      fc.property(anyWanted, anyRemote, anyDeployed, (want, found, known) => {
        let state = { remote: found, deployed: known };
        // Two rounds: a deployment can bring a stale import map to light, which the next look switches off.
        for (let round = 0; round < 2; round += 1) {
          for (const change of planFunction(want, state.remote, state.deployed)) {
            state = { ...state, ...apply(change, want, state.remote) };
          }
        }
        expect(planFunction(want, state.remote, state.deployed)).toEqual([]);
      }),
    );
  });

  it("settings alone never make an upload", () => {
    fc.assert(
      fc.property(anyWanted, anyRemote, (want, found) => {
        const known = { sourceHash: want.sourceHash, bundleHash: found?.ezbr_sha256 ?? undefined };
        const plan = planFunction(want, found, known);
        expect(plan.some(({ kind }) => kind === "deploy")).toBe(found === undefined);
      }),
    );
  });
});

describe("a deployment for the environment", () => {
  const changes = planFunction(wanted, { ...remote, verify_jwt: false }, { ...deployed, outdated: true });
  const fieldsOf = (all: readonly FunctionChange[]): readonly string[] => all.map(({ field }) => field);

  it("is left out where it would write over drift that is to be left alone", () => {
    expect(fieldsOf(sparingDrift(changes, true))).toEqual(["spec.verifyJwt"]);
  });

  it("is made where drift is repaired, and where there is none", () => {
    expect(fieldsOf(sparingDrift(changes, false))).toEqual(["environment", "spec.verifyJwt"]);
    expect(fieldsOf(sparingDrift(planFunction(wanted, remote, { ...deployed, outdated: true }), true))).toEqual([
      "environment",
    ]);
  });
});
