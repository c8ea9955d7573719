/** How long after the beginning of something remote that takes time the next look is due: soon at first, then ever less often. */
export function pollDelayMs(elapsedMs: number): number {
  const SOONEST_MS = 2000;
  const LATEST_MS = 30_000;
  return Math.min(LATEST_MS, Math.max(SOONEST_MS, elapsedMs / 5));
}

interface WaitBounds {
  readonly soonestMs: number;
  readonly latestMs: number;
}

/** How long after a look at something that somebody is to do the next one is due: twice as far from its beginning each time, within bounds. */
export function waitDelayMs(elapsedMs: number, { soonestMs, latestMs }: WaitBounds): number {
  return Math.max(soonestMs, Math.min(latestMs, elapsedMs));
}
