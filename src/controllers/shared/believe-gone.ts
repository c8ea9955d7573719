import type { ParentSpec } from "../../resources/references.ts";
import type { Environment } from "../environment.ts";
import { ancestors } from "./ancestors.ts";
import { blocked, type DeletionTarget } from "./deletion.ts";
import { recordedOwnership } from "./ownership.ts";
import { whyUnreadable } from "./readable.ts";
import type { IdentityStatus } from "./record-identity.ts";
import { requireAbsence } from "./require-absence.ts";
import type { Run } from "./run.ts";
import { isElsewhere, type Session } from "./sessions.ts";

/**
 * That what lives in a project is gone, when the platform knows neither it nor its place: believed of the account and the platform alone that it was
 * recorded under, and while that account still reads the organization (engine.md §4). Otherwise its not being found says nothing of it, so that the deletion
 * waits, up to its bound.
 *
 * @throws as `blocked`
 */
export async function believeGone<Status extends IdentityStatus>(
  run: Run<Status>,
  { session, target, spec }: { readonly session: Session; readonly target: DeletionTarget; readonly spec: ParentSpec },
): Promise<void> {
  const why = await whyNotGone(run, { session, spec });
  if (why !== undefined) {
    await blocked(run, target, { lacksCredential: true, why: `${why}, so that it is not taken for gone` });
    return;
  }
  requireAbsence(run, target.sought, "letGo");
}

/**
 * Why it says nothing of a place that the platform does not know it by this token; undefined where nothing speaks against that it is gone.
 *
 * @throws as `whyUnreadable`
 */
export async function whyNotGone<Status extends IdentityStatus>(
  run: Run<Status>,
  { session, spec }: { readonly session: Session; readonly spec: ParentSpec },
): Promise<string | undefined> {
  const { environment, raw, status } = run;
  const recorded = recordedOwnership(raw.metadata, status.current, {
    account: undefined,
    cluster: environment.cluster,
  });
  const { connection } = status.current;
  // Where the status was lost the annotation says whose it is; where nothing does, an intent's say, the token's own access has to do.
  const known = recorded.kind === "ours" ? recorded.account : undefined;
  const account = known ?? connection?.identity ?? session.account;
  return account !== session.account || isElsewhere(connection, session)
    ? "the token belongs to another account or platform, which does not find it"
    : whyUnreadable(run, session, organizationOf(environment, run.key.namespace, spec));
}

/** The organization of the project that a child lives in, as the Project's object says; undefined where none stands for it. */
function organizationOf(environment: Environment, namespace: string, spec: ParentSpec): string | undefined {
  const project = ancestors(environment, namespace, spec).find((one) => one.kind === "Project")?.object;
  return project?.status.organization ?? project?.spec.organization;
}
