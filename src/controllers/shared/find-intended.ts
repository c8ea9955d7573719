import type { Intent } from "../../resources/status.ts";
import { createdSince, type FoundRemote, inDoubtForMs, mayHaveMade } from "./create-once.ts";
import { deletingForMs, release } from "./deletion.ts";
import { waiting } from "./failures.ts";
import { pollDelayMs } from "./polling.ts";
import type { IdentityStatus } from "./record-identity.ts";
import { noteFound, noteMissed, requireAbsence } from "./require-absence.ts";
import type { Run } from "./run.ts";
import type { Sought } from "./sought.ts";

/** Why what has the name is left. */
const UNCONFIRMED =
  "the request for it got no answer, and is of a time that has not come yet: whether this one came of it nobody can tell";

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
 * What has it is told like whatever else is left.
 *
 * @returns "released" where something is left that it may have made
 * @throws WaitingError ConfirmingAbsence while the request for it may still take effect; as `requireAbsence`
 */
export async function findIntended<Status extends IdentityStatus, F extends FoundRemote>(
  run: Run<Status>,
  { intent, sought, requestDeadlineMs, nowMs, look }: Intended<F>,
): Promise<F | "released" | undefined> {
  const doubtMs = inDoubtForMs(intent, requestDeadlineMs, nowMs); // before the look, which must be after its end
  const found = await look();
  const made = createdSince(intent, found, requestDeadlineMs);
  if (made !== undefined) {
    noteFound(run, sought);
    return made;
  }
  noteMissed(run, sought); // from the first look on, also while it is in doubt
  if (doubtMs <= 0) {
    requireAbsence(run, sought, "letGo");
    if (!mayHaveMade(intent, found, nowMs)) return undefined;
    await release(run, { sought }, { cause: "Unconfirmed", message: UNCONFIRMED });
    return "released";
  }
  const message = "a create request got no answer: waiting until it is certain that nothing was created";
  throw waiting("ConfirmingAbsence", message, Math.min(doubtMs, pollDelayMs(deletingForMs(run))));
}
