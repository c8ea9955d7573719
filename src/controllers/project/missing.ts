import { annotations } from "../../resources/annotations.ts";
import { isApiError } from "../../api/errors.ts";
import { explain, terminal } from "../shared/failures.ts";
import type { Session } from "../shared/sessions.ts";
import type { ProjectRun } from "./context.ts";

/** How often a project that is gone is looked for all the same, milliseconds: a mistaken 404 must heal. */
const RECHECK_MS = 300_000;

/**
 * What it means that a recorded project answers 404. It is never made again by itself; and missing is believed only while the same account
 * still reads the organization (engine.md §4).
 *
 * @returns the failure to end the run with
 */
export async function missingProject(run: ProjectRun, session: Session, ref: string): Promise<unknown> {
  const organization = run.status.current.organization;
  try {
    if (organization !== undefined) await session.client.organizations.get({ slug: organization }, run.call);
  } catch (error) {
    if (!isApiError(error, "GONE", "FORBIDDEN")) return explain(error, "read the organization");
    return terminal(
      "CredentialChanged",
      `the project ${ref} and its organization ${organization ?? ""} cannot be read any more: the token has lost access, and the project is not taken for missing`,
      { recheckAfterMs: RECHECK_MS },
    );
  }
  run.status.update({ state: undefined, services: undefined, underway: undefined });
  return terminal(
    "RemoteMissing",
    `the project ${ref} does not exist any more and is not made again by itself: delete this object, ` +
      `or annotate it ${annotations.recreate}: ${ref} to have a new, empty project created`,
    { recheckAfterMs: RECHECK_MS },
  );
}
