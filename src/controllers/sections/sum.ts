import type { SectionEntry } from "../../resources/settings/status.ts";
import { TransientError, WaitingError } from "../../runtime/outcome.ts";
import { terminal } from "../shared/failures.ts";
import { pollDelayMs } from "../shared/polling.ts";
import { reasonOf } from "../shared/ready.ts";

/** How the sections leave the run. */
export interface SectionsEnd {
  /** how the run is to end because of them; undefined: nothing is left to do */
  readonly error: Error | undefined;
  /** milliseconds until a section that was not looked at now is due for its drift check */
  readonly dueInMs: number | undefined;
}

interface Summed {
  readonly entries: readonly SectionEntry[];
  /** how soon each section that waits for somebody is looked at, by name, milliseconds */
  readonly polls: ReadonlyMap<string, number>;
  /** sections that a passing failure kept from ending: repeated with backoff */
  readonly passing: ReadonlySet<string>;
  /** what is open is looked at again within moments, and nobody is told of it before */
  readonly isUntold: boolean;
  readonly nowMs: number;
  /** how soon what failed is looked at again */
  readonly recheckAfterMs: number;
  /** how soon the drift check of another section is due; what one waits for must not put it off */
  readonly dueInMs: number | undefined;
}

/**
 * How a run ends, by how its sections stand: Ready is their sum. What goes on by itself comes before what does not, so that it is looked at in time.
 * Undefined where all are in sync or left as they are.
 */
export function sumOf({
  entries,
  polls,
  passing,
  isUntold,
  nowMs,
  recheckAfterMs,
  dueInMs,
}: Summed): Error | undefined {
  const open = entries.filter(({ state }) => state === "Applying" || state === "Waiting");
  const failed = entries.filter(({ state }) => state === "Failed");
  const told = [...open, ...failed];
  if (told.length === 0) return undefined;
  const message = told.map((one) => `${one.name}: ${one.message ?? one.state}`).join("; ");
  if (open.some(({ name }) => passing.has(name))) return new TransientError(reasonFor(open), message);
  if (open.length > 0) {
    const soonest = Math.min(...open.map((one) => polls.get(one.name) ?? pollDelayMs(sinceMs(one, nowMs))));
    const retryAfterMs = Math.min(soonest, dueInMs ?? Infinity);
    return new WaitingError(reasonFor(open), message, retryAfterMs, { untold: isUntold });
  }
  return terminal(reasonFor(failed), message, { recheckAfterMs });
}

function sinceMs({ since }: SectionEntry, nowMs: number): number {
  return since === undefined ? 0 : nowMs - Date.parse(since);
}

/** The reason that they share. */
function reasonFor(entries: readonly SectionEntry[]): ReturnType<typeof reasonOf> {
  const [first, second] = [...new Set(entries.flatMap(reasonsOf))];
  return second === undefined ? reasonOf(first ?? "Updating") : "SectionsDiffer";
}

/** Of what failed for itself, and of what of it is refused; what goes on has its own alone. */
function reasonsOf({ state, reason = "Updating", refused }: SectionEntry): readonly string[] {
  return state === "Failed" && refused?.fields !== undefined ? [reason, refused.reason ?? reason] : [reason];
}
