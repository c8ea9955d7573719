import type { Branch } from "../../api/contract/branches.ts";
import type { BranchObject } from "../environment.ts";
import { sectionsOf } from "../sections/refused-sections.ts";
import type { SectionsEnd } from "../sections/sum.ts";
import { terminal } from "../shared/failures.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { platformNow } from "./expiry.ts";
import { refuseRequests } from "./requests.ts";

/**
 * A Branch that adopted the default branch of its project. That has the project's own ref: its settings and what is done to it are the project's, which
 * has one owner, its Project. They are refused also where no object is that, so that none becomes a second one by being made later.
 */

/** Writes no section, and says where to declare what is declared here. @param dueInMs when all else of the branch is looked at again, milliseconds */
export function leaveToProject(run: BranchRun, object: BranchObject, dueInMs: number | undefined): SectionsEnd {
  run.status.sections(undefined);
  run.check.begin(); // it has no sections that would: its output alone is looked at
  const all = sectionsOf(object).filter((one) => one.declared(object.spec) !== undefined);
  const declared = all.map(({ name }) => `spec.${name}`);
  if (declared.length === 0) return { error: undefined, dueInMs };
  const message =
    `the default branch of a project is the project itself, and nothing of ${declared.join(", ")} is written for it: ` +
    "declare that on the Project, and remove it here";
  return { error: terminal("InvalidSpec", message), dueInMs };
}

/** Sends nothing of what annotations ask for. @returns the branch, which is as it was */
export async function refuseOfDefault(run: BranchRun, context: BranchContext, remote: Branch): Promise<Branch> {
  const why = "the default branch of a project is the project itself: ask the Project";
  await refuseRequests(run, () => platformNow(run, context), why);
  return remote;
}
