import { annotations } from "../../resources/annotations.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { followedBy } from "../shared/followed-by.ts";
import type { Marked } from "../shared/key-ring.ts";
import { reasonOf } from "../shared/ready.ts";
import { type Circumstance, isMissing } from "./circumstances.ts";
import { digestOf } from "./memory.ts";
import { isPlanRefusal, refusalWithNeeds } from "./refusal.ts";
import type { Barred, Marking, SectionLook } from "./section.ts";
import { isAskedFor, type Looked, now, type SectionedStatus, type SectionTarget, type Turn } from "./turn.ts";

/**
 * What is kept of refusals, and when what was refused is asked for again. A refusal is one of a whole section, or of fields of it: those that the plan or an
 * add-on does not allow, or that the platform's words name, while the others of the section are written, and repaired, and a rotated secret goes through.
 */

/** What a section's entry keeps of a refusal. */
export type Refused = NonNullable<SectionEntry["refused"]>;

/** What of a section rests since it was refused. */
export type Resting =
  | { readonly kind: "nothing" }
  | { readonly kind: "fields"; readonly fields: ReadonlySet<string> }
  | { readonly kind: "section"; readonly entry: SectionEntry };

/** A section as it is declared, and as it was looked at, where it was. */
type Declared = Pick<Looked, "section" | "declared"> & { readonly look?: SectionLook | undefined };

/**
 * What of a section is not asked for now: it was refused as it is declared, and nothing that the refusal hangs on is another. An edit of the section, or
 * another value in a Secret or ConfigMap that what was refused is made of, has all of it asked for once.
 *
 * @throws as calls of the client do; as a look does where a Secret or ConfigMap is not there
 */
export async function restingOf<Status extends SectionedStatus>(
  turn: Turn<Status>,
  entry: SectionEntry | undefined,
  declared: Declared,
): Promise<Resting> {
  const { refused } = entry ?? {};
  if (entry === undefined || refused === undefined) return { kind: "nothing" };
  if (!(await isAsRefused(turn, refused, declared))) return { kind: "nothing" };
  if (await isAskedAgain(turn, entry.name, refused)) return { kind: "nothing" };
  return refused.fields === undefined
    ? { kind: "section", entry }
    : { kind: "fields", fields: new Set(refused.fields) };
}

/**
 * Whether what is declared, the values that it is made of, and whether it may be written, are what they were: what else changes of a Secret or ConfigMap,
 * nothing hangs on.
 */
async function isAsRefused<Status extends SectionedStatus>(
  turn: Turn<Status>,
  refused: Refused,
  declared: Declared,
): Promise<boolean> {
  if (refused.declared !== digestOfDeclared(turn, declared)) return false;
  const made = await madeOf(turn, declared, { before: refused.madeOf, fields: refused.fields });
  return made === undefined ? refused.madeOf === undefined : made.told === "same";
}

/** What a refusal knows a declared section by: who only observed it asks for something else once it is managed. */
export function digestOfDeclared(
  { target }: { readonly target: Pick<SectionTarget, "policies"> },
  { declared }: Pick<Declared, "declared">,
): string {
  return digestOf([declared, target.policies.managementPolicy.value]);
}

async function madeOf<Status extends SectionedStatus>(
  { at, target }: Turn<Status>,
  { section, look }: Declared,
  marking: Marking,
): Promise<Marked | undefined> {
  return look === undefined ? section.madeOf?.(at, target.object.spec, marking) : look.madeOf?.(marking);
}

/** Whether a section with refused fields need not be looked at before its drift check: what the refusal hangs on was looked at, and is the same. */
export function mayRest<Status extends SectionedStatus>(turn: Turn<Status>, entry: SectionEntry | undefined): boolean {
  const { state, refused } = entry ?? {};
  if (state !== "Failed" || refused?.fields === undefined || refused.under === NOT_LOOKED_AT) return false;
  return !mayBeOthers(turn) && !isWellAgain(turn, refused.under);
}

/** Sections that a refusal of another one may hang on. */
const CIRCUMSTANTIAL = ["addons.pitr", "addons.ipv4", "addons.customDomain", "instanceSize"];

