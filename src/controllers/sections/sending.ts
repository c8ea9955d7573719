import type { SectionEntry } from "../../resources/settings/status.ts";
import type { Decided } from "./decide.ts";
import { entrySending } from "./entries.ts";
import { isInForce } from "./in-force.ts";
import { recordEntries, type SectionedStatus, type Turn } from "./turn.ts";

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
    return before !== undefined && mayBecomeUntrue(one, before) ? [sendingOf(one, before)] : [];
  });
  if (sending.length > 0) await recordEntries(turn, sending);
}

function mayBecomeUntrue(one: Decided, before: SectionEntry): boolean {
  if (one.decision.write.length === 0) return false;
  const isKnown = before.applied !== undefined && !isInForce(before, one);
  return isKnown || keptSecrets(one, before).length < (before.secrets ?? []).length;
}

function sendingOf(one: Decided, before: SectionEntry): SectionEntry {
  const { applied } = before;
  const entry = entrySending(before, one.declared, keptSecrets(one, before));
  // Where only a Secret is another one, what is declared was in force and is.
  return applied !== undefined && isInForce(before, one) ? { ...entry, applied } : entry;
}

/** What is remembered of secrets that are not about to be sent. */
function keptSecrets({ decision }: Decided, { secrets = [] }: SectionEntry): NonNullable<SectionEntry["secrets"]> {
  const changed = new Set(decision.write.flatMap(({ field, remembered }) => (remembered === true ? [field] : [])));
  return secrets.filter(({ field }) => !changed.has(field));
}
