import type { SectionEntry } from "../../resources/settings/status.ts";
import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import { kubeTime } from "../shared/conditions.ts";
import { calling } from "../shared/failures.ts";
import type { Run } from "../shared/run.ts";
import { sendRecorded } from "../shared/send-recorded.ts";
import { entryRestarting } from "./entries.ts";
import type { AwaitsRestart } from "./section.ts";
import { fail } from "./failing.ts";
import { type Looked, now, type SectionedStatus, type Turn } from "./turn.ts";

/**
 * The restart of the database that what was stored needs. It is left to a later section that restarts anyway, so that one serves all; which ones those are
 * is recorded before anything is stored, since nothing that can be read tells that a restart is due (ADR 20).
 */

type Awaited = readonly [Looked, AwaitsRestart];

function awaitedBy(one: Looked): readonly Awaited[] {
  const { awaitsRestart } = one.look;
  return awaitsRestart === undefined ? [] : [[one, awaitsRestart]];
}

/**
 * The looks, as they are where a section that was to bring a restart is found to be another one than it was: a change of it took effect, and the restart with
 * it. That it is as declared does not tell: the edit may have been taken back before it was made. Pure.
 */
export function withRestartsMade(looked: readonly Looked[]): readonly Looked[] {
  return looked.map((one) => {
    const { look } = one;
    const { leftTo = [], had = [] } = look.awaitsRestart ?? {};
    const made = leftTo.some((name, index) => isMade(looked, name, had[index]));
    return made && look.restarted !== undefined ? { ...one, look: look.restarted() } : one;
  });
}

/** @param had what it was then; undefined: an older version left that to it, which did not say */
function isMade(looked: readonly Looked[], name: string, had: string | undefined): boolean {
  const look = looked.find(({ section }) => section.name === name)?.look;
  if (look === undefined) return false;
  return had === undefined ? look.changes.length === 0 : look.standing !== had;
}

/** Whether a section may still bring the restart that was left to it: it is tried again. */
function comesAgain<Status extends SectionedStatus>({ records, lost }: Turn<Status>, name: string): boolean {
  const entry = records.end(name);
  return entry === undefined ? lost.length > 0 : entry.state === "Waiting";
}

/**
 * Sees to the restart that was left to others, once all of them had their turn: where none brought it and none is tried again, the database is restarted
 * by itself.
 *
 * @param left sections that are stored and not in force
 * @param isRestarting one of the others restarts the database
 */
export async function endRestarts<Status extends SectionedStatus>(
  turn: Turn<Status>,
  left: readonly Looked[],
  isRestarting: boolean,
): Promise<void> {
  const due = left
    .flatMap(awaitedBy)
    .filter(([, { leftTo = [] }]) => isRestarting || !leftTo.some((name) => comesAgain(turn, name)));
  if (due.length === 0) return;
  if (!isRestarting) return restartFor(turn, due);
  noteMade(turn, due);
  turn.run.wrote("Restarting", "the database restarts for what was changed before", fieldsOf(due));
}

function noteMade<Status extends SectionedStatus>({ records }: Turn<Status>, due: readonly Awaited[]): void {
  for (const [{ section }] of due) {
    const entry = records.end(section.name);
    if (entry !== undefined) records.endAs(entryRestarting(entry));
  }
}

async function restartFor<Status extends SectionedStatus>(turn: Turn<Status>, due: readonly Awaited[]): Promise<void> {
  const { client, ref } = turn.at;
  try {
    // A life that ends before the answer leaves a record that says that it may have been asked for.
    const asked = entriesOf(turn, due, ({ fields, since }) => ({ fields, since, askedAt: kubeTime(now(turn)) }));
    await calling("restart the database for settings that need it", () =>
      sendRecorded(turn.run, {
        what: "sections restart",
        record: () => turn.run.status.sections(turn.records.withRecords(asked)),
        recorded: () => turn.records.record(asked),
        // A life that believed it would never ask for it.
        isActedOn: true,
        takeBack: ({ message }) => {
          const before = entriesOf(turn, due, (awaited) => awaited);
          turn.run.status.sections(turn.records.withRecords(before));
          turn.records.record(before);
          return message;
        },
        send: (call) => client.projects.restart({ ref }, call),
      }),
    );
    const names = due.map(([{ section }]) => section.name).join(", ");
    turn.run.wrote("Restarting", `restarted the database for ${names}`, fieldsOf(due));
    noteMade(turn, due);
  } catch (error) {
    await noteFailed(turn, due, error);
  }
}

function fieldsOf(due: readonly Awaited[]): readonly string[] {
  return due.flatMap(([, { fields }]) => fields);
}

function entriesOf<Status extends SectionedStatus>(
  turn: Turn<Status>,
  due: readonly Awaited[],
  awaited: (before: AwaitsRestart) => AwaitsRestart,
): readonly SectionEntry[] {
  return due.flatMap(([{ section }, before]) => {
    const entry = turn.records.end(section.name);
    return entry === undefined ? [] : [{ ...entry, awaitsRestart: awaited(before) }];
  });
}

/** What certainly did not arrive is asked for again where it may be taken later; what may have arrived is told and never asked for again. */
async function noteFailed<Status extends SectionedStatus>(
  turn: Turn<Status>,
  due: readonly Awaited[],
  error: unknown,
): Promise<void> {
  const failure = causeChain(error).find((link) => isApiError(link));
  for (const [one, { fields, since, leftTo = [], had = [] }] of due) {
    const { name } = one.section;
    const before = turn.records.end(name);
    await fail(turn, one, error);
    const entry = turn.records.end(name) ?? before;
    if (entry === undefined) continue;
    const isRefused = entry.state === "Failed";
    const state = failure?.effect === "unknown" ? { askedAt: kubeTime(now(turn)) } : isRefused ? {} : { leftTo, had };
    const awaitsRestart = { fields, since, ...state };
    turn.records.endAs({ ...entry, ...(entry === before ? {} : { fields }), awaitsRestart });
  }
}

/** The database is seen restarting: what was stored before, and awaited a restart that was asked for, has it. */
export function noteRestarting<Status extends SectionedStatus>({ status }: Run<Status>): void {
  const { sections } = status.current;
  const isAsked = sections?.some(
    ({ awaitsRestart }) => awaitsRestart?.leftTo !== undefined || awaitsRestart?.askedAt !== undefined,
  );
  if (isAsked !== true) return;
  status.sections(
    sections?.map((entry) => {
      const { leftTo, askedAt } = entry.awaitsRestart ?? {};
      return leftTo === undefined && askedAt === undefined ? entry : entryRestarting(entry);
    }),
  );
}
