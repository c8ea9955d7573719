import { createHash } from "node:crypto";
import { MOST_SPENT_IDS } from "../../resources/requests.ts";
import { isUnsent } from "./records.ts";
import type { Recorded } from "./request.ts";

/**
 * Ids of requests whose records are forgotten. An annotation can come back long after: the spec's repository goes back to an old manifest, which may
 * ask for the loss of all data since. Of each only a short digest is kept, `<verb>:<digest>`: two that happen to be the same cost somebody another id. Pure.
 */

/** 32 bits: one new id in many million is taken for one of a full list. */
const DIGEST_LENGTH = 8;

function spentMark(verb: string, id: string): string {
  return `${verb}:${createHash("sha256").update(id).digest("hex").slice(0, DIGEST_LENGTH)}`;
}

export function isSpent(spent: readonly string[], verb: string, id: string): boolean {
  return spent.includes(spentMark(verb, id));
}

/** The list, oldest first, with the ids of records that are forgotten; of each verb the newest alone. What was never sent may be asked for yet. */
export function withSpent(spent: readonly string[], forgotten: readonly Recorded[]): readonly string[] {
  const marks = new Set(forgotten.filter((record) => !isUnsent(record)).map(({ verb, id }) => spentMark(verb, id)));
  if (marks.size === 0) return spent;
  const perVerb = new Map<string, number>();
  const newestFirst = [...spent.filter((mark) => !marks.has(mark)), ...marks].toReversed();
  const kept = newestFirst.filter((mark) => {
    const verb = mark.slice(0, -DIGEST_LENGTH - 1);
    const nth = (perVerb.get(verb) ?? 0) + 1;
    perVerb.set(verb, nth);
    return nth <= MOST_SPENT_IDS;
  });
  return kept.toReversed();
}
