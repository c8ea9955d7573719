import type { ProjectDetail } from "../../api/contract/projects.ts";
import type { UpgradeEligibility } from "../../api/contract/upgrades.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { ProjectSpec } from "../../resources/project/spec.ts";
import type { Difference } from "../shared/convergence.ts";

/** What follows from a declared version of the database. Pure. */

type UpgradeSpec = Pick<DeepReadonly<ProjectSpec>, "database">;

/** The leading number of an engine: 17 of `17-oriole`. */
function majorOf(engine: string): number {
  return Number.parseInt(engine, 10);
}

/** How the declared version relates to the one that there is; undefined where none is declared, or the platform does not tell. */
export function versionStep(
  { database }: UpgradeSpec,
  { database: remote }: Pick<ProjectDetail, "database">,
): { readonly kind: "same" | "lower" | "other"; readonly from: string; readonly to: string } | undefined {
  const to = database?.version;
  const from = remote?.postgres_engine;
  if (to === undefined || from === undefined) return undefined;
  if (from === to) return { kind: "same", from, to };
  return { kind: majorOf(to) < majorOf(from) ? "lower" : "other", from, to };
}

/** The version as a difference that is only observed. */
export function versionDifference(spec: UpgradeSpec, remote: Pick<ProjectDetail, "database">): readonly Difference[] {
  const step = versionStep(spec, remote);
  if (step === undefined || step.kind === "same") return [];
  return [{ field: "spec.database.version", difference: `${step.from} ${step.to}` }];
}

/**
 * What stands in the way of an upgrade, each in one text. What the upgrade would drop is among it: whether that may go is for people to say, by dropping
 * it themselves.
 */
export function blockersOf(eligibility: UpgradeEligibility, to: string): readonly string[] {
  const errors = eligibility.validation_errors.map(({ type, dependents = [] }) => named(type, dependents));
  const objects = [
    ...named1("unsupported extensions", eligibility.unsupported_extensions),
    ...named1("objects in internal schemas", eligibility.user_defined_objects_in_internal_schemas),
    ...named1("would be dropped", eligibility.objects_to_be_dropped),
  ];
  const offered = eligibility.target_upgrade_versions.map(({ postgres_version: version }) => version);
  const unoffered = offered.includes(to)
    ? []
    : [
        `the platform offers no upgrade to ${to}${offered.length === 0 ? "" : `, only to ${unique(offered).join(", ")}`}`,
      ];
  const all = [...errors, ...objects, ...unoffered];
  return all.length === 0 && !eligibility.eligible ? ["the platform does not say why"] : all;
}

function named(what: string, names: readonly string[]): string {
  return names.length === 0 ? what : `${what}: ${names.join(", ")}`;
}

function named1(what: string, names: readonly string[]): readonly string[] {
  return names.length === 0 ? [] : [named(what, names)];
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

/** What the platform says of an upgrade that it would carry out all the same. */
export function warningsOf({ warnings, legacy_auth_custom_roles: roles }: UpgradeEligibility): readonly string[] {
  return [...warnings.map(({ type }) => type), ...named1("custom roles with legacy passwords", roles)];
}
