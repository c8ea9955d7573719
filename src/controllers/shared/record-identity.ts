import { annotations, formatOwnership } from "../../resources/annotations.ts";
import { requireConnectionGuard } from "./connection-guard.ts";
import { objectNameOf } from "./ownership.ts";
import { FIELD_MANAGER } from "./finalizers.ts";
import type { Run } from "./run.ts";
import { type ConnectionInUse, connectionInUse, type Session } from "./sessions.ts";
import type { CommonStatus } from "./status-draft.ts";

/** What every status says of identity. */
export interface IdentityStatus extends CommonStatus {
  readonly ref?: string | undefined;
  readonly recordedFor?: string | undefined;
  readonly connection?: ConnectionInUse | undefined;
  readonly effective?:
    | { readonly managementPolicy?: { readonly value: string; readonly origin: string } | undefined }
    | undefined;
}

/**
 * Records which remote thing an object has: as annotation at once, which outlives a lost status, and in the status (engine.md §4). Does
 * nothing where both say so already. What is managed has our finalizer from then on, also where somebody took it away (`kubectl replace`)
 * and where nothing is due to be written: its deletion would leave the remote thing behind in silence. For the same reason its connection has one
 * before anything new is recorded, also where nothing was created (adoption).
 *
 * @param identity.ref of the project or branch; @param identity.id of the thing inside it, where it has no ref of its own
 * @throws WaitingError ConnectionNotReady until the connection is marked as in use
 */
export async function recordIdentity<Status extends IdentityStatus>(
  run: Run<Status>,
  session: Session,
  { ref, id }: { readonly ref: string; readonly id?: string },
): Promise<void> {
  const { environment, raw, key, type, signal } = run;
  const managed = run.status.current.effective?.managementPolicy?.value === "Manage";
  if (managed) await run.protect();
  const text = formatOwnership({
    ref,
    ...(id === undefined ? {} : { id }),
    identity: session.account,
    object: objectNameOf(raw.metadata),
    cluster: environment.cluster,
  });
  const { uid } = raw.metadata;
  if (raw.metadata.annotations?.[annotations.ref] !== text) {
    if (managed && raw.metadata.deletionTimestamp === undefined) requireConnectionGuard(run, session);
    const patch = { metadata: { uid, annotations: { [annotations.ref]: text } } };
    await environment.kube.patchMerge(type, key, patch, { fieldManager: FIELD_MANAGER, signal });
  }
  run.status.identified({ ref, recordedFor: uid, connection: connectionInUse(session) });
}
