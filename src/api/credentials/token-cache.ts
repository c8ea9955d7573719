import { orAborted } from "../../base/abort.ts";
import type { Clock } from "../../base/clock.ts";

/** An access token with the time it lives. */
export interface TokenLease {
  readonly token: string;
  /** from the moment before it was asked for, milliseconds */
  readonly lifetimeMs: number;
}

/** How long before its end a token is replaced, milliseconds: clocks and answers are not exact. */
const SKEW_MS = 60_000;

/**
 * A short-lived access token, fetched when there is none or its end is near. One fetch at a time, shared by all who ask; whoever leaves
 * does not end it for the others.
 */
export class TokenCache {
  readonly #clock: Clock;
  readonly #skewMs: number;
  readonly #fetch: () => Promise<TokenLease>;
  #flight: Promise<string> | undefined;
  #current: { readonly token: string; readonly untilMs: number } | undefined;

  /** @param options.skewMs at most half of a token's life, so that a short one is used at all */
  constructor(options: {
    readonly clock: Clock;
    readonly skewMs: number | undefined;
    readonly fetch: () => Promise<TokenLease>;
  }) {
    this.#clock = options.clock;
    this.#skewMs = options.skewMs ?? SKEW_MS;
    this.#fetch = options.fetch;
  }

  /** Rejects with what the fetch rejects with, or with the signal's reason. */
  async token(signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    if (this.#current !== undefined && this.#clock.monotonic() < this.#current.untilMs) return this.#current.token;
    this.#flight ??= this.#renew();
    return await orAborted(this.#flight, signal);
  }

  /** Forgets a token that the platform rejected, unless it was replaced already. */
  drop(token: string): void {
    if (this.#current?.token === token) this.#current = undefined;
  }

  /** Resolves when no fetch is under way, however it ended. */
  async idle(): Promise<void> {
    await this.#flight?.catch(() => undefined);
  }

  async #renew(): Promise<string> {
    const askedMs = this.#clock.monotonic();
    try {
      const { token, lifetimeMs } = await this.#fetch();
      const usableMs = lifetimeMs - Math.min(this.#skewMs, lifetimeMs / 2);
      this.#current = { token, untilMs: askedMs + usableMs };
      return token;
    } finally {
      this.#flight = undefined;
    }
  }
}
