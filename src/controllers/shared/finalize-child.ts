import type { ParentSpec } from "../../resources/references.ts";
import { parentVerdict } from "./child-deletion.ts";
import type { RecordedPlace } from "./child-identity.ts";
import { deleteRemotely, type DeletionTarget, observesOnly } from "./deletion.ts";
import type { IdentityStatus } from "./record-identity.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";
import { nameOf, type Sought } from "./sought.ts";

/** The fields of a child under deletion by which its remote thing is kept or deleted. */
interface FinalizedChild {
  readonly spec: ParentSpec &
    Parameters<typeof observesOnly>[1] &
    Pick<DeletionTarget, "connectionRef"> & {
      readonly deletionPolicy: "Retain" | "Delete";
      readonly deletionTimeout: string;
    };
}

/** The remote thing of a child: the place that it lies in, and how a person is told that it stays. */
interface RemoteOfChild {
  readonly place: RecordedPlace;
  readonly sought: Sought;
  /** "is kept" or "are kept" */
  readonly kept: string;
  /** why the object cannot be read; "" where it can */
  readonly unread: string;
}

/** A child whose remote thing is to be deleted, with what that takes. */
export interface DoomedChild<Object> {
  readonly object: Object;
  readonly target: DeletionTarget;
  readonly session: Session;
  /** ref of the place that it lies in */
  readonly ref: string;
}

/**
 * Ends a child under deletion: its remote thing is kept, where the object or its parent says so, or deleted.
 *
 * @param object undefined where it cannot be read: its policy is not known then, and the remote thing is kept
 */
export async function finalizeChild<Status extends IdentityStatus, Object extends FinalizedChild>(
  run: Run<Status>,
  object: Object | undefined,
  { place: { ref, confirmed }, sought, kept, unread }: RemoteOfChild,
  remove: (doomed: DoomedChild<Object>) => Promise<void>,
): Promise<void> {
  const why = unread === "" ? "" : `: ${unread}`;
  const retained = (): void => run.wrote("Retained", `the object was deleted and the ${nameOf(sought)} ${kept}${why}`);
  if (object === undefined || object.spec.deletionPolicy === "Retain" || observesOnly(run, object.spec)) {
    return retained();
  }
  const verdict = await parentVerdict(run, { spec: object.spec, ref });
  if (verdict === "gone") return; // and with it what lived in it, or it was kept whole
  if (verdict === "keep") return retained();
  const { connectionRef, deletionTimeout: timeout } = object.spec;
  const unconfirmed = confirmed ? undefined : ref;
  const target: DeletionTarget = { sought, ref, unconfirmed, timeout, connectionRef };
  await deleteRemotely(run, target, (session) => remove({ object, target, session, ref }));
}
