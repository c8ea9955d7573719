import { durationMs } from "../../resources/duration.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import type { Outcome } from "../../runtime/outcome.ts";
import { kubeTime } from "../shared/conditions.ts";
import type { DriftShown } from "../shared/drift.ts";
import { ignoredMessage, reportedMessage, stuckMessage } from "../shared/drift-words.ts";
import { followedBy } from "../shared/followed-by.ts";
import { reasonOf } from "../shared/ready.ts";
import type { SectionLook } from "./section.ts";

/** What the status says of a section. Pure. */

/** What is remembered of a section whatever comes of this run. */
export type Kept = Pick<SectionEntry, "name"> & Partial<Pick<SectionEntry, KeptName | "since">>;

type KeptName =
  | "applied"
  | "sending"
  | "sentAt"
  | "gone"
  | "secrets"
  | "documents"
  | "awaitsRestart"
  | "sent"
  | "overridden"
  | "interrupted"
  | "refused"
  | "owed";

interface Ended {
  readonly before: Kept;
  /** digest of what is declared */
  readonly digest: string;
  /** nothing may be written: what was only seen is not in force by us */
  readonly isObserved: boolean;
  /** the look that was the last */
  readonly look: SectionLook;
  /** changes that are neither left by a policy nor written in vain */
  readonly open: readonly string[];
  readonly left: DriftShown;
  /** what is left counts as in force */
  readonly isSettled: boolean;
  /** what to do about what is left; undefined: what the policy says */
  readonly advice: string | undefined;
  readonly nowMs: number;
  /** provisioningTimeout of the spec */
  readonly timeout: string;
}

/** How a section stands after a look, and after the writes that followed from it. */
export function entryAfter(ended: Ended): SectionEntry {
  const { before, digest } = ended;
  const entry = entryNow(ended);
  // Only what was seen in force is: what is still on its way is an edit that is being carried out, whatever the drift policy.
  const isInForce = entry.state === "InSync" && !ended.isObserved;
  const isLeft = entry.state === "Drifted" && ended.isSettled;
  if (isInForce || isLeft) return { ...entry, applied: digest };
  return { ...entry, ...standingOf(before) };
}

/** What was in force last, may be on its way still, or was deleted for it. */
function standingOf({
  applied,
  sending,
  sentAt,
  gone,
}: Kept): Pick<SectionEntry, "applied" | "sending" | "sentAt" | "gone"> {
  return {
    ...(applied === undefined ? {} : { applied }),
    ...(sending === undefined ? {} : { sending }),
    ...(sentAt === undefined ? {} : { sentAt }),
    ...(gone === undefined ? {} : { gone }),
  };
}

/** With what was deleted for it, told once. */
export function withGone(entry: SectionEntry): SectionEntry {
  const { gone, message = entry.state } = entry;
  return gone === undefined || message.includes(gone) ? entry : { ...entry, message: followedBy(message, gone) };
}

/** How long another edit than the declared one may take to show, once it was sent, milliseconds: reads of the platform lag by seconds. */
export const UNSEEN_MS = 120_000;

/** Whether something else than what is declared was sent, and may come to show yet: one that is taken for gone would be called drift when it comes. */
function mayShowYet({ before, digest, isObserved, nowMs }: Ended): boolean {
  return before.sending !== digest && !isObserved && unseenMs(before, nowMs) > 0;
}

/** For how long yet what was sent may come to show, milliseconds. Pure. */
export function unseenMs({ sentAt }: Pick<SectionEntry, "sentAt">, nowMs: number): number {
  return sentAt === undefined ? 0 : Math.max(0, Date.parse(sentAt) + UNSEEN_MS - nowMs);
}

function entryNow(ended: Ended): SectionEntry {
  const { before, look, open, left, nowMs, timeout } = ended;
  const { progress } = look;
  const base = baseOf(ended);
  const since = sinceOf(before, nowMs);
  // What goes on by itself comes before what does not, so that it is looked at in time.
  if (open.length > 0) {
    const message = `written, and not seen as declared yet: ${open.join(", ")}`;
    const entry = { ...base, state: "Applying", reason: "Updating", message, fields: [...open], since } as const;
    return withLeft(overdue(entry, nowMs, timeout), ended);
  }
  // What the platform is at is not what is declared then.
  if (left.stuck.length + left.reported.length + left.ignored.length > 0) return withLeft(inSync(base, look), ended);
  const fields = [...(look.awaited ?? wholeOf(before))];
  switch (progress.kind) {
    case "settled": {
      if (!mayShowYet(ended)) return inSync(base, look);
      const message = "as declared, and looked at again: what was sent before that may take effect yet";
      return { ...base, state: "Applying", reason: "Updating", message, fields, since };
    }
    case "applying":
      return overdue(
        { ...base, state: "Applying", reason: progress.reason, message: progress.message, fields, since },
        nowMs,
        timeout,
      );
    case "waiting":
      return { ...base, state: "Waiting", reason: progress.reason, message: progress.message, fields, since };
    default:
      return progress satisfies never;
  }
}

