import type { ParentSpec } from "../../resources/references.ts";
import { parentVerdict } from "./child-deletion.ts";
import type { RecordedPlace } from "./child-identity.ts";
import { deleteRemotely, type DeletionTarget, observesOnly } from "./deletion.ts";
import type { IdentityStatus } from "./record-identity.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";
import { nameOf, type Sought } from "./sought.ts";

/** What of a child says what becomes of what it has. */
interface ChildObject {
  readonly spec: ParentSpec &
    Parameters<typeof observesOnly>[1] &
    Pick<DeletionTarget, "connectionRef"> & {
      readonly deletionPolicy: "Retain" | "Delete";
      readonly deletionTimeout: string;
    };
}

/** What a child has in the place where it lives. */
interface Had {
  readonly place: RecordedPlace;
  readonly sought: Sought;
  /** "is kept" or "are kept" */
  readonly kept: string;
}

/** What is to be deleted remotely, and how. */
export interface Doomed<Object> {
  readonly object: Object;
  readonly target: DeletionTarget;
  readonly session: Session;
  /** ref of the place that it lies in */
  readonly ref: string;
}

/**
 * Deals with what a child under deletion has in its place: keeps it, as the object or its parent says, or has it deleted.
 *
 * @param object undefined where it cannot be read: nobody knows then what it says
 */
export async function finalizeChild<Status extends IdentityStatus, Object extends ChildObject>(
  run: Run<Status>,
  object: Object | undefined,
  { place: { ref, confirmed }, sought, kept }: Had,
  remove: (doomed: Doomed<Object>) => Promise<void>,
): Promise<void> {
  const retained = (): void => run.wrote("Retained", `the object was deleted and the ${nameOf(sought)} ${kept}`);
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
