/**
 * By how much something grows in a round: the median of the slopes between each two of them (Theil and Sen), which a round that was unlike the
 * others does not move. Of the last two thirds, as code and caches are warm by then.
 *
 * @param values one after each round
 */
export function growth(values: readonly number[]): number {
  const warm = values.slice(Math.floor(values.length / 3));
  const slopes = warm.flatMap((later, at) => warm.slice(0, at).map((earlier, from) => (later - earlier) / (at - from)));
  return slopes.toSorted((a, b) => a - b)[Math.floor(slopes.length / 2)] ?? 0;
}
