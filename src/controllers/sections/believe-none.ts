import { FINAL_ABSENCE_MS, TOLD_ABSENCE_MS } from "../shared/absences.ts";
import { waiting, waitingUntold } from "../shared/failures.ts";
import type { Sought } from "../shared/sought.ts";
import type { SectionAt } from "./section.ts";

/**
 * That there is none of what a section is about, where a status says so that says other things as well: believed of two looks that are some time apart, with
 * none between that found one (shared/absences.ts). A section is looked at by few runs, so that old looks do not count.
 */

/** What follows from it: something that heals, or what has no way back. */
type Following = "tell" | "end";

function soughtOf({ ref }: Pick<SectionAt, "ref">, name: string): Sought {
  return { kind: "section", ref, name };
}

interface None {
  /** of the section */
  readonly name: string;
  /** words for messages, as `a custom hostname` */
  readonly title: string;
  readonly following: Following;
}

/** @throws WaitingError AnswerUnconfirmed at the first look that does not find any, and until the second may come; of the first seconds nobody is told */
export function believeNone(at: SectionAt, { name, title, following }: None): void {
  const afterMs = following === "tell" ? TOLD_ABSENCE_MS : FINAL_ABSENCE_MS;
  const leftMs = afterMs - at.environment.absences.noteMissedLately(at.uid, soughtOf(at, name));
  if (leftMs <= 0) return;
  const message = `${title} is not found: looked for once more before that is believed`;
  throw following === "tell"
    ? waitingUntold("AnswerUnconfirmed", message)
    : waiting("AnswerUnconfirmed", message, leftMs);
}

/** A look found one. */
export function foundOne(at: SectionAt, name: string): void {
  at.environment.absences.found(at.uid, soughtOf(at, name));
}

/** The platform has agreed to delete it: that there is none is what was asked for. */
export function tookIt(at: SectionAt, name: string): void {
  at.environment.absences.taken(at.uid, soughtOf(at, name));
}
