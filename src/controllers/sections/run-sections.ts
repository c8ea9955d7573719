import { isDeepStrictEqual } from "node:util";
import type { CallOptions } from "../../api/client-options.ts";
import { asError } from "../../base/error-facts.ts";
import { classify } from "../../runtime/outcome.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { showDrift } from "../shared/drift.ts";
import { REFUSED_LOOK_MS } from "../shared/drift-checks.ts";
import { withoutOwed } from "../shared/owed-looks.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import { isUnlooked } from "./await-running.ts";
import { carryOut, putOff } from "./carry-out.ts";
import { driftOf, entryFailed, entryLeft, unseenMs, withGone } from "./entries.ts";
import { entriesNow } from "./former-sections.ts";
import { digestOf } from "./memory.ts";
import { mayRest, type Resting, restingOf } from "./refusal-memory.ts";
import { fail } from "./failing.ts";
import type { Section, SectionAt, SectionFacts, SectionLook, Sections } from "./section.ts";
import { sectionsOf } from "./refused-sections.ts";
import { type SectionsEnd, sumOf } from "./sum.ts";
import {
  beginTurn,
  isAskedFor,
  type Looked,
  memoryDigest,
  noteServing,
  now,
  type SectionedStatus,
  type SectionTarget,
  tellFacts,
  type Turn,
} from "./turn.ts";
import { reasonOfLook } from "./wanting.ts";

/** Whether sections were looked at before: until then they wait for healthy services (K-02). */
export function isConfigured({ sections: entries = [] }: SectionedStatus): boolean {
  return entries.some((entry) => !isUnlooked(entry));
}

/**
 * Makes the declared sections as they are declared, each by itself: one that fails never holds up the others. Writes nothing under
 * `managementPolicy: Observe`. What became of each stands in status.sections.
 */
export async function runSections<Status extends SectionedStatus>(
  run: Run<Status>,
  target: SectionTarget,
): Promise<SectionsEnd> {
  const { spec } = target.object;
  const declared = sectionsOf(target.object).filter((one) => one.declared(spec) !== undefined);
  const known = (run.status.current.sections ?? []).filter((entry) => !isUnlooked(entry));
  const turn = beginTurn(run, target, entriesNow(known, declared, spec));
  const isLater = (section: Section): boolean => priorsOf(section, spec).length > 0;
  for (const part of [declared.filter((one) => !isLater(one)), declared.filter(isLater)]) {
    await carryOut(turn, await lookAt(turn, part));
  }
  const entries = declared.flatMap(({ name }) => turn.records.told(name) ?? []).map(withGone);
  const left = leftOver(turn, declared);
  run.status.sections(listed([...entries, ...left]));
  run.status.untoldSections(listed([...asBefore(turn, entries), ...left]));
  run.status.leaveVersion("sections", "secretResourceVersion");
  run.status.facts(factsOf(turn, entries));
  showDrift(run, target.others, driftOf(entries));
  const intervalMs = driftIntervalMs(target.policies);
  const due = dueInMs(turn, entries, intervalMs);
  const recheckAfterMs = Math.min(intervalMs ?? REFUSED_LOOK_MS, due ?? Infinity);
  const summed = sumOf({
    ...turn,
    entries,
    isUntold: isUntold(turn, entries),
    nowMs: now(turn),
    recheckAfterMs,
    dueInMs: due,
  });
  const ends = [...(due === undefined ? [] : [due]), ...left.map((one) => unseenMs(one, now(turn)))];
  return { error: turn.lost.map(asError)[0] ?? summed, dueInMs: ends.length === 0 ? undefined : Math.min(...ends) };
}

function listed(entries: readonly SectionEntry[]): readonly SectionEntry[] | undefined {
  return entries.length === 0 ? undefined : entries;
}

/** Entries of which what is doubted says what it said. */
function asBefore<Status extends SectionedStatus>(
  { records, untold }: Turn<Status>,
  entries: readonly SectionEntry[],
): readonly SectionEntry[] {
  return entries.flatMap((entry) => (untold.has(entry.name) ? (records.was(entry.name) ?? []) : entry));
}

