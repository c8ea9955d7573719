import { durationMs, formatDuration } from "../../resources/duration.ts";
import type { DeletionPolicy, DriftPolicy, ManagementPolicy, PolicyOrigin } from "../../resources/policies.ts";
import type { Result } from "../../runtime/outcome.ts";
import { sameJson } from "./merge-patch.ts";

/** The policies that object, connection and operator may set, in that order (engine.md §6). */
export interface InheritablePolicies {
  readonly driftPolicy?: DriftPolicy | undefined;
  readonly managementPolicy?: ManagementPolicy | undefined;
  /** a duration as people write it */
  readonly driftInterval?: string | undefined;
}

export interface Effective<T extends string = string> {
  readonly value: T;
  readonly origin: PolicyOrigin;
}

export interface EffectivePolicies {
  readonly driftPolicy: Effective<DriftPolicy>;
  readonly managementPolicy: Effective<ManagementPolicy>;
  readonly driftInterval: Effective;
  readonly deletionPolicy: Effective<DeletionPolicy>;
}

const INHERITABLE = ["driftPolicy", "managementPolicy", "driftInterval"] as const;

/** What an object says of its policies, and what its status does. */
interface PolicyHolder {
  readonly spec: InheritablePolicies;
  readonly status: {
    readonly effective?: { readonly [Name in (typeof INHERITABLE)[number]]?: object | undefined } | undefined;
  };
}

/** What holds where nobody set anything. */
const BUILT_IN = {
  driftPolicy: "Correct",
  managementPolicy: "Manage",
  driftInterval: formatDuration(600_000),
} as const;

interface PolicySources {
  readonly object: InheritablePolicies;
  readonly connection: InheritablePolicies | undefined;
  readonly operator: InheritablePolicies;
  /** what the kind's spec says, its default included */
  readonly deletionPolicy: DeletionPolicy;
}

function pick<Name extends keyof InheritablePolicies>(
  name: Name,
  { object, connection, operator }: PolicySources,
): Effective<NonNullable<InheritablePolicies[Name]>> {
  const ordered: readonly (readonly [InheritablePolicies | undefined, PolicyOrigin])[] = [
    [object, "Object"],
    [connection, "Connection"],
    [operator, "Operator"],
    [BUILT_IN, "Default"],
  ];
  for (const [source, origin] of ordered) {
    const value = source?.[name];
    if (value !== undefined) return { value, origin };
  }
  throw new TypeError(`policy ${name} has no default`);
}

/** Which policies hold for an object, and where each came from. */
export function effectivePolicies(sources: PolicySources): EffectivePolicies {
  return {
    driftPolicy: pick("driftPolicy", sources),
    managementPolicy: pick("managementPolicy", sources),
    driftInterval: pick("driftInterval", sources),
    deletionPolicy: { value: sources.deletionPolicy, origin: "Object" },
  };
}

/** Milliseconds between two drift checks; undefined where drift is ignored. */
export function driftIntervalMs(policies: EffectivePolicies): number | undefined {
  return policies.driftPolicy.value === "Ignore" ? undefined : durationMs(policies.driftInterval.value);
}

/** The policies of an object as its run finds them: its own, its connection's, the operator's. */
export function policiesOf(
  { operatorPolicies: operator }: { readonly operatorPolicies: InheritablePolicies },
  { defaults: connection }: { readonly defaults: InheritablePolicies | undefined },
  spec: InheritablePolicies & { readonly deletionPolicy: DeletionPolicy },
): EffectivePolicies {
  return effectivePolicies({ object: spec, connection, operator, deletionPolicy: spec.deletionPolicy });
}

/** Whether other policies are in effect for an object than it was looked at under last: its connection has changed them. */
export function policiesChanged(
  operator: Parameters<typeof policiesOf>[0],
  connection: Parameters<typeof policiesOf>[1],
  { spec, status: { effective } }: PolicyHolder,
): boolean {
  if (effective === undefined) return false;
  const now = policiesOf(operator, connection, { ...spec, deletionPolicy: "Retain" });
  return INHERITABLE.some((name) => !sameJson(now[name], effective[name]));
}

/** When an object at rest is looked at again; never by itself where drift is ignored. */
export function nextDriftCheck(policies: EffectivePolicies): Result {
  const interval = driftIntervalMs(policies);
  return interval === undefined ? {} : { requeueAfterMs: interval, lane: "drift" };
}