/** What an entry tells however the section stands. */
function baseOf({ before: { name }, look, left }: Ended): Kept & Pick<SectionEntry, "left"> {
  const { awaitsRestart, sent, overridden, secrets = [], documents } = look;
  const { reported, stuck, ignored } = left;
  const shown = Object.fromEntries(
    Object.entries({ reported, stuck, ignored }).filter(([, fields]) => fields.length > 0),
  );
  return {
    name,
    ...(secrets.length === 0 ? {} : { secrets }),
    ...(documents === undefined ? {} : { documents }),
    ...(awaitsRestart === undefined ? {} : { awaitsRestart }),
    ...(sent === undefined ? {} : { sent }),
    ...(overridden === undefined ? {} : { overridden }),
    ...(Object.keys(shown).length === 0 ? {} : { left: shown }),
  };
}

/** With what differs and is left so: how a section stands that would be in sync, and told beside what goes on. */
function withLeft(
  entry: SectionEntry,
  { left: { reported, stuck, ignored }, advice }: Pick<Ended, "left" | "advice">,
): SectionEntry {
  const words = [
    ...(entry.message === undefined ? [] : [entry.message]),
    ...(stuck.length === 0 ? [] : [stuckMessage(stuck)]),
    ...(reported.length === 0 ? [] : [reportedMessage(reported)]),
    ...(ignored.length === 0 ? [] : [ignoredMessage(ignored)]),
    ...(advice === undefined || reported.length + ignored.length === 0 ? [] : [advice]),
  ];
  const fields = [...(entry.fields ?? []), ...stuck, ...reported, ...ignored];
  const told = {
    ...entry,
    ...(words.length === 0 ? {} : { message: words.join("; ") }),
    ...(fields.length === 0 ? {} : { fields }),
  };
  const isLeft = entry.state === "InSync" && stuck.length + reported.length > 0;
  return isLeft ? { ...told, state: "Drifted", reason: stuck.length > 0 ? "NotConverging" : "DriftDetected" } : told;
}

function inSync(
  base: Kept & Pick<SectionEntry, "left">,
  { awaitsRestart, unknown, notice }: Pick<SectionLook, "awaitsRestart" | "unknown" | "notice">,
): SectionEntry {
  const told = [
    ...(awaitsRestart === undefined ? [] : [restartMessage(awaitsRestart)]),
    ...(unknown === undefined ? [] : [unknown]),
    ...(notice === undefined ? [] : [notice]),
  ];
  return { ...base, state: "InSync", ...(told.length === 0 ? {} : { message: told.join("; ") }) };
}

/** What takes longer than it may is somebody's to look at; it is still watched (engine.md §7). */
function overdue(entry: SectionEntry, nowMs: number, timeout: string): SectionEntry {
  const { since, message } = entry;
  if (since === undefined || nowMs - Date.parse(since) < durationMs(timeout)) return entry;
  return {
    ...entry,
    state: "Failed",
    reason: "DeadlineExceeded",
    message: `${message ?? ""} since ${since}, longer than provisioningTimeout ${timeout}: see it on the platform; it is still watched`,
  };
}

function sinceOf({ since }: Kept, nowMs: number): string {
  return since ?? kubeTime(nowMs);
}

/** The path of a section, where nothing tells which of its fields are meant. */
export function wholeOf({ name }: Pick<SectionEntry, "name">): readonly [string] {
  return [`spec.${name}`];
}

interface Behind {
  readonly others: readonly string[];
  readonly fields: readonly string[];
  readonly nowMs: number;
}

/** A section that waits for others that are not in sync. @param behind.fields what of it waits */
export function entryBehind(before: Kept, { others, fields, nowMs }: Behind): SectionEntry {
  const message = `waits for ${others.join(" and ")}`;
  return { ...keptOf(before), state: "Waiting", reason: "Updating", message, fields, since: sinceOf(before, nowMs) };
}

