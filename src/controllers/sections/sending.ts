import type { CallOptions } from "../../api/client-options.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { kubeTime } from "../shared/conditions.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import type { Decided } from "./decide.ts";
import { entryRecorded, entrySending } from "./recorded-entries.ts";
import { isInForce } from "./in-force.ts";
import type { RecordedBefore, SectionChange } from "./section.ts";
import { type Looked, now, type SectionedStatus, type Turn } from "./turn.ts";
import { attemptOf } from "./vain-tries.ts";

/**
 * What was known of a section is given up, in the status, before something else is sent: of a request whose answer is lost nobody can tell which of the two
 * is in force, and what is declared by the next look may be the former one again. That is an edit then, and no drift. Where nothing was sent, or all of it
 * certainly came to nothing, what was known before is so still. Of what was asked for before just so, and refused until somebody acts, the status goes on
 * saying that: it is as good as certain that it is refused again, and to record each try would leave what is in force untold.
 */

interface SectionRequest {
  readonly decided: Decided;
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
  sending: SectionRequest,
  request: (call: CallOptions) => Promise<T>,
): Promise<T> {
  const { name } = sending.decided.section;
  const { records, tries, run } = turn;
  const { sections } = run.status.current;
  const attempt = attemptOf(sending.decided, sending.due);
  const isAgain = !records.mayHaveArrived(name) && tries.wereVain(name, attempt);
  let takeBack = (): void => undefined;
  const { answer } = await sendRecorded(run, {
    what: `sections.${name}`,
    record: () => {
      const given = recordsOf(turn, { ...sending, isAgain });
      if (given.told.length > 0) run.status.sections(records.withRecords(given.told));
      return given;
    },
    recorded: ({ known }) => {
      takeBack = records.send(name, { known, isStored: !isAgain });
      tries.begin(name);
    },
    // A life that believed it would restart the database for nothing.
    isActedOn: "awaitsRestart" in sending.noted,
    takeBack: ({ message }, { told }) => {
      takeBack();
      if (told.length > 0) run.status.sections(sections);
      tries.refused(name, attempt);
      return `${attempt}: ${message}`;
    },
    send: request,
  });
  return answer;
}

interface GivenUp {
  /** what is known of sections once the request is sent */
  readonly known: readonly SectionEntry[];
  /** what the status is to say of them from right before */
  readonly told: readonly SectionEntry[];
}

/** What is to be recorded now: of each section once, and none of which nothing is known that a request could make untrue. */
function recordsOf<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { decided, later, noted, isAgain }: SectionRequest & { readonly isAgain: boolean },
): GivenUp {
  const behind = later
    // What is tried again says so by itself, in its turn.
    .filter((each) => !turn.tries.wereVain(each.section.name, attemptOf(each, each.decision.write)))
    .flatMap((each) => givenUp(turn, each));
  const known = withNoted(turn, { decided, noted }, givenUp(turn, decided));
  const told = isAgain ? withNoted(turn, { decided, noted }, withoutSent(turn, decided)) : known;
  return { known: [...known, ...behind], told: [...told, ...behind] };
}

function withNoted<Status extends SectionedStatus>(
  { records }: Turn<Status>,
  { decided, noted }: Pick<SectionRequest, "decided" | "noted">,
  given: readonly SectionEntry[],
): readonly SectionEntry[] {
  const { name } = decided.section;
  if (Object.keys(noted).length === 0) return given;
  const entry = given[0] ?? records.recorded(name) ?? { name };
  return [entryRecorded(entry, { ...noted, fields: fieldsOf(decided) })];
}

function givenUp<Status extends SectionedStatus>(turn: Turn<Status>, decided: Decided): readonly SectionEntry[] {
  const { name } = decided.section;
  const before = turn.records.was(name);
  if (before === undefined || turn.records.isStored(name) || !mayBecomeUntrue(decided, before)) return [];
  return [sendingOf(decided, before, now(turn))];
}

/** Of what is tried again as it was refused no more is given up than what was sent of secrets, which no read tells. */
function withoutSent<Status extends SectionedStatus>(
  { records }: Turn<Status>,
  decided: Decided,
): readonly SectionEntry[] {
  const entry = records.was(decided.section.name);
  if (entry === undefined) return [];
  const secrets = keptSecrets(decided, entry);
  return secrets.length === (entry.secrets ?? []).length ? [] : [{ ...entry, secrets }];
}

function mayBecomeUntrue(decided: Decided, before: SectionEntry): boolean {
  if (decided.decision.write.length === 0) return false;
  const isKnown = before.applied !== undefined && !isInForce(before, decided);
  return isKnown || keptSecrets(decided, before).length < (before.secrets ?? []).length;
}

function sendingOf(decided: Decided, before: SectionEntry, nowMs: number): SectionEntry {
  const { applied } = before;
  const entry = entrySending(before, {
    digest: decided.declared,
    secrets: keptSecrets(decided, before),
    fields: fieldsOf(decided),
    nowMs,
  });
  // Where only a Secret is another one, what is declared was in force and is.
  return applied !== undefined && isInForce(before, decided) ? { ...entry, applied } : entry;
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
  const known = turn.records.known(name) ?? { name };
  return turn.records.mayHaveArrived(name) ? { ...known, sending: declared, sentAt: kubeTime(now(turn)) } : known;
}
