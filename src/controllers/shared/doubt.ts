import type { Intent } from "../../resources/status.ts";
import { doubted, inDoubtForMs } from "./create-once.ts";

/** The doubt over a create of an object's whose answer was lost (create-once.ts), where nothing is to be made. */

/** A run of an object that may have asked for something. */
interface Doubting {
  readonly raw: { readonly metadata: { readonly uid: string } };
  readonly status: {
    readonly current: { readonly intent?: Intent | undefined };
    update(known: { readonly intent: undefined }): void;
  };
}

/** When a doubt is looked at, and how long the request may have taken; milliseconds. */
interface DoubtTimes {
  readonly requestDeadlineMs: number;
  /** by the server's clock, since the epoch */
  readonly nowMs: number;
}

/** The intent of this very object; undefined where it never asked, or knows what came of it. */
export function ownIntent({ raw, status }: Doubting): Intent | undefined {
  const { intent } = status.current;
  return intent?.uid === raw.metadata.uid ? intent : undefined;
}

/** What has a thing needs no other: once nothing can arrive that was asked for before, whatever has that name is not taken for the object's. */
export function endDoubt({ status }: Doubting, { requestDeadlineMs, nowMs }: DoubtTimes): void {
  const { intent } = status.current;
  if (intent !== undefined && inDoubtForMs(intent, requestDeadlineMs, nowMs) <= 0) status.update({ intent: undefined });
}

/**
 * Holds an object under deletion whose thing is kept. Until its doubt is over the name is its own (ADR 4): what arrives when it is gone would meet what another
 * object makes by it.
 *
 * @throws WaitingError ConfirmingAbsence while something of it may still arrive
 */
export function waitOutDoubt(intent: Intent | undefined, { requestDeadlineMs, nowMs }: DoubtTimes): void {
  const leftMs = intent === undefined ? 0 : inDoubtForMs(intent, requestDeadlineMs, nowMs);
  if (leftMs <= 0) return;
  throw doubted("a create request got no answer: waiting until nothing can come of it any more", leftMs);
}
