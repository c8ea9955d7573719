import { isApiError } from "../../api/errors.ts";
import { isReconcileError } from "./attempt.ts";
import { type DeletionTarget, rememberedSession } from "./deletion.ts";
import type { IdentityStatus } from "./record-identity.ts";
import type { Run } from "./run.ts";
import { isElsewhere, type Session } from "./sessions.ts";

/**
 * One look that a deletion waits for in no way: what is kept asks nothing of the platform (engine.md §5), and whatever keeps the look out or lets it
 * fail, a token that is refused and a spent budget too, the deletion goes on without it.
 *
 * @returns undefined: nothing was seen
 * @throws when the run itself is to end
 */
export async function glance<Status extends IdentityStatus, T>(
  run: Run<Status>,
  of: Pick<DeletionTarget, "connectionRef">,
  look: (session: Session) => Promise<T>,
): Promise<{ readonly seen: T } | undefined> {
  const session = rememberedSession(run, of);
  if (session === undefined || isElsewhere(run.status.current.connection, session)) return undefined;
  try {
    return { seen: await look(session) };
  } catch (error) {
    if (run.signal.aborted || !(isReconcileError(error) || isApiError(error))) throw error;
    return undefined;
  }
}
