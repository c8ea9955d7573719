import type { Branch } from "../../api/contract/branches.ts";
import { awaited, known, type Finding, withheld } from "../outputs/looked.ts";
import { publishOutputs } from "../outputs/publish.ts";
import type { Login } from "../outputs/values.ts";
import { calling } from "../shared/failures.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import type { BranchContext, BranchRun } from "./context.ts";

/** User of the database of every branch, where the platform does not name it. */
const USERNAME = "postgres";

/** A branch as it is now. */
interface FoundBranch {
  readonly remote: Branch;
  /** it is known to be well */
  readonly isWell: boolean;
}

/**
 * The outputs of a branch that is up, well or not.
 *
 * @returns how the run is to end because of them; undefined: nothing is left to do
 */
export function publishBranch(
  run: BranchRun,
  context: BranchContext,
  { remote: { project_ref: ref, created_at: createdAt }, isWell }: FoundBranch,
): Promise<Error | undefined> {
  const { object, place, policies } = context;
  const { host } = run.status.current;
  return publishOutputs(run, object, {
    session: place.session,
    ref,
    createdAt,
    host: host === undefined ? awaited("the platform names no host of the database yet") : known(host),
    login: ({ maxAgeMs }) => loginOf(run, context, { ref, maxAgeMs }),
    driftIntervalMs: driftIntervalMs(policies),
    isUnwell: !isWell,
  });
}

/** The password that the branch was made with is shown by the branch's own path, to those who may see it. */
async function loginOf(
  run: BranchRun,
  { place: { session, projectRef: parentRef } }: BranchContext,
  { ref, maxAgeMs }: { readonly ref: string; readonly maxAgeMs: number },
): Promise<Finding<Login>> {
  const shared = run.environment.snapshots.branchConfig(session.client, { ref, parentRef });
  const config = await calling("read the branch", () => shared.get(maxAgeMs, run.call));
  const { db_port: port, db_user: user, db_pass: pass } = config;
  const password =
    typeof pass === "string" && pass !== ""
      ? known(pass)
      : withheld(
          "PasswordUnknown",
          "the platform does not show the password: the token may not see it, or it was changed since the branch was made",
        );
  return known({ port, username: user ?? USERNAME, password });
}
