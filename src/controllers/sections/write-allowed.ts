import { causeChain } from "../../base/error-facts.ts";
import { isApiError } from "../../api/errors.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { reasonOf } from "../shared/ready.ts";
import { type Refusal, type RefusedFields, refusedFields } from "./refused-fields.ts";
import { isRefusal } from "./refusals.ts";
import type { SectionChange, SectionLook } from "./section.ts";
import { type Looked, restsNow, type SectionedStatus, type Turn } from "./turn.ts";

/** What is written of a section where the platform refuses some of it: a request is refused as a whole. */

/** What a write came to. */
export interface Written {
  readonly look: SectionLook;
  readonly wrote: readonly SectionChange[];
  readonly refused?: RefusedFields;
}

type Making = Omit<Looked, "declared" | "memory"> & { readonly due: readonly SectionChange[] };

/** Makes changes of a look. @returns the next one */
type Write = (look: SectionLook, due: readonly SectionChange[]) => Promise<SectionLook>;

/** What was made, and what was refused meanwhile. */
interface Made {
  readonly look: SectionLook;
  readonly wrote: readonly SectionChange[];
  readonly refusals: readonly Refusal[];
}

/**
 * Makes the changes; where the platform refuses them, those alone that it does not name, and those that hang on a plan or an add-on by themselves.
 *
 * @throws as `write` does: what is refused without any such change is refused as a whole
 */
export async function writeAllowed<Status extends SectionedStatus>(
  turn: Turn<Status>,
  making: Making,
  write: Write,
): Promise<Written> {
  const { section, look, due } = making;
  try {
    return { look: await write(look, due), wrote: due };
  } catch (error) {
    const mayBeApart =
      due.some(({ field }) => look.gate?.(field) !== undefined) || namedOf(look, due, error).length > 0;
    if (!mayBeApart || !isRefusal(error) || !(await restsNow(turn))) throw error;
    const { look: next, wrote, refusals } = await writeApart({ ...making, error }, write);
    const [first, ...more] = refusals;
    if (first === undefined) return { look: next, wrote };
    return { look: next, wrote, refused: await refusedFields(turn, section.name, [first, ...more]) };
  }
}

/** @param making.error what they were refused with together */
async function writeApart(
  { look, withheld, due, error }: Making & { readonly error: TerminalError },
  write: Write,
): Promise<Made> {
  const gates = new Set(due.flatMap(({ field }) => look.gate?.(field) ?? []));
  const withWithheld = [...look.changes.filter(({ field }) => withheld.has(field)), ...due];
  const others = withWithheld.filter(({ field }) => look.gate?.(field) === undefined);
  // It was refused already, where it is all that was asked for.
  const known = others.length === due.length && gates.size === 0 ? error : undefined;
  const made = await writeUnnamed({ look, due: others, error: known }, write);
  let next = made.look;
  const wrote = [...made.wrote];
  const refusals = [...made.refusals];
  for (const [gate, changes] of Map.groupBy(withWithheld, ({ field }) => look.gate?.(field))) {
    if (gate === undefined) continue;
    // The others were taken without it: it is this one that was refused.
    const isKnown = gates.size === 1 && gates.has(gate) && made.refusals.length === 0;
    const tried = isKnown ? { error } : await orRefusal(next, changes, write);
    if (tried.error !== undefined) {
      refusals.push({ fields: fieldsOf(changes), error: tried.error, gate });
    } else {
      next = tried.look;
      wrote.push(...changes);
    }
  }
  return { look: next, wrote, refusals };
}

interface Unnamed {
  readonly look: SectionLook;
  readonly due: readonly SectionChange[];
  /** what they were refused with; undefined: they were not asked for by themselves */
  readonly error: TerminalError | undefined;
}

/** How many times the platform may name others before it is left at that: each is a request of the budget. */
const MOST_NAMED = 8;

/**
 * Makes the changes but those that the platform names when it refuses them. That it names a field proves nothing: that it takes the others without it does.
 *
 * @throws as `write` does: a refusal that names none of what was asked for, after those that did
 */
async function writeUnnamed({ look, due, error }: Unnamed, write: Write): Promise<Made> {
  const refusals: Refusal[] = [];
  let left = due;
  let failure = error;
  while (left.length > 0) {
    const tried = failure === undefined ? await orRefusal(look, left, write) : { error: failure };
    if (tried.error === undefined) return { look: tried.look, wrote: left, refusals };
    const named = namedOf(look, left, tried.error);
    if (named.length === 0 || refusals.length === MOST_NAMED) throw together(refusals, tried.error);
    refusals.push({ fields: named, error: tried.error, gate: undefined });
    left = left.filter(({ field }) => !named.includes(field));
    failure = undefined;
  }
  return { look, wrote: [], refusals };
}

/** Fields of changes that the platform's own words name. */
function namedOf(look: SectionLook, due: readonly SectionChange[], error: unknown): readonly string[] {
  const words = causeChain(error).find((link) => isApiError(link))?.message ?? "";
  const named = new Set(look.named?.(words));
  return fieldsOf(due).filter((field) => named.has(field) && look.gate?.(field) === undefined);
}

/** A refusal of all, in the words of each answer. */
function together(refusals: readonly Refusal[], last: TerminalError): TerminalError {
  if (refusals.length === 0) return last;
  const words = [...refusals.map(({ error }) => error.message), last.message].join("; ");
  return terminal(reasonOf(last.reason), words, { cause: last });
}

type Tried = { readonly look: SectionLook; readonly error?: never } | { readonly error: TerminalError };

/** @throws what is no refusal */
async function orRefusal(look: SectionLook, changes: readonly SectionChange[], write: Write): Promise<Tried> {
  try {
    return { look: await write(look, changes) };
  } catch (error) {
    if (isRefusal(error)) return { error };
    throw error;
  }
}

function fieldsOf(changes: readonly SectionChange[]): readonly string[] {
  return changes.map(({ field }) => field);
}
