import type { SectionEntry } from "../../resources/settings/status.ts";
import { kubeTime } from "../shared/conditions.ts";
import { type Kept, keptOf } from "./entries.ts";
import type { RecordedBefore } from "./section.ts";

/** What the status says of a section from right before a request of it until what came of that is written. Pure. */

interface EntrySent {
  readonly digest: string;
  readonly secrets: SectionEntry["secrets"];
  /** what is written */
  readonly fields: readonly string[];
  readonly nowMs: number;
}

/** A section that is about to be written as something else than was in force, of which nothing is taken for known from here on. */
export function entrySending(before: Told, { digest, secrets, fields, nowMs }: EntrySent): SectionEntry {
  const { applied: _applied, secrets: _secrets, ...kept } = keptOf(before);
  return {
    ...kept,
    sending: digest,
    sentAt: kubeTime(nowMs),
    ...(secrets === undefined ? {} : { secrets }),
    ...toldBefore(before, fields),
  };
}

type Told = Kept & Partial<SectionEntry>;

/** What is told of a section that is about to be written: the record of a try that came to nothing may stay, so that it is true of that as well. */
function toldBefore(
  { state, reason, message, fields: told, since }: Told,
  fields: readonly string[],
): Omit<SectionEntry, "name"> {
  if (state !== "Failed" && state !== "Waiting") {
    return { state: "Applying", reason: "Updating", message: "is to be written", fields };
  }
  return {
    state,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
    ...(told === undefined ? {} : { fields: told }),
    ...(since === undefined ? {} : { since }),
  };
}

/** A section that is about to be written, with what must be known whatever becomes of the request. */
export function entryRecorded(
  before: Told,
  recorded: RecordedBefore & { readonly fields: readonly string[] },
): SectionEntry {
  const { awaitsRestart: awaited, ...kept } = keptOf(before);
  const awaitsRestart = "awaitsRestart" in recorded ? recorded.awaitsRestart : awaited;
  return {
    ...kept,
    ...(awaitsRestart === undefined ? {} : { awaitsRestart }),
    ...(recorded.gone === undefined ? {} : { gone: recorded.gone }),
    ...toldBefore(before, recorded.fields),
  };
}
