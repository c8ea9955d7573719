import type { SectionEntry } from "../../resources/settings/status.ts";
import { digestOf } from "./memory.ts";
import type { SectionChange } from "./section.ts";
import type { Looked } from "./turn.ts";

/**
 * What a platform makes something else of. What costs nothing is written three times (engine.md §6, convergence guard); a write that interrupts what is
 * served is made once for a declared section, and not again before it was seen as declared. The status keeps both, so that an operator that starts knows
 * them: another declared section, or somebody who asks for a look, has them written anew, and another answer has what costs nothing. Pure.
 */

/** Which changes are written no more, as the status tells. @param entry what it said of the section */
export function inVain(entry: SectionEntry | undefined, { declared, look }: Looked): readonly SectionChange[] {
  const { interrupted, left } = entry ?? {};
  const spent = interrupted?.declared === declared ? interrupted.fields : [];
  const stuck = byField(look.changes, left?.stuck ?? []);
  const isSame = left?.stuckAt !== undefined && left.stuckAt === differing(declared, stuck);
  return look.changes.filter(
    (change) => (spent.includes(change.field) && look.restarts([change])) || (isSame && stuck.includes(change)),
  );
}

interface Ended extends Looked {
  readonly decision: { readonly stuck: readonly string[] };
}

/** The entry, with what is to be known of such changes. @param before what was known of the section, where nobody asked to begin anew */
export function withInVain(
  entry: SectionEntry,
  before: Pick<SectionEntry, "interrupted"> | undefined,
  {
    one,
    wrote,
    after,
  }: { readonly one: Ended; readonly wrote: readonly SectionChange[]; readonly after: Looked["look"] },
): SectionEntry {
  const { declared, look, decision } = one;
  const stuck = byField(after.changes, decision.stuck);
  const left = stuck.length === 0 ? entry.left : { ...entry.left, stuckAt: differing(declared, stuck) };
  const recorded = before?.interrupted?.declared === declared ? before.interrupted.fields : [];
  // What was seen as declared since is another difference when it comes back.
  const known = recorded.filter((field) => after.changes.some((change) => change.field === field));
  // What is left to another restart brought none.
  const isLeft = after.awaitsRestart?.leftTo !== undefined;
  const made = isLeft ? [] : wrote.filter((change) => look.restarts([change])).map(({ field }) => field);
  const fields = entry.state === "InSync" ? [] : [...new Set([...known, ...made])];
  return {
    ...entry,
    ...(left === undefined ? {} : { left }),
    ...(fields.length === 0 ? {} : { interrupted: { declared, fields } }),
  };
}

/** What is told by what was recorded alone has an end of its own. */
function byField(changes: readonly SectionChange[], fields: readonly string[]): readonly SectionChange[] {
  return changes.filter(({ field, remembered }) => remembered !== true && fields.includes(field));
}

function differing(declared: string, changes: readonly SectionChange[]): string {
  return digestOf([declared, changes.map(({ field, difference }) => [field, difference])]);
}
