import { expect, test } from "vitest";
import { ManualClock } from "./manual-clock.ts";
import { ServerClock } from "./server-clock.ts";

const SERVER = Date.UTC(2030, 5, 1, 12, 0, 0);
const header = "Sat, 01 Jun 2030 12:00:00 GMT";

test("is unknown before the first answer, and after answers without a readable date", () => {
  const server = new ServerClock(new ManualClock());
  expect(server.now()).toBeUndefined();
  server.observe("yesterday", { sentAtMs: 0, receivedAtMs: 0 });
  server.observe(undefined, { sentAtMs: 0, receivedAtMs: 0 });
  expect(server.now()).toBeUndefined();
});

test("is the date of the answer at the middle of the exchange, carried on by the monotonic clock", () => {
  const clock = new ManualClock();
  const server = new ServerClock(clock);
  clock.advance(2000);
  server.observe(header, { sentAtMs: 0, receivedAtMs: 2000 });
  expect(server.now()).toBe(SERVER + 500 + 1000);
  clock.advance(60_000);
  expect(server.now()).toBe(SERVER + 500 + 61_000);
});
