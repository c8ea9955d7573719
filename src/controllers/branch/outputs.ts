import type { Branch } from "../../api/contract/branches.ts";
import { awaited, known, type Finding, withheld } from "../outputs/looked.ts";
import { publishOutputs } from "../outputs/publish.ts";
import type { Login } from "../outputs/values.ts";
import { calling } from "../shared/failures.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { acceptableAgeMs } from "../shared/snapshot.ts";
import type { BranchContext, BranchRun } from "./context.ts";

/** User of the database of every branch, where the platform does not name it. */
const USERNAME = "postgres";

/**
 * The outputs of a branch that is up.
 *
 * @returns how the run is to end because of them; undefined: nothing is left to do
 */
export function publishBranch(
  run: BranchRun,
  context: BranchContext,
  { project_ref: ref, created_at: createdAt }: Branch,
): Promise<Error | undefined> {
  const { object, place, policies } = context;
  const { host } = run.status.current;
  const ready = run.status.condition("Ready")?.status === "True";
  return publishOutputs(run, object, {
    session: place.session,
    ref,
    createdAt,
    host: host === undefined ? awaited("the platform names no host of the database yet") : known(host),
    login: () => loginOf(run, context, ref),
    maxAgeMs: acceptableAgeMs({ lane: run.lane, driftIntervalMs: driftIntervalMs(policies), ready }),
  });
}

/** The password that the branch was made with is shown by the branch's own path, to those who may see it. */
async function loginOf(run: BranchRun, { place }: BranchContext, ref: string): Promise<Finding<Login>> {
  const { branches } = place.session.client;
  const config = await calling("read the branch", () =>
    branches.get({ branch_id_or_ref: ref }, { ...run.call, parentRef: place.projectRef }),
  );
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
