import type { CallOptions } from "../../api/client-options.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { kubeTime } from "../shared/conditions.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import type { Decided } from "./decide.ts";
import { entryRecorded, entrySending } from "./recorded-entries.ts";
import { isInForce } from "./in-force.ts";
import type { RecordedBefore, SectionChange } from "./section.ts";
import { knownOf, type Looked, now, putEntries, rememberEntries, type SectionedStatus, type Turn } from "./turn.ts";
import { attemptOf } from "./vain-tries.ts";

/**
 * What was known of a section is given up, in the status, before something else is sent: of a request whose answer is lost nobody can tell which of the two
 * is in force, and what is declared by the next look may be the former one again. That is an edit then, and no drift. Where nothing was sent, or all of it
 * certainly came to nothing, what was known before is so still. Of what was asked for before just so, and refused until somebody acts, the status goes on
 * saying that: it is as good as certain that it is refused again, and to record each try would leave what is in force untold.
 */

interface Sending {
  readonly one: Decided;
  /** what of it is asked for by this request, or by the ones that follow from it */
  readonly due: readonly SectionChange[];
  /** sections that are to be written after it: recorded with it, in one write of the status */
  readonly later: readonly Decided[];
  readonly noted: RecordedBefore;
}

/**
 * Sends a request of a section, with what it may make untrue given up in the status right before.
 *
 * @throws KubeError Conflict: nothing was sent; read again; else as `request`
 */
export async function sendOf<Status extends SectionedStatus, T>(
  turn: Turn<Status>,
  sending: Sending,
  request: (call: CallOptions) => Promise<T>,
): Promise<T> {
  const { name } = sending.one.section;
  const { recorded, arrived, unstored, tries, run } = turn;
  const { sections } = run.status.current;
  const before = recorded.get(name);
  const mayHaveArrived = arrived.has(name);
  const attempt = attemptOf(sending.one, sending.due);
  const isAgain = !mayHaveArrived && tries.wereVain(name, attempt);
  let known: readonly SectionEntry[] = [];
  let records: readonly SectionEntry[] = [];
  return sendRecorded(run, {
    what: `sections.${name}`,
    record: () => {
      ({ known, records } = recordsOf(turn, { ...sending, isAgain }));
      if (records.length > 0) putEntries(turn, records);
    },
    recorded: () => {
      rememberEntries(turn, known);
      arrived.add(name);
      if (isAgain) unstored.add(name);
      else unstored.delete(name);
      tries.begin(name);
    },
    takeBack: ({ message }) => {
      for (const one of known) recorded.delete(one.name);
      if (before !== undefined) recorded.set(name, before);
      if (!mayHaveArrived) arrived.delete(name);
      if (records.length > 0) run.status.sections(sections);
      tries.refused(name, attempt);
      return `${attempt}: ${message}`;
    },
    send: request,
  });
}
interface Records {
  /** what is known of sections once the request is sent */
  readonly known: readonly SectionEntry[];
  /** what the status says of them from right before */
  readonly records: readonly SectionEntry[];
}

/** What is to be recorded now: of each section once, and none of which nothing is known that a request could make untrue. */
function recordsOf<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { one, later, noted, isAgain }: Sending & { readonly isAgain: boolean },
): Records {
  const behind = later
    // What is tried again says so by itself, in its turn.
    .filter((each) => !turn.tries.wereVain(each.section.name, attemptOf(each, each.decision.write)))
    .flatMap((each) => givenUp(turn, each));
  const known = withNoted(turn, { one, noted }, givenUp(turn, one));
  const records = isAgain ? withNoted(turn, { one, noted }, withoutSent(turn, one)) : known;
  return { known: [...known, ...behind], records: [...records, ...behind] };
}

function withNoted<Status extends SectionedStatus>(
  { before, recorded }: Turn<Status>,
  { one, noted }: Pick<Sending, "one" | "noted">,
  given: readonly SectionEntry[],
): readonly SectionEntry[] {
  const { name } = one.section;
  if (Object.keys(noted).length === 0) return given;
  const entry = given[0] ?? recorded.get(name) ?? before.get(name) ?? { name };
  return [entryRecorded(entry, { ...noted, fields: fieldsOf(one) })];
}

function givenUp<Status extends SectionedStatus>(turn: Turn<Status>, one: Decided): readonly SectionEntry[] {
  const { name } = one.section;
  const before = turn.before.get(name);
  const isRecorded = turn.recorded.has(name) && !turn.unstored.has(name);
  if (before === undefined || isRecorded || !mayBecomeUntrue(one, before)) return [];
  return [sendingOf(one, before, now(turn))];
}

/** Of what is tried again as it was refused no more is given up than what was sent of secrets, which no read tells. */
function withoutSent<Status extends SectionedStatus>({ before }: Turn<Status>, one: Decided): readonly SectionEntry[] {
  const entry = before.get(one.section.name);
  if (entry === undefined) return [];
  const secrets = keptSecrets(one, entry);
  return secrets.length === (entry.secrets ?? []).length ? [] : [{ ...entry, secrets }];
}

function mayBecomeUntrue(one: Decided, before: SectionEntry): boolean {
  if (one.decision.write.length === 0) return false;
  const isKnown = before.applied !== undefined && !isInForce(before, one);
  return isKnown || keptSecrets(one, before).length < (before.secrets ?? []).length;
}

function sendingOf(one: Decided, before: SectionEntry, nowMs: number): SectionEntry {
  const { applied } = before;
  const entry = entrySending(before, {
    digest: one.declared,
    secrets: keptSecrets(one, before),
    fields: fieldsOf(one),
    nowMs,
  });
  // Where only a Secret is another one, what is declared was in force and is.
  return applied !== undefined && isInForce(before, one) ? { ...entry, applied } : entry;
}

function fieldsOf({ decision }: Decided): readonly string[] {
  return decision.write.map(({ field }) => field);
}

/** What is remembered of secrets that are not about to be sent. */
function keptSecrets({ decision }: Decided, { secrets = [] }: SectionEntry): NonNullable<SectionEntry["secrets"]> {
  const changed = new Set(decision.write.flatMap(({ field, remembered }) => (remembered === true ? [field] : [])));
  return secrets.filter(({ field }) => !changed.has(field));
}

/** What is known of a section after its look and its writes, whatever came of them. */
export function knownAfter<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { section: { name }, declared }: Pick<Looked, "section" | "declared">,
): Pick<SectionEntry, "name"> & Partial<SectionEntry> {
  const known = knownOf(turn, name) ?? { name };
  return turn.arrived.has(name) ? { ...known, sending: declared, sentAt: kubeTime(now(turn)) } : known;
}
