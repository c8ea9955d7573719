import type { SectionEntry } from "../../resources/settings/status.ts";
import { type Decided, decide } from "./decide.ts";
import { entryAfter, entryBehind, wholeOf } from "./entries.ts";
import type { Restarting, Section, SectionChange, SectionFacts, SectionLook, SectionWrite } from "./section.ts";
import { occasionOf, withInVain } from "./in-vain.ts";
import { restingRefusal, withRefusedFields } from "./refusal-memory.ts";
import { endRestarts, withRestartsMade } from "./restart-for.ts";
import { knownAfter, sendOf } from "./sending.ts";
import { fail } from "./failing.ts";
import { type Looked, noteInSync, now, type SectionedStatus, tellFacts, type Turn } from "./turn.ts";
import { nextLookMs } from "./waits.ts";
import { writeAllowed, type Written } from "./write-allowed.ts";

/** Makes the changes that are due, section after section in their order, so that one restart of the database serves all that need one. */
export async function carryOut<Status extends SectionedStatus>(
  turn: Turn<Status>,
  looked: readonly Looked[],
): Promise<void> {
  const decided = withRestartsMade(looked).map((one): Decided => ({ ...one, decision: decide(turn, one) }));
  const left: Looked[] = [];
  let restarting: string | undefined;
  for (const [index, one] of decided.entries()) {
    const restarts = one.look.restarts(one.decision.write);
    if (restarts && restarting !== undefined) {
      // What restarts is refused while the database restarts already: it has its turn once that is over.
      putOff(turn, one.section, { others: [restarting], fields: one.decision.write.map(({ field }) => field) });
      continue;
    }
    const look = await settle(turn, one, decided.slice(index + 1));
    if (look?.awaitsRestart?.leftTo !== undefined) left.push({ ...one, look });
    else if (look !== undefined && restarts) restarting = one.section.name;
  }
  await endRestarts(turn, left, restarting !== undefined);
}

/** The section waits for others. Its next drift check is then that of nobody: it is looked at once they are done. */
export function putOff<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { name }: Section,
  { others, fields = wholeOf({ name }) }: { readonly others: readonly string[]; readonly fields?: readonly string[] },
): void {
  turn.records.endAs(entryBehind(turn.records.was(name) ?? { name }, { others, fields, nowMs: now(turn) }));
  turn.run.environment.sections.drop(turn.run.key, name);
}

/** @returns the look that was the last; undefined where a write failed */
async function settle<Status extends SectionedStatus>(
  turn: Turn<Status>,
  one: Decided,
  later: readonly Decided[],
): Promise<SectionLook | undefined> {
  const { section, decision } = one;
  const parts: Part[] = [];
  try {
    const rests = { kind: "all", look: one.look, wrote: [] } as const;
    const written = decision.write.length === 0 ? rests : await write(turn, one, { later, parts });
    const { state } = conclude(turn, one, written);
    if (state === "InSync" || state === "Drifted") noteInSync(turn, one);
    else turn.run.environment.sections.drop(turn.run.key, section.name);
    return written.look;
  } catch (error) {
    const made = new Set(parts.flatMap(({ due }) => due.map(({ field }) => field)));
    const left = { ...one, decision: { write: decision.write.filter(({ field }) => !made.has(field)) } };
    await fail(turn, left, error);
    if (turn.records.end(section.name)?.state === "Failed") turn.tries.lasts(section.name);
    return undefined;
  }
}

/** A part of a write that was taken. */
interface Part {
  /** as the section was after it */
  readonly look: SectionLook;
  readonly due: readonly SectionChange[];
}

async function writeRecorded<Status extends SectionedStatus>(
  turn: Turn<Status>,
  one: Decided,
  { later, taken }: { readonly later: readonly Decided[]; readonly taken: (part: Part) => void },
): Promise<Written> {
  const { name } = one.section;
  const note = (words: string | undefined, facts: SectionFacts): void => {
    turn.records.noteGone(name, words);
    turn.facts.push(facts);
  };
  return writeAllowed(turn, { ...one, due: one.decision.write }, async (from, due) => {
    const send: SectionWrite["send"] = (request, noted = {}) =>
      sendOf(turn, { decided: one, due, later, noted }, request);
    const next = await from.write(due, { restartBy: restartingOf(later), send, gone: note });
    taken({ look: next, due });
    return next;
  });
}

