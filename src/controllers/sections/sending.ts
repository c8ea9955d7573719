import type { SectionEntry } from "../../resources/settings/status.ts";
import type { Decided } from "./decide.ts";
import { kubeTime } from "../shared/conditions.ts";
import { entrySending } from "./entries.ts";
import { isInForce } from "./in-force.ts";
import { type Looked, now, recordEntries, type SectionedStatus, type Turn } from "./turn.ts";

/**
 * What was known of a section is given up, in the status, before something else is sent: of a request whose answer is lost nobody can tell which of the two
 * is in force, and what is declared by the next look may be the former one again. That is an edit then, and no drift.
 */

/**
 * Records which sections are about to be written as something else than was in force: all of the turn at once, and none of which nothing is known that a
 * request could make untrue.
 *
 * @throws KubeError Conflict: nothing was recorded, and nothing may be sent; read again
 */
export async function recordSending<Status extends SectionedStatus>(
  turn: Turn<Status>,
  decided: readonly Decided[],
): Promise<void> {
  const sending = decided.flatMap((one) => {
    const before = turn.before.get(one.section.name);
    return before !== undefined && mayBecomeUntrue(one, before) ? [sendingOf(one, before, now(turn))] : [];
  });
  if (sending.length > 0) await recordEntries(turn, sending);
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
    fields: one.decision.write.map(({ field }) => field),
    nowMs,
  });
  // Where only a Secret is another one, what is declared was in force and is.
  return applied !== undefined && isInForce(before, one) ? { ...entry, applied } : entry;
}

/** What is remembered of secrets that are not about to be sent. */
function keptSecrets({ decision }: Decided, { secrets = [] }: SectionEntry): NonNullable<SectionEntry["secrets"]> {
  const changed = new Set(decision.write.flatMap(({ field, remembered }) => (remembered === true ? [field] : [])));
  return secrets.filter(({ field }) => !changed.has(field));
}

type Known = Pick<SectionEntry, "name"> & Partial<SectionEntry>;

type Written = Pick<Looked, "section" | "declared">;

/** What is known of a section of which something was sent just now. */
export function knownSent<Status extends SectionedStatus>(turn: Turn<Status>, { section, declared }: Written): Known {
  const { name } = section;
  return { ...(turn.before.get(name) ?? { name }), sending: declared, sentAt: kubeTime(now(turn)) };
}

/**
 * What is known of a section whose write was refused: it adds nothing to what may come to show, but what was in force before it is told no more, so that what
 * is declared is an edit still.
 */
export function knownRefused<Status extends SectionedStatus>(
  turn: Turn<Status>,
  { section, declared }: Written,
): Known {
  const { name } = section;
  const before: Known = turn.before.get(name) ?? { name };
  const { sending: _sending, sentAt: _sentAt, ...known } = before;
  const { applied, sending, sentAt } = turn.stored.get(name) ?? {};
  if (sending !== undefined && sentAt !== undefined) return { ...known, sending, sentAt };
  const isEdit = known.applied === undefined && (applied ?? sending) !== undefined;
  return isEdit ? { ...known, sending: declared } : known;
}
