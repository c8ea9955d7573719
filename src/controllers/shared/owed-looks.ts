import { z } from "zod";
import { readStatus } from "../../resources/kind.ts";
import { type SectionEntry, sectionsField } from "../../resources/settings/status.ts";
import { commonStatusFields } from "../../resources/status.ts";
import type { Run } from "./run.ts";
import type { CommonStatus } from "./status-draft.ts";

/**
 * Looks that somebody asked for, and that sections are owed. An ask is heard by the run that echoes it, however that ends: it may not come to the sections of
 * the object, or not to all of them. So each of them is owed its look from then on, in the same write of the status that says that the ask was heard; who
 * looked at one drops that (engine.md §6). An object that was never looked at is owed none: all of it is looked at anyway.
 */

/** Each known section is owed the look that this run was asked for. */
export function oweLooks<Status extends CommonStatus>({ status }: Run<Status>): void {
  const { sections } = status.current;
  if (sections !== undefined) status.sections(sections.map((entry) => ({ ...entry, owed: true })));
}

const sectionedStatus = z.object({ ...commonStatusFields, sections: sectionsField.optional() });

/**
 * The same taken back, of a run of which nobody is told yet: who asks does so still, and the next run owes the looks with the echo. What an earlier ask left
 * owed stays.
 */
export function disownLooks<Status extends CommonStatus>({ status, raw }: Run<Status>): void {
  const before = readStatus(sectionedStatus, raw);
  const { sections, lastHandledReconcileAt } = status.current;
  if (sections === undefined || lastHandledReconcileAt !== before.lastHandledReconcileAt) return;
  const owed = new Set((before.sections ?? []).filter((entry) => entry.owed === true).map(({ name }) => name));
  status.sections(sections.map((entry) => (owed.has(entry.name) ? entry : withoutOwed(entry))));
}

/** The same entry, whose look was had. Pure. */
export function withoutOwed<Entry extends Partial<SectionEntry>>({
  owed: _owed,
  ...entry
}: Entry): Omit<Entry, "owed"> {
  return entry;
}
