import { expect, it } from "vitest";
import { ManualClock } from "./manual-clock.ts";

it("gets on by the shortest delay, though numbers are too coarse for it: whoever waits for a moment in steps arrives", () => {
  const clock = new ManualClock();
  clock.advance(878_602.991975105);
  const wakeAtMs = clock.monotonic() + 2 ** -33; // the next number
  expect(wakeAtMs).toBeGreaterThan(clock.monotonic());
  let fired = 0;
  const wait = (): void => {
    fired += 1;
    // Half of what is left is nothing any more, when it is added.
    if (clock.monotonic() < wakeAtMs && fired < 10) clock.setTimer((wakeAtMs - clock.monotonic()) / 2, wait);
  };
  wait();
  clock.advance(1);
  expect(fired).toBe(2);
});
