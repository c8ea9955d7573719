import { setTimeout as wait } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void; // what the flag is documented to expose

/** The heap in use once everything that can be is collected, bytes. Twice: what is only noticed as gone in one collection goes in the next. */
export async function heapBytes(): Promise<number> {
  collect();
  await wait(0);
  collect();
  return process.memoryUsage().heapUsed;
}

/**
 * By how much the heap grows in a round: the median of the slopes between each two of them (Theil and Sen), which a round that was unlike the
 * others does not move. Of the last two thirds, as code and caches are warm by then.
 *
 * @param heap bytes after each round
 */
export function growth(heap: readonly number[]): number {
  const warm = heap.slice(Math.floor(heap.length / 3));
  const slopes = warm.flatMap((later, at) => warm.slice(0, at).map((earlier, from) => (later - earlier) / (at - from)));
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