/** Whether the run has nothing to tell yet: what it doubts was in sync or is new, and all else stands as it stood. */
function isUntold<Status extends SectionedStatus>(
  { records, untold }: Turn<Status>,
  entries: readonly SectionEntry[],
): boolean {
  if (entries.some((entry) => isOnItsWay(entry) && !untold.has(entry.name))) return false;
  return entries.every((entry) => {
    const was = records.was(entry.name);
    return untold.has(entry.name)
      ? (was?.state ?? "InSync") === "InSync"
      : isDeepStrictEqual(withoutOwed(entry), was && withoutOwed(was));
  });
}

/** Of sections that are declared no more, those of which something may take effect yet. */
function leftOver<Status extends SectionedStatus>(
  turn: Turn<Status>,
  declared: readonly Section[],
): readonly SectionEntry[] {
  const names = new Set(declared.map(({ name }) => name));
  const others = turn.records.allWere.filter(({ name }) => !names.has(name));
  return others.filter((one) => unseenMs(one, now(turn)) > 0).map(entryLeft);
}

/** Names of the sections that come before it, as the spec has them. */
function priorsOf({ after = [] }: Section, spec: Sections): readonly string[] {
  return after.filter((prior) => prior.applies(spec)).map(({ section }) => section);
}

/** Looks at the sections that are due, all at once. */
async function lookAt<Status extends SectionedStatus>(
  turn: Turn<Status>,
  due: readonly Section[],
): Promise<readonly Looked[]> {
  const looked = await Promise.all(due.map((section) => lookAtOne(turn, section)));
  const found = looked.filter((one) => one !== undefined);
  for (const one of found) noteServing(turn, one);
  return found;
}

async function lookAtOne<Status extends SectionedStatus>(
  turn: Turn<Status>,
  section: Section,
): Promise<Looked | undefined> {
  const { name } = section;
  const before = turn.records.was(name);
  const { spec } = turn.target.object;
  const declared = digestOf(section.declared(spec));
  const behind = priorsOf(section, spec).filter((other) => isOnItsWay(turn.records.end(other)));
  if (behind.length > 0) {
    putOff(turn, section, { others: behind });
    return undefined;
  }
  const standing = standingOf(turn, section, declared);
  if (standing === "rests" && before !== undefined) {
    turn.records.endAs(before);
    return undefined;
  }
  return lookNow(turn, section, { declared, isDue: standing === "due" });
}

/** @param isDue for its drift check, and for nothing else */
async function lookNow<Status extends SectionedStatus>(
  turn: Turn<Status>,
  section: Section,
  { declared, isDue }: { readonly declared: string; readonly isDue: boolean },
): Promise<Looked | undefined> {
  const { run } = turn;
  const before = turn.records.was(section.name);
  const { spec } = turn.target.object;
  // Before anything is read: what changes meanwhile is another one, and wakes the object.
  const memory = memoryDigest(turn, section, declared);
  let resting: Resting = { kind: "nothing" };
  let isForDrift = isDue;
  try {
    resting = await restingOf(turn, before, { section, declared });
    if (resting.kind === "section") turn.records.endAs(resting.entry);
    if (resting.kind === "section" && !isLookedAt(turn, resting.entry)) return undefined;
    // What was refused and is asked for again is for more than that.
    isForDrift = resting.kind === "section" || (isDue && (resting.kind === "fields" || before?.refused === undefined));
    const look = await (isForDrift ? lookForDrift(turn, section) : section.look(turn.at, spec, before));
    run.check.looked(section.name);
    tellFacts(turn, look);
    if (resting.kind === "section" && look.changes.length > 0) return undefined;
    return { section, declared, memory, withheld: resting.kind === "fields" ? resting.fields : new Set(), look };
  } catch (thrown) {
    if (isForDrift && isPutOff(turn, section, thrown)) return undefined;
    await failLook(turn, { section, declared, resting }, thrown);
    return undefined;
  }
}

/** What may pass is looked at by drift checks all the same: it may be as declared by now, or was refused for no more than a wrong answer. */
function isLookedAt<Status extends SectionedStatus>({ run }: Turn<Status>, { name, refused }: SectionEntry): boolean {
  return refused?.mayPass === true && run.check.isDue(name);
}

