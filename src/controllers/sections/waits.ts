import { annotations } from "../../resources/annotations.ts";
import { driftIntervalMs } from "../shared/policies.ts";
import { waitDelayMs } from "../shared/polling.ts";
import { digestOf } from "./memory.ts";
import type { SectionProgress } from "./section.ts";
import type { SectionedStatus, Turn } from "./turn.ts";

/** How long nobody hears of it, at most, when somebody did at last what a section waits for, milliseconds. */
const LATEST_MS = 600_000;

/**
 * How soon a section is looked at again that waits for what may take days, milliseconds: ever less often, no less than its drift check is due. It begins anew with
 * another wait, an edit of the object, and whoever asks for a look: somebody is at it then. In memory alone, as what a life knows of it is at most
 * ten minutes old.
 */
export function nextLookMs<Status extends SectionedStatus>(
  { run, target }: Turn<Status>,
  name: string,
  { reason, message, pollMs }: Extract<SectionProgress, { kind: "waiting" }>,
): number {
  const { sections, clock } = run.environment;
  const { uid, generation, annotations: given } = target.object.metadata;
  // Not by what this run was begun for: it may be the first that comes so far since an edit.
  const of = digestOf([reason, message, generation, given?.[annotations.reconcileAt]]);
  const begun = { uid, of, sinceMs: clock.monotonic() };
  const known = sections.wait(run.key, uid, name);
  const wait = known?.of === of ? known : begun;
  sections.noteWait(run.key, name, wait);
  const latestMs = Math.min(LATEST_MS, driftIntervalMs(target.policies) ?? Infinity);
  return waitDelayMs(begun.sinceMs - wait.sinceMs, { soonestMs: pollMs, latestMs });
}