/** A section that is declared no more, of which something may take effect yet: declared again, it waits for that. */
export function entryLeft({ name, sending, sentAt }: SectionEntry): SectionEntry {
  return {
    name,
    state: "Waiting",
    reason: "Updating",
    message: "is declared no more, and what was sent of it may take effect yet",
    fields: wholeOf({ name }),
    ...(sending === undefined ? {} : { sending }),
    ...(sentAt === undefined ? {} : { sentAt }),
  };
}

/** A section whose restart was made or is being made. */
export function entryRestarting(entry: SectionEntry): SectionEntry {
  const { awaitsRestart, ...others } = entry;
  const { fields } = awaitsRestart ?? { fields: entry.fields ?? wholeOf(entry) };
  return { ...others, state: "Applying", reason: "Updating", message: RESTARTING_MESSAGE, fields };
}

/** What a failure says of a section; undefined: nothing, it stands as it did. */
export function entryFailed(before: Kept, outcome: Outcome, nowMs: number): SectionEntry | undefined {
  switch (outcome.kind) {
    case "terminal": {
      const { reason, message } = outcome;
      return { ...keptOf(before), state: "Failed", reason: reasonOf(reason), message };
    }
    case "waiting":
    case "transient": {
      const { reason, message } = outcome;
      return { ...keptOf(before), state: "Waiting", reason: reasonOf(reason), message, since: sinceOf(before, nowMs) };
    }
    case "done":
    case "conflict":
    case "aborted":
    case "rateLimited":
    case "deadline":
    case "unexpected":
      return undefined;
    default:
      return outcome satisfies never;
  }
}

/** What was sent, and what was in force last, is true still. */
export function keptOf(kept: Kept): Pick<SectionEntry, "name" | KeptName> {
  const { name, secrets, documents, awaitsRestart, sent, overridden, interrupted, refused, owed } = kept;
  return {
    name,
    // What was refused of it is refused still; of a refusal of all of it, what comes now is to tell.
    ...(refused?.fields === undefined ? {} : { refused }),
    ...standingOf(kept),
    ...(secrets === undefined ? {} : { secrets }),
    ...(documents === undefined ? {} : { documents }),
    ...(awaitsRestart === undefined ? {} : { awaitsRestart }),
    ...(sent === undefined ? {} : { sent }),
    ...(overridden === undefined ? {} : { overridden }),
    ...(interrupted === undefined ? {} : { interrupted }),
    ...(owed === undefined ? {} : { owed }),
  };
}

/** What is told of a section that was edited and cannot be looked at yet. */
export const EDITED = "was edited, and is applied once the project runs";

/** A section that was edited and cannot be looked at; what was left of it stays known, for an edit that is taken back. */
export function entryEdited(stood: SectionEntry): SectionEntry {
  return { ...withKnownLeft(stood), state: "Waiting", reason: "Updating", message: EDITED, fields: wholeOf(stood) };
}

/** The same once the edit was taken back: as it stood, but for advice, which the next look gives. */
export function entryTakenBack(edited: SectionEntry): SectionEntry {
  const { reported = [], stuck = [], ignored = [] } = edited.left ?? {};
  const { awaitsRestart } = edited;
  const entry = inSync(withKnownLeft(edited), awaitsRestart === undefined ? {} : { awaitsRestart });
  return withLeft(entry, { left: { reported, stuck, ignored }, advice: undefined });
}

function withKnownLeft(entry: SectionEntry): Kept & Pick<SectionEntry, "left"> {
  const { left } = entry;
  return { ...keptOf(entry), ...(left === undefined ? {} : { left }) };
}

export const RESTARTING_MESSAGE = "the database is restarted for settings that need it";

/** True whether there was a restart since or not: the platform does not tell of them. */
function restartMessage({ fields, since, askedAt }: NonNullable<SectionEntry["awaitsRestart"]>): string {
  const how =
    askedAt === undefined
      ? "without a restart of the database"
      : `with a restart of the database that was asked for at ${askedAt} and whose answer was lost`;
  return `written at ${since} ${how}, and in force from the first one after that (baas.dev/restart asks for one): ${fields.join(", ")}`;
}

/** What the conditions of drift say of the sections: of one that was edited since it was looked at, nothing. */
export function driftOf(entries: readonly SectionEntry[] = []): DriftShown {
  const looked = entries.filter(({ message }) => message !== EDITED);
  const fields = (kind: keyof DriftShown): readonly string[] => looked.flatMap(({ left }) => left?.[kind] ?? []);
  return { reported: fields("reported"), stuck: fields("stuck"), ignored: fields("ignored") };
}