/** Whether what refusals hang on may be another at once: after an edit, and once what the same spec changes of it has come. */
function mayBeOthers<Status extends SectionedStatus>({ records, isEdited }: Turn<Status>): boolean {
  return isEdited || CIRCUMSTANTIAL.some((name) => records.was(name)?.state === "Applying");
}

/** In the place of what a refusal was made under: that could not be looked at, or is nothing. */
const NOT_LOOKED_AT = "";

/** Ends what a refusal was made under that may pass, while the platform called the project unwell. */
const UNWELL = " unwell";

/** Whether what was refused of an unwell project may be taken now. */
function isWellAgain<Status extends SectionedStatus>({ target }: Turn<Status>, under: string): boolean {
  return under.endsWith(UNWELL) && !target.surroundings.isUnwell;
}

/** How long what the platform may take later rests before it is asked for again, milliseconds. */
const AGAIN_MS = 3_600_000;

/**
 * Whether what was refused, and is declared still, is asked for again: what it hangs on is another one, it may have passed, or somebody asks.
 *
 * @throws as calls of the client do
 */
async function isAskedAgain<Status extends SectionedStatus>(
  turn: Turn<Status>,
  name: string,
  { under, mayPass }: Refused,
): Promise<boolean> {
  const { run, target } = turn;
  if (isAskedFor(turn, name) || under === NOT_LOOKED_AT) return true;
  const refusedAtMs = run.environment.sections.refusedAtMs(run.key, target.object.metadata.uid, name);
  if (mayPass === true && now(turn) - (refusedAtMs ?? -Infinity) >= AGAIN_MS) return true;
  return isAnother(turn, name, under);
}

/** Whether what a refusal hangs on is another one. A drift check looks at that once, also where the look at the section itself waits for budget. */
async function isAnother<Status extends SectionedStatus>(
  turn: Turn<Status>,
  name: string,
  under: string,
): Promise<boolean> {
  if (isWellAgain(turn, under)) return true;
  const { check } = turn.run;
  const what = `what the refusal of ${name} hangs on`;
  if (!mayBeOthers(turn) && !check.isDue(what)) return false;
  const { text } = await turn.circumstances.get();
  if (text !== (under.endsWith(UNWELL) ? under.slice(0, -UNWELL.length) : under)) return true;
  check.looked(what);
  return false;
}

interface Noted {
  /** what is the matter, and when it is asked for again */
  readonly message: string;
  readonly refused: Refused;
}

interface Refusing extends Declared {
  /** a plan, an add-on or the like is known to stand behind it */
  readonly isGated: (found: Circumstance) => boolean;
  readonly needs?: (found: Circumstance) => string | undefined;
  /** what of the section was refused; default: all */
  readonly fields?: readonly string[];
}

const ASK = `at once with ${annotations.reconcileAt}`;

/** Notes a refusal, and says how long it holds: where nothing tells that it hangs on what can be looked at, it may pass by itself. */
export async function noteRefused<Status extends SectionedStatus>(
  turn: Turn<Status>,
  refusal: TerminalError,
  { isGated, needs, fields, ...asked }: Refusing,
): Promise<Noted> {
  const { run, target } = turn;
  const { name } = asked.section;
  const found = await underNow(turn);
  const { text: under } = found;
  const made = await madeOf(turn, asked, { before: undefined, fields });
  const what = { declared: digestOfDeclared(turn, asked), ...(made === undefined ? {} : { madeOf: made.mark }) };
  const mayPass = found.names === undefined || !isGated(found);
  const error = refusalWithNeeds(refusal, { field: `spec.${name}`, needs: needs?.(found) });
  const seen = { uid: target.object.metadata.uid, atMs: now(turn) };
  run.environment.sections.noteRefused(run.key, name, seen);
  const isUnwell = mayPass && target.surroundings.isUnwell;
  const again = mayPass
    ? `every hour, ${isUnwell ? "once the platform calls the project well, " : ""}once the section changes`
    : "once the section, the plan, the add-ons or the version of the database change";
  if (under === NOT_LOOKED_AT) {
    const message = followedBy(
      error.message,
      `it is asked for again as soon as what it hangs on can be looked at, and ${ASK}`,
    );
    return { message, refused: { ...what, under } };
  }
  return {
    message: followedBy(error.message, `it is asked for again ${again}, and ${ASK}`),
    refused: { ...what, under: isUnwell ? `${under}${UNWELL}` : under, ...(mayPass ? { mayPass } : {}) },
  };
}

