import type { Intent } from "../../resources/status.ts";
import { createdSince, type FoundRemote, inDoubtForMs } from "./create-once.ts";
import { deletingForMs } from "./deletion.ts";
import { waiting } from "./failures.ts";
import { pollDelayMs } from "./polling.ts";
import type { IdentityStatus } from "./record-identity.ts";
import { noteFound, noteMissed, requireAbsence } from "./require-absence.ts";
import type { Run } from "./run.ts";
import type { Sought } from "./sought.ts";

/** A request whose answer was lost, of an object under deletion. */
interface Intended<F> {
  readonly intent: Intent;
  readonly sought: Sought;
  /** the longest that the request may have taken, milliseconds */
  readonly requestDeadlineMs: number;
  /** the server's clock, milliseconds since the epoch */
  readonly nowMs: number;
  /** what has the name now, read live */
  readonly look: () => Promise<readonly F[]>;
}

/**
 * What an intent made, if it did: it is to be deleted with its object. Where its time says nothing, as a clock was wrong, nothing is taken for what
 * it made: else whatever has the name by now would be.
 *
 * @throws WaitingError ConfirmingAbsence while the request for it may still take effect; as `requireAbsence`
 */
export async function findIntended<Status extends IdentityStatus, F extends FoundRemote>(
  run: Run<Status>,
  { intent, sought, requestDeadlineMs, nowMs, look }: Intended<F>,
): Promise<F | undefined> {
  const doubtMs = inDoubtForMs(intent, requestDeadlineMs, nowMs); // before the look, which must be after its end
  const found = createdSince(intent, await look(), requestDeadlineMs);
  if (found !== undefined) {
    noteFound(run, sought);
    return found;
  }
  noteMissed(run, sought); // from the first look on, also while it is in doubt
  if (doubtMs <= 0) {
    requireAbsence(run, sought, "letGo");
    return undefined;
  }
  const message = "a create request got no answer: waiting until it is certain that nothing was created";
  throw waiting("ConfirmingAbsence", message, Math.min(doubtMs, pollDelayMs(deletingForMs(run))));
}
