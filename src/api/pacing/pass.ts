import type { RateReading } from "./rate-headers.ts";

/** How a request ended, for the budgets that it passed. Times are monotonic milliseconds. */
export interface RequestEnd {
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
  /** 429: refused, not counted by the server */
  readonly throttled: boolean;
}

/** Leave to send one request through one gate. Exactly one of the two methods is called, once. */
export interface Pass {
  /** @param readings what the answer said of each budget of the gate, in their order */
  end(end: RequestEnd, readings: readonly (RateReading | undefined)[]): void;
  /** It was not sent. */
  cancel(): void;
}
