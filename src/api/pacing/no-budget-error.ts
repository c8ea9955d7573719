/** No slot within the time that the caller would wait. */
export class NoBudgetError extends Error {
  /** Milliseconds until a slot is expected. */
  readonly retryAfterMs: number;
  /** For how long the server has answered nothing but 429, milliseconds; 0: it has not. */
  readonly refusedForMs: number;

  constructor({ retryAfterMs, refusedForMs }: { readonly retryAfterMs: number; readonly refusedForMs: number }) {
    super("no request budget within the time allowed");
    this.name = "NoBudgetError";
    this.retryAfterMs = retryAfterMs;
    this.refusedForMs = refusedForMs;
  }
}
