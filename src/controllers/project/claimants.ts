import type { ProjectObject } from "../environment.ts";
import { requireName } from "../shared/claims.ts";
import { inDoubtForMs } from "../shared/create-once.ts";
import { mayShareServer } from "../shared/dependents.ts";
import { isElsewhere, type Session } from "../shared/sessions.ts";
import type { ProjectRun } from "./context.ts";

/** Longest time of the create request, milliseconds. */
export const CREATE_DEADLINE_MS = 60_000;

/** The Projects that claim a ref, or have to do with an `organization/name`, on the same server as this one for all that is known. */
export function claimants(
  { environment }: Pick<ProjectRun, "environment">,
  object: ProjectObject,
  index: "ref" | "name",
  value: string,
): readonly ProjectObject[] {
  return environment.objects.projects
    .byIndex(index, value)
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
  const declaring = claimants(run, object, "name", placed).filter(
    ({ metadata, spec }) => `${spec.organization}/${spec.name ?? metadata.name}` === placed,
  );
  const asking = run.environment.objects.projects
    .byIndex("name", placed)
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
