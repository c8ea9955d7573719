import { isApiError } from "../../api/errors.ts";
import { causeChain } from "../../base/error-facts.ts";
import type { SectionEntry } from "../../resources/settings/status.ts";
import { classify, type Outcome, TransientError } from "../../runtime/outcome.ts";
import { withoutOwed } from "../shared/owed-looks.ts";
import { gatesOf, isMissing } from "./circumstances.ts";
import { entryFailed, wholeOf } from "./entries.ts";
import { isPlanRefusal, isRefusal } from "./refusal.ts";
import { noteRefused } from "./refusal-memory.ts";
import type { SectionChange, SectionLook } from "./section.ts";
import { knownAfter } from "./sending.ts";
import { type Looked, now, restsNow, type SectionedStatus, type Turn } from "./turn.ts";

/** What becomes of a section whose look or write failed. */

interface Failing extends Pick<Looked, "section" | "declared"> {
  /** where a write failed, and not the look before: the platform names what it refuses in its own words, if at all */
  readonly decision?: { readonly write: readonly SectionChange[] };
  readonly look?: SectionLook;
  /** the fields that a look failed for, by their paths in the section, where they are known */
  readonly wanting?: readonly string[] | undefined;
}

/** How soon a project that is on its way to another state is asked again, milliseconds. */
const UNREST_LOOK_MS = 10_000;

/** Notes what a failure says of a section, and goes on with the others. */
export async function fail<Status extends SectionedStatus>(
  turn: Turn<Status>,
  failing: Failing,
  error: unknown,
): Promise<void> {
  const { run } = turn;
  const { section, declared, look, decision, wanting } = failing;
  const { name } = section;
  run.environment.sections.drop(run.key, name);
  const outcome = classify(error, run.signal);
  const known = sinceNow(turn, failing, outcome);
  const entry = entryFailed(known, outcome, now(turn));
  if (entry === undefined) {
    turn.lost.push(error);
    return;
  }
  const wanted = wanting?.map((path) => `spec.${name}.${path}`);
  const fields = decision?.write.map(({ field }) => field) ?? wanted ?? wholeOf(known);
  if (isRefusal(error) && !(await restsNow(turn))) {
    const { message } = error;
    const passing = { kind: "waiting", reason: "Updating", message, retryAfterMs: UNREST_LOOK_MS } as const;
    turn.records.endAs({ ...(entryFailed(known, passing, now(turn)) ?? entry), fields });
    turn.polls.set(name, UNREST_LOOK_MS);
    return;
  }
  noteNextLook(turn, name, { error, outcome });
  const gates = gatesOf(section, look, decision?.write ?? []);
  const refused = isRefusal(error)
    ? await noteRefused(turn, error, {
        section,
        declared,
        look,
        isGated: (found) => isPlanRefusal(error) || (decision !== undefined && isMissing(gates, found)),
        needs: (found) => (section.hangsOn !== undefined && isMissing(gates, found) ? section.needs : undefined),
      })
    : {};
  // What was decided on was looked at, and asked for once, whatever came of it; what keeps a section from its look leaves that owed, unless it is a refusal.
  const isHad = decision !== undefined || isRefusal(error);
  const told = isHad ? withoutOwed(entry) : entry;
  turn.records.endAs({ ...told, ...refused, fields });
}

/** Notes what a failure says of when its section is looked at again, and whether it is told before. */
function noteNextLook<Status extends SectionedStatus>(
  { run, polls, untold, passing, records }: Turn<Status>,
  name: string,
  { error, outcome }: { readonly error: unknown; readonly outcome: Outcome },
): void {
  if (outcome.kind === "waiting") {
    polls.set(name, outcome.retryAfterMs);
    // What was sent of it may come into force: that it is on its way is no doubt, and to be told.
    if (outcome.untold === true && !records.mayHaveArrived(name)) untold.add(name);
  }
  const ownMs = ownLookMs(error, outcome);
  // In a lane that looks at what is open alone: a drift check would look at everything as often.
  if (ownMs !== undefined) run.environment.enqueue(run.key, { lane: "progress", afterMs: ownMs });
  if (error instanceof TransientError) passing.add(name);
}

/**
 * How soon what the section refuses itself asks for another look, milliseconds; undefined: it does not say. What the platform refused comes again with the
 * drift check, or as its refusal says (refusal-memory.ts).
 */
function ownLookMs(error: unknown, outcome: Outcome): number | undefined {
  if (outcome.kind !== "terminal" || causeChain(error).some((link) => isApiError(link))) return undefined;
  return outcome.recheckAfterMs;
}

/** What is known of the section: of a write that never came to be sent, a wait goes on where its reason is the same, and is another one else. */
function sinceNow<Status extends SectionedStatus>(
  turn: Turn<Status>,
  failing: Failing,
  outcome: Outcome,
): Pick<SectionEntry, "name"> & Partial<SectionEntry> {
  const known = knownAfter(turn, failing);
  const mayBeAnother = failing.decision !== undefined && !turn.records.mayHaveArrived(failing.section.name);
  if (!mayBeAnother || outcome.kind === "terminal" || !("reason" in outcome) || outcome.reason === known.reason) {
    return known;
  }
  const { since: _since, ...others } = known;
  return others;
}
