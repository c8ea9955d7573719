import { valueAt } from "../../resources/settings/setting.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { reasonOf } from "../shared/ready.ts";
import { digestOf, versionsOf } from "./memory.ts";
import { isRefusal } from "./refusals.ts";
import type { SectionChange, SectionLook } from "./section.ts";
import { isAskedAgain, type Looked, refusedUnder, restsNow, type SectionedStatus, type Turn, UNTOLD } from "./turn.ts";

/**
 * Fields that the plan or an add-on does not allow, in one request with others: the platform refuses such a request as a whole. They are left out until
 * something of them is another one, so that the others are written, and repaired, and a rotated secret goes through.
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
  if (refused.declared !== digestOfFields(turn, refused.fields)) return new Set();
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

/** What a write came to. */
export interface Written {
  readonly look: SectionLook;
  readonly wrote: readonly SectionChange[];
  readonly refused?: RefusedFields;
}

type Making = Omit<Looked, "declared" | "memory"> & { readonly due: readonly SectionChange[] };

/** Makes changes of a look. @returns the next one */
type Write = (look: SectionLook, due: readonly SectionChange[]) => Promise<SectionLook>;

/**
 * Makes the changes; where the platform refuses them and some hang on a plan or an add-on, the others alone, and those of each plan or add-on by themselves.
 *
 * @throws as `write` does: what is refused without any such change is refused as a whole
 */
export async function writeAllowed<Status extends SectionedStatus>(
  turn: Turn<Status>,
  making: Making,
  write: Write,
): Promise<Written> {
  const { look, due } = making;
  try {
    return { look: await write(look, due), wrote: due };
  } catch (error) {
    const isGated = due.some(({ field }) => look.gate?.(field) !== undefined);
    if (!isGated || !isRefusal(error) || !(await restsNow(turn))) throw error;
    return writeApart(turn, { ...making, error }, write);
  }
}

/** @param making.error what they were refused with together */
async function writeApart<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { section, look, withheld, due, error }: Making & { readonly error: TerminalError },
  write: Write,
): Promise<Written> {
  const wrote = due.filter(({ field }) => look.gate?.(field) === undefined);
  const gates = new Set(due.flatMap(({ field }) => look.gate?.(field) ?? []));
  let next = wrote.length === 0 ? look : await write(look, wrote);
  const refusals: Refusal[] = [];
  const withWithheld = [...look.changes.filter(({ field }) => withheld.has(field)), ...due];
  for (const [gate, changes] of Map.groupBy(withWithheld, ({ field }) => look.gate?.(field))) {
    if (gate === undefined) continue;
    // The others were taken without it: it is this one that was refused.
    const made: SectionLook | TerminalError =
      gates.size === 1 && gates.has(gate) ? error : await orRefusal(() => write(next, changes));
    if (made instanceof TerminalError) {
      refusals.push({ fields: changes.map(({ field }) => field), error: made });
    } else {
      next = made;
      wrote.push(...changes);
    }
  }
  const [first, ...more] = refusals;
  if (first === undefined) return { look: next, wrote };
  return { look: next, wrote, refused: await refusedFields(turn, section.name, [first, ...more]) };
}

/** @throws what is no refusal */
async function orRefusal(write: () => Promise<SectionLook>): Promise<SectionLook | TerminalError> {
  try {
    return await write();
  } catch (error) {
    if (isRefusal(error)) return error;
    throw error;
  }
}

interface Refusal {
  readonly fields: readonly string[];
  readonly error: TerminalError;
}

async function refusedFields<Status extends SectionedStatus>(
  turn: Turn<Status>,
  name: string,
  refusals: readonly [Refusal, ...(readonly Refusal[])],
): Promise<RefusedFields> {
  const fields = refusals.flatMap((one) => one.fields);
  const declared = digestOfFields(turn, fields);
  const [{ error: first }] = refusals;
  const words = refusals.map(({ error }) => error.message).join("; ");
  const error = terminal(reasonOf(first.reason), words, { cause: first });
  const { refused, message } = await refusedUnder(turn, error, {
    name,
    declared,
    isGated: true,
    what: "these fields",
  });
  return { ...refused, fields, message, reason: reasonOf(first.reason) };
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

/** Of what is declared of fields, and of the versions of what they are made of. */
function digestOfFields<Status extends SectionedStatus>(
  { run, target }: Turn<Status>,
  fields: readonly string[],
): string {
  return digestOf(
    fields.toSorted().map((field) => {
      const value = valueAt(target.object.spec, field.replace(/^spec\./u, ""));
      const named = (path: string): readonly string[] => {
        const name = valueAt(value, path);
        return typeof name === "string" ? [name] : [];
      };
      const references = { secrets: named("secretKeyRef.name"), configMaps: named("configMapKeyRef.name") };
      return [field, value ?? null, versionsOf(run.environment, run.key.namespace, references)];
    }),
  );
}
