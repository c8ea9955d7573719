import { valueAt } from "../../resources/settings/setting.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { reasonOf } from "../shared/ready.ts";
import { digestOf, versionsOf } from "./memory.ts";
import { type Circumstance, isMissing, isPlanRefusal } from "./refusals.ts";
import type { SectionChange } from "./section.ts";
import { isAskedAgain, type Looked, refusedUnder, type SectionedStatus, type Turn, UNTOLD } from "./turn.ts";

/**
 * Fields that the plan or an add-on does not allow, or that the platform's words name, in one request with others: it refuses such a request as a whole. They
 * are left out until something of them is another one, so that the others are written, and repaired, and a rotated secret goes through.
 */

/** What of a refusal a section's entry tells. */
export type RefusedFields = NonNullable<SectionEntry["refused"]>;

/** The fields that are refused still, and not asked for now. */
export async function withheldFields<Status extends SectionedStatus>(
  turn: Turn<Status>,
  before: SectionEntry | undefined,
): Promise<ReadonlySet<string>> {
  const { name = "", refused } = before ?? {};
  if (refused?.fields === undefined || turn.at.isObserved) return new Set();
  if (refused.declared !== digestOfFields(turn, name, refused.fields)) return new Set();
  return (await isAskedAgain(turn, name, refused)) ? new Set() : new Set(refused.fields);
}

/** Whether a section with refused fields may be found at rest: what the refusal hangs on was not to be looked at in this turn. */
export function hasRefusedFields(entry: SectionEntry | undefined): boolean {
  return entry?.state === "Failed" && entry.refused?.fields !== undefined && entry.refused.under !== UNTOLD;
}

/** What is decided on: without what is withheld; and what was refused is no drift, whoever asks for reports. */
export function changesOf<Status extends SectionedStatus>(
  { before }: Turn<Status>,
  { section, look, withheld }: Looked,
): readonly SectionChange[] {
  const refused = before.get(section.name)?.refused?.fields ?? [];
  return look.changes
    .filter(({ field }) => !withheld.has(field))
    .map((change) => (refused.includes(change.field) ? { ...change, cause: "edit" as const } : change));
}

/** Fields that the platform refused, with its words. */
export interface Refusal {
  readonly fields: readonly string[];
  readonly error: TerminalError;
  /** the plans or the add-on that stand behind it; undefined: none is known to */
  readonly gate: string | undefined;
}

/** What a section's entry tells of refusals. */
export async function refusedFields<Status extends SectionedStatus>(
  turn: Turn<Status>,
  name: string,
  refusals: readonly [Refusal, ...(readonly Refusal[])],
): Promise<RefusedFields> {
  const fields = refusals.flatMap((one) => one.fields);
  const declared = digestOfFields(turn, name, fields);
  const [{ error: first }] = refusals;
  const words = refusals.map(({ error }) => error.message).join("; ");
  const error = terminal(reasonOf(first.reason), words, { cause: first });
  const { refused, message } = await refusedUnder(turn, error, {
    name,
    declared,
    // What may pass does so whatever else is refused for the plan.
    isGated: (found) => refusals.every((one) => isPlanRefusal(one.error) || isGated(one, found)),
    what: "these fields",
  });
  return { ...refused, fields, message, reason: reasonOf(first.reason) };
}

function isGated({ gate }: Refusal, found: Circumstance): boolean {
  return gate !== undefined && isMissing([gate], found);
}

/** What was refused before and differs still, of a section that was looked at without it. */
export function stillRefused<Status extends SectionedStatus>(
  { before }: Turn<Status>,
  { section, look, withheld }: Looked,
): { readonly refused?: RefusedFields } {
  const { refused, reason, state } = before.get(section.name) ?? {};
  if (refused === undefined || !look.changes.some(({ field }) => withheld.has(field))) return {};
  // Older versions have the reason of the refusal where the section's own stands.
  return { refused: { ...refused, reason: refused.reason ?? (state === "Failed" ? reason : undefined) ?? "Rejected" } };
}

/**
 * An entry of the others, with what is refused. What is left of them as it is stands beside it, and what goes on by itself is shown first: it is looked at
 * in time, and ends by its own reason. Pure.
 */
export function withRefusedFields(entry: SectionEntry, refused: RefusedFields | undefined): SectionEntry {
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

/**
 * Of what is declared of fields and beside them, in the member of the section that they are of: what is put right there is a reason to ask again; and of the
 * versions of what they are made of.
 */
function digestOfFields<Status extends SectionedStatus>(
  { run, target }: Turn<Status>,
  name: string,
  fields: readonly string[],
): string {
  const prefix = `spec.${name}.`;
  return digestOf(
    fields.toSorted().map((field) => {
      const at = (path: string): unknown => valueAt(target.object.spec, path.replace(/^spec\./u, ""));
      const [member = ""] = field.slice(prefix.length).split(".");
      const value = at(field);
      const named = (path: string): readonly string[] => {
        const said = valueAt(value, path);
        return typeof said === "string" ? [said] : [];
      };
      const references = { secrets: named("secretKeyRef.name"), configMaps: named("configMapKeyRef.name") };
      const versions = versionsOf(run.environment, run.key.namespace, references);
      return [field, at(`${prefix}${member}`) ?? null, versions];
    }),
  );
}
