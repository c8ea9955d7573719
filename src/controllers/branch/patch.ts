import type { Branch } from "../../api/contract/branches.ts";
import { calling } from "../shared/failures.ts";
import type { BranchRun } from "./context.ts";
import { type BranchesOf, forgetList, noteBranch } from "./observe.ts";
import type { BranchPatch } from "./plan.ts";

interface Patch {
  readonly branch: Branch;
  readonly body: BranchPatch;
  /** begins the message of a failure, as "update the branch" */
  readonly doing: string;
  /** paths in the spec that ask for it; default: none does */
  readonly fields?: readonly string[];
}

/** Changes a branch by exactly the fields of the body. @returns it as it is after that */
export async function patchBranch(
  run: BranchRun,
  of: BranchesOf,
  { branch, body, doing, fields }: Patch,
): Promise<Branch> {
  const options = { ...run.call, parentRef: of.projectRef };
  try {
    const { branches } = of.session.client;
    const input = { branch_id_or_ref: branch.project_ref, body };
    const answer = await calling(doing, () => branches.update(input, options), fields);
    // What the answer leaves out (facts.md §3) is as it was.
    const written = { ...branch, ...answer };
    noteBranch(run, of, written);
    return written;
  } catch (error) {
    forgetList(run, of); // it may have been changed, or be gone
    throw error;
  }
}
