import type { Clock } from "../../../src/base/clock.ts";

/** A clock that runs `factor` times as fast as another one, so that minutes of rate limits pass in seconds. */
export function spedClock(base: Clock, factor: number): Clock {
  const startMs = base.now();
  return {
    now: () => startMs + (base.now() - startMs) * factor,
    monotonic: () => base.monotonic() * factor,
    setTimer: (delayMs, callback) => base.setTimer(delayMs / factor, callback),
  };
}
