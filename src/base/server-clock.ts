import type { Clock } from "./clock.ts";

/** The Date header cuts to whole seconds: on average half a second is lost. */
const HALF_SECOND_MS = 500;

/**
 * A server's wall time, estimated from the Date header of the last answer and carried on by the monotonic clock, so that our own wall clock
 * does not matter. Exact to about a second and half of the round trip; engine.md §4 reckons with 60 s.
 */
export class ServerClock {
  readonly #clock: Clock;
  #reading: { readonly serverMs: number; readonly atMs: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes in the Date header of an answer; what cannot be read says nothing. Times are monotonic milliseconds. */
  observe(header: string | undefined, { sentAtMs, receivedAtMs }: { sentAtMs: number; receivedAtMs: number }): void {
    const date = Date.parse(header ?? "");
    if (!Number.isNaN(date)) this.#reading = { serverMs: date + HALF_SECOND_MS, atMs: (sentAtMs + receivedAtMs) / 2 };
  }

  /** Milliseconds since the epoch; undefined before the first answer. */
  now(): number | undefined {
    if (this.#reading === undefined) return undefined;
    return this.#reading.serverMs + (this.#clock.monotonic() - this.#reading.atMs);
  }
}