/** Later sections of the run that restart the database. */
function restartingOf(later: readonly Decided[]): readonly Restarting[] {
  return later
    .filter(({ look, decision }) => look.restarts(decision.write))
    .map(({ section, look: { standing = "" } }) => ({ section: section.name, had: standing }));
}

async function write<Status extends SectionedStatus>(
  turn: Turn<Status>,
  one: Decided,
  { later, parts }: { readonly later: readonly Decided[]; readonly parts: Part[] },
): Promise<Written> {
  await turn.run.protect();
  const taken = (part: Part): void => {
    parts.push(part);
    tellFacts(turn, part.look);
    turn.records.take(one.section.name, part.look.secrets);
  };
  try {
    return await writeRecorded(turn, one, { later, taken });
  } finally {
    tellWritten(turn, one, parts);
  }
}

/** Tells of what was taken, whatever became of the parts after it. */
function tellWritten<Status extends SectionedStatus>(turn: Turn<Status>, one: Decided, parts: readonly Part[]): void {
  const { run, target, circumstances } = turn;
  const { section } = one;
  const last = parts.at(-1);
  const wrote = parts.flatMap(({ due }) => due);
  if (last === undefined || wrote.length === 0) return;
  circumstances.forget();
  for (const change of wrote) run.environment.convergence.wrote(target.object, change, section.name);
  const fields = wrote.map(({ field }) => field);
  run.wrote("Updated", `changed ${section.name}`, fields);
  tellRestart(turn, one, { look: last.look, wrote });
  count(run.environment, { kind: target.object.kind, section: section.name });
}

/** Connections end: whoever sees that is told by what. A restart that is left to others is told by them. */
function tellRestart<Status extends SectionedStatus>(
  { run }: Turn<Status>,
  { look: before }: Decided,
  { look, wrote }: Pick<Written, "look" | "wrote">,
): void {
  const needing = wrote.filter((change) => before.restarts([change])).map(({ field }) => field);
  if (needing.length === 0 || look.awaitsRestart?.leftTo !== undefined) return;
  run.wrote("Restarting", "the database restarts for what was changed", needing);
}

/** What the platform has no more is news once: as long as the entry says it, nobody is told again. */
function tellNotice<Status extends SectionedStatus>(
  { run, records }: Turn<Status>,
  { name, message = "" }: SectionEntry,
  { notice }: SectionLook,
): void {
  if (notice === undefined || !message.includes(notice)) return;
  if (records.was(name)?.message?.includes(notice) === true) return;
  const note = `${name}: ${notice}`;
  run.environment.events.event({
    regarding: run.raw,
    type: "Normal",
    reason: "ValueNotOffered",
    action: "Reconcile",
    note,
  });
}

function count(
  { meter }: Turn<SectionedStatus>["run"]["environment"],
  labels: { kind: string; section: string },
): void {
  meter
    .counter({
      name: "baas_section_writes_total",
      help: "Writes of sections of a spec that differed remotely",
      labels: ["kind", "section"],
    })
    .increment(labels);
}

/** Notes how the section stands, by the last look at it. @returns how it does aside from what of it is refused */
function conclude<Status extends SectionedStatus>(turn: Turn<Status>, one: Decided, written: Written): SectionEntry {
  const { look, wrote: making } = written;
  const { run, target, records, polls } = turn;
  const { section, declared, decision } = one;
  const { name } = section;
  const left = new Set([...decision.reported, ...decision.stuck, ...decision.ignored]);
  const wrote = new Set([...making.map(({ field }) => field), ...decision.unseen]);
  // What a policy leaves as it is was not written, and is no work that is left.
  const open = look.changes.map(({ field }) => field).filter((field) => wrote.has(field) && !left.has(field));
  const entry = entryAfter({
    before: knownAfter(turn, one),
    digest: declared,
    isObserved: turn.at.isObserved,
    look,
    open,
    left: decision,
    isSettled: decision.isSettled,
    advice: decision.advice,
    nowMs: now(turn),
    timeout: target.object.spec.provisioningTimeout,
  });
  tellNotice(turn, entry, look);
  if (look.progress.kind === "waiting") polls.set(name, nextLookMs(turn, name, look.progress));
  else run.environment.sections.endWait(run.key, name);
  const refused = written.kind === "part" ? written.refused : restingRefusal(turn, one);
  const known = turn.isAsked ? undefined : records.was(name);
  const ended = { one, wrote: making, after: look, occasion: occasionOf(turn) };
  records.endAs(withRefusedFields(withInVain(entry, known, ended), refused));
  return entry;
}
