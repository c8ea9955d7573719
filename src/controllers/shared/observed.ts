import type { ManagementPolicy } from "../../resources/policies.ts";
import type { InheritablePolicies } from "./policies.ts";

/** What tells, when an object is deleted, whether it only observed. */
export interface ObservedInput {
  /** what the spec says now; undefined: inherited */
  readonly declared: ManagementPolicy | undefined;
  /** what was in effect at the last look, and where it was set */
  readonly effective: { readonly value: string; readonly origin: string } | undefined;
  /** what the connection says now, as far as that is known */
  readonly connection: InheritablePolicies | undefined;
  readonly operator: InheritablePolicies;
}

/**
 * Whether nothing remote may be deleted because the object only observes (engine.md §6). The spec's own word counts as it is now: the last look
 * may be older than it, and while an object is paused there is none. Of an inherited policy both what held at the last look and what would
 * hold now are asked, and each can keep the remote thing: keeping is what can be undone. Pure.
 */
export function onlyObserved({ declared, effective, connection, operator }: ObservedInput): boolean {
  if (declared !== undefined) return declared === "Observe";
  const held = effective?.value === "Observe" && effective.origin !== "Object";
  return held || (connection?.managementPolicy ?? operator.managementPolicy) === "Observe";
}
