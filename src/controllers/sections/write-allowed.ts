import { causeChain } from "../../base/error-facts.ts";
import { isApiError } from "../../api/errors.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { reasonOf } from "../shared/ready.ts";
import { isRefusal } from "./refusal.ts";
import { noteBarredFields, noteRefusedFields, type Refusal, type Refused } from "./refusal-memory.ts";
import type { SectionChange, SectionLook } from "./section.ts";
import { type Looked, restsNow, type SectionedStatus, type Turn } from "./turn.ts";

/** What is written of a section where the platform refuses some of it: a request is refused as a whole. */

/** What a write came to. */
export type Written = Taken & ({ readonly kind: "all" } | { readonly kind: "part"; readonly refused: Refused });

interface Taken {
  /** as the section is after it */
  readonly look: SectionLook;
  readonly wrote: readonly SectionChange[];
}

type Making = Looked & { readonly due: readonly SectionChange[] };

/** Makes changes of a look. @returns the next one */
type Write = (look: SectionLook, due: readonly SectionChange[]) => Promise<SectionLook>;

/** What was made, and what was refused meanwhile. */
interface Made extends Taken {
  readonly refusals: readonly Refusal[];
}

/**
 * Makes the changes but those that the section itself has no request for: they are refused as fields are, so that the others count as in force.
 *
 * @throws as `write` does
 */
export async function writeAllowed<Status extends SectionedStatus>(
  turn: Turn<Status>,
  making: Making,
  write: Write,
): Promise<Written> {
  const { look, due } = making;
  const barred = look.barred?.(due);
  if (barred === undefined) return writeTaken(turn, making, write);
  const others = due.filter(({ field }) => !barred.fields.includes(field));
  const none = { kind: "all", look, wrote: [] } as const;
  const written = others.length === 0 ? none : await writeTaken(turn, { ...making, due: others }, write);
  const refused = noteBarredFields(turn, making, barred, written.kind === "part" ? written.refused : undefined);
  return { kind: "part", look: written.look, wrote: written.wrote, refused };
}

/**
 * Makes the changes; where the platform refuses them, those alone that it does not name, and those that hang on a plan or an add-on by themselves.
 *
 * @throws as `write` does: what is refused without any such change is refused as a whole
 */
async function writeTaken<Status extends SectionedStatus>(
  turn: Turn<Status>,
  making: Making,
  write: Write,
): Promise<Written> {
  const { section, look, due } = making;
  const suspects = turn.records.was(section.name)?.refused?.fields ?? [];
  try {
    return { kind: "all", look: await write(look, due), wrote: due };
  } catch (error) {
    const mayBeApart =
      due.some(({ field }) => look.gate?.(field) !== undefined) || blamed({ look, due, suspects, error }).length > 0;
    if (!mayBeApart || !isRefusal(error) || !(await restsNow(turn))) throw error;
    const { refusals, ...taken } = await writeApart({ ...making, suspects, error }, write);
    const [first, ...more] = refusals;
    if (first === undefined) return { kind: "all", ...taken };
    return { kind: "part", ...taken, refused: await noteRefusedFields(turn, making, [first, ...more]) };
  }
}

interface Apart extends Making {
  /** fields that were refused before: they are asked for with the others, and hold up none of them */
  readonly suspects: readonly string[];
  /** what they were refused with together */
  readonly error: TerminalError;
}

async function writeApart({ look, withheld, due, suspects, error }: Apart, write: Write): Promise<Made> {
  const gates = new Set(due.flatMap(({ field }) => look.gate?.(field) ?? []));
  const withWithheld = [...look.changes.filter(({ field }) => withheld.has(field)), ...due];
  const others = withWithheld.filter(({ field }) => look.gate?.(field) === undefined);
  // It was refused already, where it is all that was asked for.
  const known = others.length === due.length && gates.size === 0 ? error : undefined;
  const unnamed = { look, due: others, suspects, error: known };
  const made = await (gates.size > 0 ? writeUngated(unnamed, write) : writeUnnamed(unnamed, write));
  let next = made.look;
  const wrote = [...made.wrote];
  const refusals = [...made.refusals];
  for (const [gate, changes] of Map.groupBy(withWithheld, ({ field }) => look.gate?.(field))) {
    if (gate === undefined) continue;
    // The others were taken without it: it is this one that was refused.
    const isKnown = gates.size === 1 && gates.has(gate) && made.refusals.length === 0;
    const tried = isKnown ? refusedWith(error) : await orRefusal(next, changes, write);
    if (tried.kind === "refused") {
      refusals.push({ fields: fieldsOf(changes), error: tried.error, gate });
    } else {
      next = tried.look;
      wrote.push(...changes);
    }
  }
  return { look: next, wrote, refusals };
}

/**
 * The same beside those that hang on a plan or an add-on: what is refused in words that name none of it is refused by itself. It may pass, and hangs on no
 * plan that stands behind the others.
 */
async function writeUngated(unnamed: Unnamed, write: Write): Promise<Made> {
  try {
    return await writeUnnamed(unnamed, write);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { look: unnamed.look, wrote: [], refusals: [{ fields: fieldsOf(unnamed.due), error, gate: undefined }] };
  }
}

interface Unnamed {
  readonly look: SectionLook;
  readonly due: readonly SectionChange[];
  readonly suspects: readonly string[];
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
async function writeUnnamed({ look, due, suspects, error }: Unnamed, write: Write): Promise<Made> {
  const refusals: Refusal[] = [];
  let left = due;
  let failure = error;
  while (left.length > 0) {
    const tried = failure === undefined ? await orRefusal(look, left, write) : refusedWith(failure);
    if (tried.kind === "made") return { look: tried.look, wrote: left, refusals };
    const named = blamed({ look, due: left, suspects, error: tried.error });
    if (named.length === 0 || refusals.length === MOST_NAMED) throw together(refusals, tried.error);
    refusals.push({ fields: named, error: tried.error, gate: undefined });
    left = left.filter(({ field }) => !named.includes(field));
    failure = undefined;
  }
  return { look, wrote: [], refusals };
}

interface Blamed extends Omit<Unnamed, "error"> {
  readonly error: unknown;
}

/** Fields of changes that the platform's own words name; where they name none, those that were refused before. */
function blamed({ look, due, suspects, error }: Blamed): readonly string[] {
  const words = causeChain(error).find((link) => isApiError(link))?.message ?? "";
  const fields = fieldsOf(due).filter((field) => look.gate?.(field) === undefined);
  const named = new Set(look.named?.(words));
  const found = fields.filter((field) => named.has(field));
  return found.length > 0 ? found : fields.filter((field) => suspects.includes(field));
}

/** A refusal of all, in the words of each answer. */
function together(refusals: readonly Refusal[], last: TerminalError): TerminalError {
  if (refusals.length === 0) return last;
  const words = [...refusals.map(({ error }) => error.message), last.message].join("; ");
  return terminal(reasonOf(last.reason), words, { cause: last });
}

type Tried =
  | { readonly kind: "made"; readonly look: SectionLook }
  | { readonly kind: "refused"; readonly error: TerminalError };

function refusedWith(error: TerminalError): Tried {
  return { kind: "refused", error };
}

/** @throws what is no refusal */
async function orRefusal(look: SectionLook, changes: readonly SectionChange[], write: Write): Promise<Tried> {
  try {
    return { kind: "made", look: await write(look, changes) };
  } catch (error) {
    if (isRefusal(error)) return refusedWith(error);
    throw error;
  }
}

function fieldsOf(changes: readonly SectionChange[]): readonly string[] {
  return changes.map(({ field }) => field);
}