/** A failure to tell the circumstances is none of the section's: then the refusal holds for nothing, and the next run asks again. */
async function underNow<Status extends SectionedStatus>({ circumstances, lost }: Turn<Status>): Promise<Circumstance> {
  try {
    return await circumstances.get();
  } catch (error) {
    lost.push(error);
    return { text: NOT_LOOKED_AT, names: undefined };
  }
}

/** Fields that the platform refused, with its words. */
export interface Refusal {
  readonly fields: readonly string[];
  readonly error: TerminalError;
  /** the plans or the add-on that stand behind it; undefined: none is known to */
  readonly gate: string | undefined;
}

/** Notes what was refused of a section of which the rest was written. */
export async function noteRefusedFields<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { section, declared, look }: Looked,
  refusals: readonly [Refusal, ...(readonly Refusal[])],
): Promise<Refused> {
  const [{ error: first }] = refusals;
  const words = refusals.map(({ error }) => error.message).join("; ");
  const error = terminal(reasonOf(first.reason), words, { cause: first });
  const fields = refusals.flatMap((one) => one.fields);
  const { refused, message } = await noteRefused(turn, error, {
    section,
    declared,
    look,
    fields,
    // What may pass does so whatever else is refused for the plan.
    isGated: (found) => refusals.every((one) => isPlanRefusal(one.error) || isGated(one, found)),
  });
  return { ...refused, fields, message, reason: reasonOf(first.reason) };
}

/** Notes what a section has no request for, beside what the platform refused of it. To refuse that costs nothing: it is tried by each look. */
export function noteBarredFields<Status extends SectionedStatus>(
  turn: Turn<Status>,
  looked: Looked,
  barred: Barred,
  refused: Refused | undefined = restingRefusal(turn, looked),
): Refused {
  if (refused !== undefined) return besideRefused(refused, barred);
  const { fields, error } = barred;
  const { message, reason } = error;
  return { declared: digestOfDeclared(turn, looked), under: NOT_LOOKED_AT, fields, message, reason };
}

/** What the platform refused is not asked for with each look: what has no request waits beside it, for an hour at most. Pure. */
export function besideRefused(refused: Refused, { fields: barred, error }: Barred): Refused {
  const message = [refused.message, error.message].filter((one) => one !== undefined).join("; ");
  return { ...refused, mayPass: true, fields: [...new Set([...(refused.fields ?? []), ...barred])], message };
}

function isGated({ gate }: Refusal, found: Circumstance): boolean {
  return gate !== undefined && isMissing([gate], found);
}

/** What was refused before and differs still, of a section that was looked at without it. */
export function restingRefusal<Status extends SectionedStatus>(
  { records }: Turn<Status>,
  { section, look, withheld }: Looked,
): Refused | undefined {
  const { refused, reason, state } = records.was(section.name) ?? {};
  if (refused === undefined || !look.changes.some(({ field }) => withheld.has(field))) return undefined;
  // Older versions have the reason of the refusal where the section's own stands.
  return { ...refused, reason: refused.reason ?? (state === "Failed" ? reason : undefined) ?? "Rejected" };
}

/**
 * An entry of the others, with what is refused. What is left of them as it is stands beside it, and what goes on by itself is shown first: it is looked at
 * in time, and ends by its own reason. Pure.
 */
export function withRefusedFields(entry: SectionEntry, refused: Refused | undefined): SectionEntry {
  if (refused === undefined) return entry;
  const isAtRest = entry.state === "InSync" || entry.state === "Drifted";
  const words = [refused.message, entry.message].filter((one) => one !== undefined);
  return {
    ...entry,
    ...(isAtRest ? { state: "Failed", reason: refused.reason } : {}),
    message: words.join("; "),
    fields: [...(refused.fields ?? []), ...(entry.fields ?? [])],
    refused,
  };
}
