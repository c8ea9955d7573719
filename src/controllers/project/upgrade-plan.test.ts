import { describe, expect, test } from "vitest";
import type { UpgradeEligibility } from "../../api/contract/upgrades.ts";
import { blockersOf, versionDifference, versionStep, warningsOf } from "./upgrade-plan.ts";

const fine: UpgradeEligibility = {
  eligible: true,
  current_app_version: "15.8.1.085",
  current_app_version_release_channel: "ga",
  latest_app_version: "17.6.1.054",
  target_upgrade_versions: [
    { postgres_version: "15", release_channel: "ga", app_version: "15.8.1.121" },
    { postgres_version: "17", release_channel: "ga", app_version: "17.6.1.054" },
  ],
  duration_estimate_hours: 1,
  legacy_auth_custom_roles: [],
  objects_to_be_dropped: [],
  unsupported_extensions: [],
  user_defined_objects_in_internal_schemas: [],
  validation_errors: [],
  warnings: [],
};

const remote = (engine: string | undefined) => ({
  database:
    engine === undefined ? undefined : { host: "h", version: "v", postgres_engine: engine, release_channel: "ga" },
});

describe("a declared version", () => {
  test.each([
    { declared: undefined, there: "15", kind: undefined, why: "none is declared" },
    { declared: "17", there: undefined, kind: undefined, why: "the platform does not tell" },
    { declared: "17", there: "17", kind: "same", why: "it is there" },
    { declared: "17", there: "15", kind: "other", why: "it is newer" },
    { declared: "17", there: "13", kind: "other", why: "it is newer than what nobody can declare any more" },
    { declared: "15", there: "17", kind: "lower", why: "it is older" },
    { declared: "15", there: "17-oriole", kind: "lower", why: "it is older than another engine" },
    { declared: "17-oriole", there: "17", kind: "other", why: "another engine, which the platform may offer or not" },
  ] as const)("$why", ({ declared, there, kind }) => {
    const spec = { database: declared === undefined ? {} : { version: declared } };
    expect(versionStep(spec, remote(there))?.kind).toBe(kind);
    const differs = kind === "other" || kind === "lower";
    expect(versionDifference(spec, remote(there)).map(({ field }) => field)).toEqual(
      differs ? ["spec.database.version"] : [],
    );
  });
});

describe("what stands in the way of an upgrade", () => {
  test.each([
    { change: {}, blockers: [], why: "nothing" },
    {
      change: { eligible: false, validation_errors: [{ type: "active_replication_slot", dependents: ["a", "b"] }] },
      blockers: ["active_replication_slot: a, b"],
      why: "an error, with what depends on it",
    },
    {
      change: {
        eligible: false,
        unsupported_extensions: ["plv8"],
        user_defined_objects_in_internal_schemas: ["auth.x"],
      },
      blockers: ["unsupported extensions: plv8", "objects in internal schemas: auth.x"],
      why: "what the new version has not",
    },
    {
      change: { objects_to_be_dropped: ["public.old"] },
      blockers: ["would be dropped: public.old"],
      why: "what it would drop, though the platform would go on",
    },
    {
      change: { target_upgrade_versions: fine.target_upgrade_versions.slice(0, 1) },
      blockers: ["the platform offers no upgrade to 17, only to 15"],
      why: "another version is all that is offered",
    },
    { change: { eligible: false }, blockers: ["the platform does not say why"], why: "the platform alone knows" },
  ])("$why", ({ change, blockers }) => {
    expect(blockersOf({ ...fine, ...change }, "17")).toEqual(blockers);
  });

  test("is told apart from what is only warned of", () => {
    const warned = { ...fine, warnings: [{ type: "slow" }], legacy_auth_custom_roles: ["r"] };
    expect(blockersOf(warned, "17")).toEqual([]);
    expect(warningsOf(warned)).toEqual(["slow", "custom roles with legacy passwords: r"]);
  });
});
