/**
 * By how much something grows in a round: the median of the slopes between each two of them (Theil and Sen), which a round that was unlike the
 * others does not move. Of the last two thirds, as code and caches are warm by then.
 *
 * @param values one after each round
 */
export function growth(values: readonly number[]): number {
  const warm = values.slice(Math.floor(values.length / 3));
  const slopes = warm.flatMap((later, at) => warm.slice(0, at).map((earlier, from) => (later - earlier) / (at - from)));
  return median(slopes);
}

/** The upper one of two; 0 where there is nothing. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
