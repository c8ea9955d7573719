import { FINAL_ABSENCE_MS, TOLD_ABSENCE_MS } from "./absences.ts";
import { UnderWayError } from "./deletion-failures.ts";
import { waiting, waitingUntold } from "./failures.ts";
import type { Run } from "./run.ts";
import { nameOf, type Sought } from "./sought.ts";
import type { CommonStatus } from "./status-draft.ts";

/**
 * What follows once it is believed that something is gone.
 * - `tell`: a condition says so, which heals
 * - `end`: what has no way back
 * - `letGo`: the same of an object under deletion, whose finalizer goes
 */
export type Consequence = "tell" | "end" | "letGo";

/**
 * That something is gone is believed of two looks that do not find it, be it by a 404 or by a list without it, with none between that found it: for what heals
 * they are some seconds apart, for all else a minute.
 *
 * @param consequence what of it follows
 * @returns for how long no look has found it, milliseconds
 * @throws WaitingError until then: Deleting, or AnswerUnconfirmed, of whose first seconds nobody is told
 */
export function requireAbsence<Status extends CommonStatus>(
  run: Run<Status>,
  sought: Sought,
  consequence: Consequence,
): number {
  const absentMs = noteMissed(run, sought);
  const leftMs = (consequence === "tell" ? TOLD_ABSENCE_MS : FINAL_ABSENCE_MS) - absentMs;
  if (leftMs <= 0) return absentMs;
  const message = `the ${nameOf(sought)} is not found: looked for once more before it is taken for gone`;
  // No deletion that cannot go on, where the bound comes first.
  if (consequence === "letGo") throw new UnderWayError(message, leftMs);
  if (absentMs < TOLD_ABSENCE_MS) throw waitingUntold("AnswerUnconfirmed", message);
  throw waiting("AnswerUnconfirmed", message, leftMs);
}

/** A look of the object's did not find it. @returns as `Absences.noteMissed` */
export function noteMissed<Status extends CommonStatus>(
  { environment, raw }: Run<Status>,
  sought: Sought,
  atMs?: number,
): number {
  return environment.absences.noteMissed(raw.metadata.uid, sought, atMs);
}

/** A look of the object's found it. */
export function noteFound<Status extends CommonStatus>({ environment, raw }: Run<Status>, sought: Sought): void {
  environment.absences.found(raw.metadata.uid, sought);
}
