import { annotations } from "../../resources/annotations.ts";
import type { Reason } from "../../resources/conditions.ts";
import { terminal } from "../shared/failures.ts";
import { FINAL_ABSENCE_MS } from "../shared/absences.ts";
import { standstill } from "../shared/parents.ts";
import { whyUnreadable } from "../shared/readable.ts";
import { requireAbsence } from "../shared/require-absence.ts";
import { isElsewhere, type Session } from "../shared/sessions.ts";
import type { ProjectContext, ProjectRun } from "./context.ts";
import { refuseProjectRequests } from "./requests.ts";

/** How often a project that is gone is looked for all the same, milliseconds: a mistaken 404 must heal. */
const RECHECK_MS = 300_000;

/**
 * What it means that a recorded project answers 404. It is never made again by itself; and missing is believed only while the same account
 * still reads the organization (engine.md §4), and of two looks. What was asked of it, and of its branches, goes on until
 * it has been missing for a minute.
 *
 * @returns the failure to end the run with
 * @throws the failure to read the organization, where that says nothing of the access; as `requireAbsence`
 */
export async function missingProject(
  run: ProjectRun,
  { object, session }: Pick<ProjectContext, "object" | "session">,
  ref: string,
): Promise<unknown> {
  const organization = run.status.current.organization ?? object.spec.organization;
  if ((await whyUnreadable(run, session, organization)) !== undefined) {
    return terminal(
      "CredentialChanged",
      `the project ${ref} and its organization ${organization} cannot be read any more: the token has lost access, and the project is not taken for missing`,
      { recheckAfterMs: RECHECK_MS },
    );
  }
  const leftMs = FINAL_ABSENCE_MS - requireAbsence(run, { kind: "project", ref }, isTold(run) ? "tell" : "end");
  if (leftMs <= 0) {
    await refuseProjectRequests(run, session, "the project does not exist any more");
    // This tells its branches, too, that it is gone for good.
    run.status.update({ state: undefined, services: undefined, underway: undefined });
  }
  return terminal(
    "RemoteMissing",
    `the project ${ref} does not exist any more and is not made again by itself: delete this object, ` +
      `or annotate it ${annotations.recreate}: ${ref} to have a new, empty project created`,
    { recheckAfterMs: leftMs > 0 ? leftMs : RECHECK_MS },
  );
}

/**
 * Whether the status can say that the project is missing and not yet for good: it is told so by its state, which is not known where the status was lost, or
 * the project was just made.
 */
function isTold({ status }: ProjectRun): boolean {
  const { state, conditions } = status.current;
  return state !== undefined || standstill(conditions) === ("RemoteMissing" satisfies Reason);
}

/**
 * Stops where the connection reaches another platform than the one that the object's project is on: there it neither exists nor is missing, and
 * nothing is made in its place.
 *
 * @param what the project, for people
 * @throws TerminalError CredentialChanged
 */
export function requireSamePlatform({ status }: ProjectRun, session: Session, what: string): void {
  const { connection } = status.current;
  if (!isElsewhere(connection, session)) return;
  throw terminal(
    "CredentialChanged",
    `${what} is on ${connection?.server ?? ""}, and the ${session.kind} ${session.name} names ${session.server} now: ` +
      "name the platform that has the project, or use another object for one on the new platform",
  );
}
