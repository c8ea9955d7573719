/** How long after the beginning of something remote that takes time the next look is due: soon at first, then ever less often. */
export function pollDelayMs(elapsedMs: number): number {
  const SOONEST_MS = 2000;
  const LATEST_MS = 30_000;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, elapsedMs / 5));
}
