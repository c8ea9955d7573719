import { isDeepStrictEqual } from "node:util";
import { asError } from "../../base/error-facts.ts";
import { classify } from "../../runtime/outcome.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { showDrift } from "../shared/drift.ts";
import { REFUSED_LOOK_MS } from "../shared/drift-checks.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import type { Run } from "../shared/run.ts";
import { carryOut, putOff } from "./carry-out.ts";
import { driftOf, entryFailed, entryLeft, unseenMs, withGone } from "./entries.ts";
import { entriesNow } from "./former-sections.ts";
import { digestOf } from "./memory.ts";
import { mayRest, type Resting, restingOf } from "./refusal-memory.ts";
import { fail } from "./failing.ts";
import type { Section, SectionFacts, Sections } from "./section.ts";
import { sections } from "./sections.ts";
import { sumOf } from "./sum.ts";
import {
  beginTurn,
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

/** How the sections leave the run. */
export interface SectionsEnd {
  /** how the run is to end because of them; undefined: nothing is left to do */
  readonly error: Error | undefined;
  /** milliseconds until a section that was not looked at now is due for its drift check */
  readonly dueInMs: number | undefined;
}

/** Whether sections were looked at before: until then they wait for healthy services (K-02). */
export function isConfigured({ sections: entries = [] }: SectionedStatus): boolean {
  return entries.length > 0;
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
  const declared = sections.filter((one) => one.declared(spec) !== undefined);
  const turn = beginTurn(run, target, entriesNow(run.status.current.sections ?? [], declared, spec));
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
    return untold.has(entry.name) ? (was?.state ?? "InSync") === "InSync" : isDeepStrictEqual(entry, was);
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
  if (isAtRest(turn, section, declared)) {
    if (before !== undefined) turn.records.endAs(before);
    return undefined;
  }
  // Before anything is read: what changes meanwhile is another one, and wakes the object.
  const memory = memoryDigest(turn, section, declared);
  let resting: Resting = { kind: "nothing" };
  try {
    resting = await restingOf(turn, before, { section, declared });
    if (resting.kind === "section") turn.records.endAs(resting.entry);
    // What may pass is looked at by drift checks all the same: it may be as declared by now, or was refused for no more than a wrong answer.
    if (resting.kind === "section" && !(turn.isFull && resting.entry.refused?.mayPass === true)) return undefined;
    const look = await section.look(turn.at, spec, before);
    tellFacts(turn, look);
    if (resting.kind === "section" && look.changes.length > 0) return undefined;
    return { section, declared, memory, withheld: resting.kind === "fields" ? resting.fields : new Set(), look };
  } catch (thrown) {
    const { error, wanting } = reasonOfLook(thrown);
    const isKept =
      resting.kind === "section" &&
      entryFailed(resting.entry, classify(error, turn.run.signal), now(turn)) !== undefined;
    if (!isKept) await fail(turn, { section, declared, wanting }, error);
    return undefined;
  }
}

function isOnItsWay(entry: SectionEntry | undefined): boolean {
  return entry?.state === "Applying" || entry?.state === "Waiting";
}

/** Found in sync as it is declared, of the same Secrets and ConfigMaps, and not due for a drift check. */
function isAtRest<Status extends SectionedStatus>(turn: Turn<Status>, section: Section, declared: string): boolean {
  const { run, target, records, isFull, at } = turn;
  const before = records.was(section.name);
  const { state, applied } = before ?? {};
  const seen = run.environment.sections.recall(run.key, target.object.metadata.uid, section.name);
  const isInForce = applied === declared || at.isObserved;
  const rests = state === "InSync" || mayRest(turn, before);
  // Only a look tells whether the restart that was left to it came.
  const isAwaited = records.allWere.some((one) => one.awaitsRestart?.leftTo?.includes(section.name) === true);
  if (isFull || seen === undefined || !rests || !isInForce || isAwaited) return false;
  const intervalMs = driftIntervalMs(target.policies) ?? Infinity;
  return seen.digest === memoryDigest(turn, section, declared) && now(turn) - seen.lookedAtMs < intervalMs;
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
  if (intervalMs === undefined) return undefined;
  const { run, target } = turn;
  const due = entries.flatMap(({ name }) => {
    const seen = run.environment.sections.recall(run.key, target.object.metadata.uid, name);
    return seen === undefined ? [] : [Math.max(0, seen.lookedAtMs + intervalMs - now(turn))];
  });
  return due.length === 0 ? undefined : Math.min(...due);
}
