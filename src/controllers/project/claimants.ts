import type { ProjectObject } from "../environment.ts";
import { NAME_INDEX, REF_INDEX } from "../indexes.ts";
import { type Claimant, requireName } from "../shared/claims.ts";
import { inDoubtForMs } from "../shared/create-once.ts";
import { mayShareServer } from "../shared/dependents.ts";
import { isElsewhere, type Session } from "../shared/sessions.ts";
import type { ProjectRun } from "./context.ts";

/** Longest time of the create request, milliseconds. */
export const CREATE_DEADLINE_MS = 60_000;

/** The Projects that claim a ref on the same server as this one, for all that is known. */
export function claimants(
  { environment }: Pick<ProjectRun, "environment">,
  object: ProjectObject,
  ref: string,
): readonly Claimant[] {
  return environment.objects.projects
    .recordsByIndex(REF_INDEX, ref)
    .filter((candidate) => candidate === object || mayShareServer(environment, object, candidate));
}

/** The Projects that declare an `organization/name` on the same server as this one, for all that is known. */
function declaringName({ environment }: ProjectRun, object: ProjectObject, placed: string): readonly ProjectObject[] {
  return environment.objects.projects
    .byIndex(NAME_INDEX, placed)
    .filter(({ metadata, spec }) => `${spec.organization}/${spec.name ?? metadata.name}` === placed)
    .filter((candidate) => candidate === object || mayShareServer(environment, object, candidate));
}

/**
 * No other Project declares that name before this one, nor may have made something of it. What was asked for lies where it was asked, whatever
 * became of the connection since; where that is not known it may be here.
 *
 * @throws TerminalError Conflict; WaitingError ConfirmingAbsence: another one asked for it and got no answer
 */
export function requireProjectName(run: ProjectRun, object: ProjectObject, session: Session, name: string): void {
  const { organization } = object.spec;
  const placed = `${organization}/${name}`;
  const declaring = declaringName(run, object, placed);
  const asking = run.environment.objects.projects
    .recordsByIndex(NAME_INDEX, placed)
    .filter(({ status }) => !isElsewhere(status.connection, session));
  const nowMs = session.client.serverNow() ?? run.environment.clock.now();
  requireName(
    object,
    { declaring, asking },
    {
      name: placed,
      thing: `project ${name} of ${organization}`,
      isInDoubt: (intent) => inDoubtForMs(intent, CREATE_DEADLINE_MS, nowMs) > 0,
    },
  );
}
