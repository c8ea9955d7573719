import type { Clock } from "../../../src/base/clock.ts";

/** A clock whose date the test puts forward and back; what runs by timers goes on as before. */
export interface ShiftedClock extends Clock {
  /** How far its date is ahead of the base's, milliseconds. */
  shiftMs: number;
}

export function shiftedClock(base: Clock): ShiftedClock {
  const clock: ShiftedClock = {
    shiftMs: 0,
    now: () => base.now() + clock.shiftMs,
    monotonic: () => base.monotonic(),
    setTimer: (delayMs, callback) => base.setTimer(delayMs, callback),
  };
  return clock;
}