/** A look that spends the share of drift checks: what follows from it, where something is to be written, goes with that. */
async function lookForDrift<Status extends SectionedStatus>(
  { run, at, target, records }: Turn<Status>,
  section: Section,
): Promise<SectionLook> {
  let call: CallOptions = run.driftCall;
  const place: SectionAt = {
    ...at,
    get call() {
      return call;
    },
  };
  try {
    return await section.look(place, target.object.spec, records.was(section.name));
  } finally {
    ({ call } = at);
  }
}

async function failLook<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { resting, ...failing }: Pick<Looked, "section" | "declared"> & { readonly resting: Resting },
  thrown: unknown,
): Promise<void> {
  const { error, wanting } = reasonOfLook(thrown);
  const isKept =
    resting.kind === "section" && entryFailed(resting.entry, classify(error, turn.run.signal), now(turn)) !== undefined;
  if (isKept) turn.run.check.looked(failing.section.name);
  else await fail(turn, { ...failing, wanting }, error);
}

function isOnItsWay(entry: SectionEntry | undefined): boolean {
  return entry?.state === "Applying" || entry?.state === "Waiting";
}

/** Whether a section is looked at: `changed` or open, `due` for its drift check and for nothing else, or at `rest`. */
function standingOf<Status extends SectionedStatus>(
  turn: Turn<Status>,
  section: Section,
  declared: string,
): "changed" | "due" | "rests" {
  const { run, target, records, at } = turn;
  const before = records.was(section.name);
  const { state, applied } = before ?? {};
  const seen = run.environment.sections.recall(run.key, target.object.metadata.uid, section.name);
  const isInForce = applied === declared || at.isObserved;
  const isSettled = state === "InSync" || mayRest(turn, before);
  // Only a look tells whether the restart that was left to it came.
  const isAwaited = records.allWere.some((one) => one.awaitsRestart?.leftTo?.includes(section.name) === true);
  if (seen === undefined || !isSettled || !isInForce || isAwaited || isAskedFor(turn, section.name)) return "changed";
  if (seen.digest !== memoryDigest(turn, section, declared)) return "changed";
  const intervalMs = driftIntervalMs(target.policies) ?? Infinity;
  const { check } = run;
  const isDue = check.made === undefined ? monotonic(turn) - seen.lookedAtMs >= intervalMs : check.isDue(section.name);
  return isDue ? "due" : "rests";
}

/** Whether a look for the drift check alone waits until the share of those has budget: whatever else the run is for goes on. */
function isPutOff<Status extends SectionedStatus>(
  { run, records, putOff }: Turn<Status>,
  { name }: Section,
  error: unknown,
): boolean {
  const [outcome, before] = [classify(error, run.signal), records.was(name)];
  if (outcome.kind !== "rateLimited" || before === undefined || run.driftCall.lane === run.call.lane) return false;
  records.endAs(before);
  putOff.set(name, outcome.retryAfterMs);
  run.check.cutOff();
  return true;
}

function monotonic<Status extends SectionedStatus>({ run }: Turn<Status>): number {
  return run.environment.clock.monotonic();
}

/** What was learned, and what is known of declared sections that were not looked at. */
function factsOf<Status extends SectionedStatus>(turn: Turn<Status>, entries: readonly SectionEntry[]): SectionFacts {
  const { customHostname, diskAutoscale, networkBans } = turn.run.status.current;
  const declared = new Set(entries.map(({ name }) => name));
  const known: SectionFacts = {
    customHostname: declared.has("customHostname") ? customHostname : undefined,
    diskAutoscale: declared.has("disk") ? diskAutoscale : undefined,
    networkBans: declared.has("database.networkRestrictions") ? networkBans : undefined,
  };
  return turn.facts.reduce<SectionFacts>((all, one) => ({ ...all, ...one }), known);
}

function dueInMs<Status extends SectionedStatus>(
  turn: Turn<Status>,
  entries: readonly SectionEntry[],
  intervalMs: number | undefined,
): number | undefined {
  const { run, target } = turn;
  const due = entries.flatMap(({ name }) => {
    const seen = run.environment.sections.recall(run.key, target.object.metadata.uid, name);
    const putOffMs = turn.putOff.get(name);
    if (putOffMs !== undefined || seen === undefined || intervalMs === undefined) return putOffMs ?? [];
    return seen.lookedAtMs + intervalMs - monotonic(turn);
  });
  return due.length === 0 ? undefined : Math.min(...due);
}
