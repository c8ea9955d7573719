import { formatOwnership } from "../../resources/annotations.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import type { RequestRecord, RequestState } from "../../resources/requests.ts";
import { requireConnectionGuard } from "./connection-guard.ts";
import { objectNameOf } from "./ownership.ts";
import type { Run } from "./run.ts";
import { type ConnectionInUse, connectionInUse, type Session } from "./sessions.ts";
import type { CommonStatus } from "./status-draft.ts";

/** What every status says of identity, and of requests where something can be asked of the kind. */
export interface IdentityStatus extends CommonStatus {
  readonly ref?: string | undefined;
  readonly recordedFor?: string | undefined;
  readonly connection?: ConnectionInUse | undefined;
  readonly effective?:
    | { readonly managementPolicy?: { readonly value: string; readonly origin: string } | undefined }
    | undefined;
  readonly requests?: readonly DeepReadonly<RequestRecord>[] | undefined;
}

/** Which remote thing an object has. */
interface Identity<Status> {
  /** ref of the project or branch */
  readonly ref: string;
  /** id of the thing inside it, where it has no ref of its own */
  readonly id?: string;
  /** what the status says from the same moment on: that no request is in doubt any more, say */
  readonly noting?: Partial<Status>;
}

/**
 * Records which remote thing an object has: in the status, which is believed by itself and says in the same write what else that settles, and then
 * as annotation, which outlives a lost status (engine.md §4), in one patch with our finalizer where both are due. Does nothing where both say so
 * already. Nothing that was told of another thing which the object had before is told of this one. What is managed has our finalizer from then on,
 * also where somebody took it away (`kubectl replace`) and where nothing is due to be written: its deletion would leave the remote thing behind in
 * silence. For the same reason its connection has one before anything new is recorded, also where nothing was created (adoption).
 *
 * @throws WaitingError ConnectionNotReady until the connection is marked as in use
 */
export async function recordIdentity<Status extends IdentityStatus>(
  run: Run<Status>,
  session: Session,
  { ref, id, noting }: Identity<Status>,
): Promise<void> {
  const { environment, raw, status } = run;
  const { uid } = raw.metadata;
  const managed = status.current.effective?.managementPolicy?.value === "Manage";
  const known = status.current.ref === ref && status.current.recordedFor === uid;
  if (managed && !known) await run.protect();
  const text = formatOwnership({
    ref,
    ...(id === undefined ? {} : { id }),
    identity: session.account,
    object: objectNameOf(raw.metadata),
    cluster: environment.cluster,
  });
  const unrecorded = run.recorded !== text;
  if (unrecorded && managed && raw.metadata.deletionTimestamp === undefined) requireConnectionGuard(run, session);
  identify(run, session, ref);
  if (noting !== undefined) status.update(noting);
  if (!known) await run.writeStatus();
  await run.record(text, { managed });
}

/** Has the status say which remote thing the object has, whoever writes that; nothing that was known of another one is known of this one. */
export function identify<Status extends IdentityStatus>(run: Run<Status>, session: Session, ref: string): void {
  const { raw, status } = run;
  if (status.current.ref !== undefined && status.current.ref !== ref) forgetReplaced(run);
  status.identified({ ref, recordedFor: raw.metadata.uid, connection: connectionInUse(session) });
}

/**
 * What the object had before is gone, and this is another one: what is remembered of that one, in the status or in memory, would keep from this one what
 * is declared, and have its lack taken for drift that somebody made.
 */
function forgetReplaced<Status extends IdentityStatus>(run: Run<Status>): void {
  const { environment, raw, status } = run;
  const { uid } = raw.metadata;
  environment.convergence.forget(uid);
  status.replaced();
  const { requests } = status.current;
  if (requests !== undefined) status.asked({ requests: requests.map(endedByLoss), requestsFor: uid });
}

/** A request was meant for what it was asked of: it is not carried out on anything else, and what came of it nobody can see any more. */
function endedByLoss(record: DeepReadonly<RequestRecord>): DeepReadonly<RequestRecord> {
  const gone = "what it was asked of is gone, and there is another one in its place";
  switch (record.state) {
    case "Waiting" satisfies RequestState:
      return {
        ...record,
        state: "Refused" satisfies RequestState,
        message: `nothing was sent: ${gone}; another id asks again`,
      };
    case "Sending" satisfies RequestState:
    case "Running" satisfies RequestState:
      // Its action run outlives what it is of, and tells by its id.
      if (record.run !== undefined) return record;
      return { ...record, state: "Unknown" satisfies RequestState, message: `nothing tells what came of it: ${gone}` };
    default:
      return record;
  }
}
