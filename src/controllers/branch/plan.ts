import type { Branch } from "../../api/contract/branches.ts";
import type { BranchSpec } from "../../resources/branch/spec.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { PlannedChange } from "../shared/drift.ts";

/** The part of an update's body that one field asks for. */
export interface BranchPatch {
  readonly branch_name?: string;
  readonly git_branch?: string;
  readonly persistent?: boolean;
  readonly notify_url?: string;
}

/** One declared field that differs remotely. */
export type BranchChange = PlannedChange & { readonly patch: BranchPatch };

/** What a Branch declares and what there is. */
export interface BranchPlanInput {
  readonly spec: Pick<DeepReadonly<BranchSpec>, "name" | "gitBranch" | "persistent" | "notifyUrl">;
  readonly remote: Pick<Branch, "name" | "git_branch" | "persistent" | "notify_url">;
}

/** Two ways to write one address: the platform may add the slash of an empty path or lower the case of the host. */
function sameUrl(one: string, other: string | null | undefined): boolean {
  if (one === other) return true;
  if (other === null || other === undefined || !URL.canParse(one) || !URL.canParse(other)) return false;
  return new URL(one).href === new URL(other).href;
}

function change(field: string, difference: string, patch: BranchPatch): BranchChange {
  return { field, cause: "declared", difference, patch };
}

/**
 * The declared fields that differ, each with the part of the request that it makes. Pure; what is not declared is not compared (engine.md §6), and
 * metadata.name is only what a branch is created with.
 */
export function planBranch({ spec, remote }: BranchPlanInput): readonly BranchChange[] {
  const { name, gitBranch, persistent, notifyUrl } = spec;
  const changes: BranchChange[] = [];
  if (name !== undefined && remote.name !== name) {
    changes.push(change("spec.name", `${remote.name} ${name}`, { branch_name: name }));
  }
  if (gitBranch !== undefined && remote.git_branch !== gitBranch) {
    changes.push(change("spec.gitBranch", `${remote.git_branch ?? ""} ${gitBranch}`, { git_branch: gitBranch }));
  }
  if (persistent !== undefined && remote.persistent !== persistent) {
    changes.push(change("spec.persistent", String(persistent), { persistent }));
  }
  if (notifyUrl !== undefined && !sameUrl(notifyUrl, remote.notify_url)) {
    changes.push(change("spec.notifyUrl", `${remote.notify_url ?? ""} ${notifyUrl}`, { notify_url: notifyUrl }));
  }
  return changes;
}
