import type { Clock } from "../../../src/base/clock.ts";

/** A clock that the test puts forward, as if the time had passed; what runs by timers goes on as before. */
export interface ForwardClock extends Clock {
  putForward(ms: number): void;
}

export function forwardClock(base: Clock): ForwardClock {
  let aheadMs = 0;
  return {
    now: () => base.now() + aheadMs,
    monotonic: () => base.monotonic() + aheadMs,
    setTimer: (delayMs, callback) => base.setTimer(delayMs, callback),
    putForward: (ms) => {
      aheadMs += ms;
    },
  };
}
