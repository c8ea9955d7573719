import { expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { AtWork } from "./at-work.ts";

/** Whether it has resolved by now. */
async function has(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((resolve) => setImmediate(resolve, false))]);
}

it("is idle before the first request and after the last one", async () => {
  const atWork = new AtWork(new ManualClock());
  await atWork.none();
  atWork.begin();
  atWork.begin();
  const idle = atWork.none();
  atWork.end();
  expect(await has(idle)).toBe(false);
  atWork.end();
  await idle;
});

it("is idle while a request waits for time, and at work from the moment in which its time has come", async () => {
  const clock = new ManualClock();
  const atWork = new AtWork(clock);
  atWork.begin();
  const parked = atWork.park(50_000);
  await atWork.none();
  clock.advance(50_000);
  const idle = atWork.none();
  await parked;
  expect(await has(idle)).toBe(false);
  atWork.end();
  await idle;
});

it("is not idle for whoever waits when the next request begins in the same moment", async () => {
  const atWork = new AtWork(new ManualClock());
  atWork.begin();
  const idle = atWork.none();
  atWork.end();
  atWork.begin();
  expect(await has(idle)).toBe(false);
  atWork.end();
  await idle;
});
