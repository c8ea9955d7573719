import type { CallOptions } from "../../api/client-options.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { kubeTime } from "../shared/conditions.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import type { Decided } from "./decide.ts";
import { entryRecorded, entrySending } from "./recorded-entries.ts";
import { isInForce } from "./in-force.ts";
import type { RecordedBefore } from "./section.ts";
import { knownOf, type Looked, now, putEntries, rememberEntries, type SectionedStatus, type Turn } from "./turn.ts";

/**
 * What was known of a section is given up, in the status, before something else is sent: of a request whose answer is lost nobody can tell which of the two
 * is in force, and what is declared by the next look may be the former one again. That is an edit then, and no drift. Where nothing was sent, or all of it
 * certainly came to nothing, what was known before is so still.
 */

interface Sending {
  readonly one: Decided;
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
  const { recorded, arrived, run } = turn;
  const { sections } = run.status.current;
  const before = recorded.get(name);
  const mayHaveArrived = arrived.has(name);
  let records: readonly SectionEntry[] = [];
  return sendRecorded(run, {
    what: `sections.${name}`,
    record: () => {
      records = recordsOf(turn, sending);
      if (records.length > 0) putEntries(turn, records);
    },
    recorded: () => {
      rememberEntries(turn, records);
      arrived.add(name);
    },
    takeBack: ({ message }) => {
      for (const one of records) recorded.delete(one.name);
      if (before !== undefined) recorded.set(name, before);
      if (!mayHaveArrived) arrived.delete(name);
      if (records.length > 0) run.status.sections(sections);
      return message;
    },
    send: request,
  });
}

/** What is to be recorded now: of each section once, and none of which nothing is known that a request could make untrue. */
function recordsOf<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { one, later, noted }: Sending,
): readonly SectionEntry[] {
  const { name } = one.section;
  const given = [one, ...later].flatMap((each) => givenUp(turn, each));
  if (Object.keys(noted).length === 0) return given;
  const known = given.find((entry) => entry.name === name) ?? turn.recorded.get(name) ?? turn.before.get(name);
  return [
    ...given.filter((entry) => entry.name !== name),
    entryRecorded(known ?? { name }, { ...noted, fields: fieldsOf(one) }),
  ];
}

function givenUp<Status extends SectionedStatus>(turn: Turn<Status>, one: Decided): readonly SectionEntry[] {
  const { name } = one.section;
  const before = turn.before.get(name);
  if (before === undefined || turn.recorded.has(name) || !mayBecomeUntrue(one, before)) return [];
  return [sendingOf(one, before, now(turn))];
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
