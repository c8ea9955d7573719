import type { EdgeFunction } from "../../api/contract/functions.ts";

/** How soon a function is deployed again for its environment, and what became of such a deployment. Pure. */

/** Longest time of one deployment, milliseconds: the platform bundles before it answers. Below the deadline of a run. */
export const DEPLOY_DEADLINE_MS = 90_000;
/** How long further changes are waited for, so that those of several objects cost one deployment, milliseconds. */
export const GATHER_MS = 2000;
/** The longest that a change is waited for which somebody has begun and not ended, milliseconds. */
export const MOST_HELD_MS = 60_000;

/** That a function is to be deployed again, since when this process knows it. */
export interface Noticed {
  /** monotonic time, milliseconds */
  readonly atMs: number;
  /** names the revisions that stood */
  readonly standing: string;
  /** when those were noticed, as a mark of the list: a list of later shows what was deployed before */
  readonly mark: number;
}

/** How long a function that is to be deployed again is left as it is, milliseconds; 0: not any more. */
export function holdMs({ sinceMs, changing }: { readonly sinceMs: number; readonly changing: boolean }): number {
  return Math.max(0, (changing ? MOST_HELD_MS : GATHER_MS) - sinceMs);
}

/** What a recorded deployment came to, by what the platform shows and how long its effect may still arrive. */
export function outcomeOf(
  { version }: { readonly version: number },
  remote: Pick<EdgeFunction, "version"> | undefined,
  inDoubtMs: number,
): "deployed" | "in doubt" | "nothing" {
  // Somebody else's is as good: it came after the record too, and with it whatever stood then was read.
  if (remote !== undefined && remote.version !== version) return "deployed";
  return remote !== undefined && inDoubtMs > 0 ? "in doubt" : "nothing";
}
