import type { BranchSpec } from "../../resources/branch/spec.ts";
import type { BranchStatus } from "../../resources/branch/status.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { DeletionPolicy } from "../../resources/policies.ts";
import type { Effective } from "./policies.ts";

/**
 * What becomes of a branch, and so of what lives in it, when its object is deleted (engine.md §5): kept by default when it is persistent, by
 * the spec or as the platform last said, since somebody meant it to last. The default branch stands for the project itself and goes only with
 * it (facts.md §6.6), whatever the spec says.
 */
export function branchDeletionPolicy(
  { deletionPolicy, persistent }: Pick<DeepReadonly<BranchSpec>, "deletionPolicy" | "persistent">,
  status: Pick<DeepReadonly<BranchStatus>, "isDefault" | "persistent">,
): Effective<DeletionPolicy> {
  if (status.isDefault === true) return { value: "Retain", origin: "Default" };
  if (deletionPolicy !== undefined) return { value: deletionPolicy, origin: "Object" };
  const lasts = persistent === true || status.persistent === true;
  return { value: lasts ? "Retain" : "Delete", origin: "Default" };
}
