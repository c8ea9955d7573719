import type { ProjectObject } from "../environment.ts";
import { NAME_INDEX, REF_INDEX } from "../indexes.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { type Asker, type Claimant, requireName } from "../shared/claims.ts";
import { allowsRef, sessionFor } from "../shared/connection-lookup.ts";
import { inDoubtForMs } from "../shared/create-once.ts";
import { mayShareServer } from "../shared/dependents.ts";
import type { KnownObject } from "../shared/object-store.ts";
import { isElsewhere, type Session } from "../shared/sessions.ts";
import type { ProjectRun } from "./context.ts";

/** Longest time of the create request, milliseconds. */
export const CREATE_DEADLINE_MS = 60_000;

type KnownProject = KnownObject<ProjectObject["spec"], ProjectObject["status"]>;

/** `organization/name` as a Project declares it; of one that cannot be read, what the platform told of what is recorded for it, if it did. */
export function placedName({ metadata, spec, status }: Omit<KnownProject, "kind">): string | undefined {
  if (spec !== undefined) return `${spec.organization}/${spec.name ?? metadata.name}`;
  const { organization, name, recordedFor } = status;
  const isTold = organization !== undefined && name !== undefined && recordedFor === metadata.uid;
  return isTold ? `${organization}/${name}` : undefined;
}

/**
 * The Project itself, and the others that claim a ref on the same server for all that is known; who has another one merely asks for it.
 *
 * @param here where the Project acts now; what it has may be recorded elsewhere
 */
export function claimants(
  { environment }: Pick<ProjectRun, "environment">,
  object: ProjectObject,
  { ref, here = object.status.connection?.server }: { readonly ref: string; readonly here?: string | undefined },
): readonly Claimant[] {
  const others = environment.objects.projects
    .recordsByIndex(REF_INDEX, ref)
    .filter(({ metadata }) => metadata.uid !== object.metadata.uid)
    .filter((candidate) => mayShareServer(environment, { object, here }, candidate));
  return [object, ...others].map(({ kind, metadata, spec, status, unread }) => {
    // What is recorded nobody knows where is no nearer than what is recorded elsewhere.
    const isHere = here === undefined || status.connection?.server === here;
    const isIdle = spec === undefined || unread !== undefined || !isHere;
    return { kind, metadata, status: { recordedFor: status.ref === ref ? status.recordedFor : undefined }, isIdle };
  });
}

/**
 * As `claimants`, without those that ask for the ref and certainly cannot have it: what their connection, or the organization that they declare, rules out
 * holds up nobody who may. Who has it on record, is under deletion, or cannot be judged now counts. For taking a project over alone: what a deletion, and who
 * has one, goes by is `claimants`.
 */
export function takersOf(
  run: Pick<ProjectRun, "environment">,
  object: ProjectObject,
  claimed: { readonly ref: string; readonly here: string },
): readonly Claimant[] {
  const { projects } = run.environment.objects;
  return claimants(run, object, claimed).filter(({ metadata, status: { recordedFor } }) => {
    if (metadata.uid === object.metadata.uid || recordedFor === metadata.uid) return true;
    const other = projects.get(metadata.namespace ?? "", metadata.name);
    return other?.metadata.uid !== metadata.uid || !isRuledOut(run, other, { ...claimed, taker: object });
  });
}

function isRuledOut(
  { environment }: Pick<ProjectRun, "environment">,
  { metadata, spec, unread }: ProjectObject,
  { ref, taker }: { readonly ref: string; readonly taker: ProjectObject },
): boolean {
  if (unread !== undefined || metadata.deletionTimestamp !== undefined) return false;
  if (spec.organization !== taker.spec.organization) return true;
  try {
    const { connectionRef } = spec;
    return !allowsRef(sessionFor(environment, { namespace: metadata.namespace ?? "", connectionRef }), ref);
  } catch (error) {
    return error instanceof TerminalError; // else its connection does not work now, and may by the next look
  }
}

/** The Projects that declare an `organization/name` on the same server as this one, for all that is known, or cannot be read and have it. */
function declaringName(
  { environment }: ProjectRun,
  object: ProjectObject,
  { placed, here }: { readonly placed: string; readonly here: string },
): readonly Asker[] {
  return environment.objects.projects
    .recordsByIndex(NAME_INDEX, placed)
    .filter((candidate) => placedName(candidate) === placed)
    .filter((candidate) => candidate === object || mayShareServer(environment, { object, here }, candidate));
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
  const declaring = declaringName(run, object, { placed, here: session.server });
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
