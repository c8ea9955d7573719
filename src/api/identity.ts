import { createHash } from "node:crypto";
import { orAborted } from "../base/abort.ts";
import type { Clock } from "../base/clock.ts";
import type { Pacer } from "./pacing/pacer.ts";

/** Who the credential stands for, as the platform's profile tells it. */
export interface ApiIdentity {
  readonly userId: string;
  readonly username: string;
  readonly email: string;
}

/** Longest time, milliseconds, that a call waits for the look-up before it goes on under the provisional identity. */
const PATIENCE_MS = 3000;
/** How long after a failed look-up, milliseconds, calls go on under the provisional identity before it is tried again. */
const RETRY_MS = 30_000;

/**
 * The name under which what is sent without a token is paced: its budget is the address's (behaviour.md, Authentication rule 6).
 *
 * @param server normalised base URL
 */
export function addressOf(server: string): string {
  return `${server} address`;
}

interface KnownIdentity {
  readonly flight?: Promise<ApiIdentity>;
  readonly identity?: ApiIdentity;
  readonly failedAtMs?: number;
  /** the look-up is under way, but nobody waits for it any more */
  readonly slow?: boolean;
}

/**
 * Whose tokens they are. Budgets belong to the user, not to the token (engine.md §2, behaviour.md Authentication rule 6), so two tokens
 * of one user share them. Until the profile is read, a token is paced under a provisional identity made of its hash.
 *
 * One look-up per token at a time, kept for as long as the token is in use.
 */
export class Identities {
  readonly #server: string;
  readonly #pacer: Pacer;
  readonly #clock: Clock;
  readonly #lookUp: (token: string) => Promise<ApiIdentity>;
  readonly #fixed: string | undefined;
  #token: string | undefined;
  #known: KnownIdentity = {};

  constructor(options: {
    /** normalised base URL: users of different servers are different */
    readonly server: string;
    readonly pacer: Pacer;
    readonly clock: Clock;
    /** reads the profile with this token, paced under `provisional(token)` */
    readonly lookUp: (token: string) => Promise<ApiIdentity>;
    /** an OAuth client's id: then nothing is looked up for pacing */
    readonly fixed?: string | undefined;
  }) {
    this.#server = options.server;
    this.#pacer = options.pacer;
    this.#clock = options.clock;
    this.#lookUp = options.lookUp;
    this.#fixed = options.fixed;
  }

  get anonymous(): string {
    return addressOf(this.#server);
  }

  /** The name under which a token whose user is not known is paced. A hash: the token itself stays where it is. */
  provisional(token: string): string {
    return `${this.#server} token:${createHash("sha256").update(token).digest("hex").slice(0, 32)}`;
  }

  /**
   * The name under which requests with this token are paced. Looks the user up at first use; when that fails, the provisional one
   * serves for a while. Never rejects but with the signal's reason.
   */
  async nameOf(token: string, signal: AbortSignal): Promise<string> {
    if (this.#fixed !== undefined) return this.#clientName(this.#fixed);
    const { identity, failedAtMs = -Infinity, slow = false } = this.#of(token);
    if (identity !== undefined) return this.#userName(identity);
    if (slow || this.#clock.monotonic() - failedAtMs < RETRY_MS) return this.provisional(token);
    const found = await orAborted(this.#patiently(token), signal);
    return found === undefined ? this.provisional(token) : this.#userName(found);
  }

  /** The identity, or undefined when it is not there in time or cannot be had. */
  #patiently(token: string): Promise<ApiIdentity | undefined> {
    return new Promise((resolve) => {
      const timer = this.#clock.setTimer(PATIENCE_MS, () => {
        if (this.#token === token && this.#known.flight !== undefined) this.#known = { ...this.#known, slow: true };
        resolve(undefined);
      });
      const found = this.get(token).then(resolve, () => resolve(undefined));
      void found.finally(() => timer.cancel());
    });
  }

  /** Whose token it is; asks again after a failure. Rejects with the failure of the look-up. */
  get(token: string): Promise<ApiIdentity> {
    const known = this.#of(token);
    if (known.identity !== undefined) return Promise.resolve(known.identity);
    if (known.flight !== undefined) return known.flight;
    const flight = this.#fetch(token);
    this.#known = { flight };
    return flight;
  }

  async #fetch(token: string): Promise<ApiIdentity> {
    try {
      const identity = await this.#lookUp(token);
      if (this.#token === token) this.#known = { identity };
      const name = this.#fixed === undefined ? this.#userName(identity) : this.#clientName(this.#fixed);
      this.#pacer.merge(this.provisional(token), name);
      return identity;
    } catch (error) {
      if (this.#token === token) this.#known = { failedAtMs: this.#clock.monotonic() };
      throw error;
    }
  }

  /** What is known of a token; another token than before begins anew. */
  #of(token: string): KnownIdentity {
    if (this.#token !== token) {
      this.#token = token;
      this.#known = {};
    }
    return this.#known;
  }

  #userName({ userId }: ApiIdentity): string {
    return `${this.#server} user:${userId}`;
  }

  #clientName(clientId: string): string {
    return `${this.#server} client:${clientId}`;
  }

  toJSON(): string {
    return "[identities]";
  }
}
