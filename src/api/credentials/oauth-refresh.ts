import { inspect } from "node:util";
import { deadline, orAborted, sleep } from "../../base/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { BelievedRefusal } from "./believed-refusal.ts";
import { CHECK_CLIENT, CredentialError, type Credentials, kindOf, TOKEN } from "./credentials.ts";
import { type TokenLease, TokenCache } from "./token-cache.ts";
import { type Granted, isRefusal, NOT_READABLE, requestToken, type TokenEndpointOptions } from "./token-endpoint.ts";

export interface OAuthRefreshOptions extends TokenEndpointOptions {
  readonly clientId: string;
  readonly clientSecret: string;
  /**
   * The refresh token, or how to read it: called at first use, and once more when the platform refuses the one in use, since another
   * process may have replaced it.
   */
  readonly refreshToken: string | ((signal: AbortSignal) => Promise<string>);
  /**
   * Keeps the refresh token that replaced the last one. Awaited before the access token that came with it is used; when it rejects, the
   * same token is offered again at the next call. Must not resolve before the token would survive a crash.
   */
  readonly store: (refreshToken: string, signal: AbortSignal) => Promise<void>;
  /**
   * Told before a refresh token is sent, and awaited; when it rejects, nothing is sent. For a record that outlives the process: its use spends
   * a refresh token, which whoever reads it after a crash cannot see.
   *
   * @returns whether another process recorded the use of this very token, and never what came of it
   */
  readonly begin?: (refreshToken: string, signal: AbortSignal) => Promise<boolean>;
  /** Told when the platform refused what `begin` was told of, and no answer was lost. When it rejects, the record stays, and is merely not right. */
  readonly refused?: (signal: AbortSignal) => Promise<void>;
  /** how long before its end an access token is replaced, milliseconds; default a minute */
  readonly skewMs?: number;
}

/** A refresh token that is not stored yet, and what came with it. */
interface Unstored {
  readonly refreshToken: string;
  readonly lease: TokenLease | undefined;
  readonly receivedMs: number;
}

/** Longest time to read or store a refresh token, milliseconds. */
const CALLBACK_MS = 30_000;
/** How soon, and how seldom at most, storing is tried again where nobody asks for a token any more, milliseconds. */
const STORE_AGAIN_MS = 250;
const STORE_SELDOM_MS = 30_000;

/**
 * An OAuth app's access for a user: short-lived access tokens from a refresh token, which the platform replaces at each use.
 *
 * Promise: as long as the process lives, no replacement is lost. It is kept in memory from the moment of its arrival, stored before
 * anything is done with what came with it, and never given up for an older one. A crash between the platform's answer and the end of
 * `store` loses it, and so does an answer that never arrives; the app must then be authorized again, which the error says. After a crash it
 * can only say so with a record (`begin`).
 */
export class OAuthRefresh implements Credentials {
  readonly identity: string;
  readonly #options: OAuthRefreshOptions;
  readonly #clock: Clock;
  readonly #cache: TokenCache;
  #refreshToken: string | undefined;
  #unstored: Unstored | undefined;
  /** the one storing that is under way: of two, the older token could come to lie over the newer */
  #storing: Promise<void> | undefined;
  readonly #refusal: BelievedRefusal;
  /** An answer to a sending of the present refresh token was lost: a refusal may have that reason. */
  #answerLost = false;

  constructor(options: OAuthRefreshOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#refusal = new BelievedRefusal(this.#clock);
    this.identity = options.clientId;
    this.#cache = new TokenCache({ clock: this.#clock, skewMs: options.skewMs, fetch: () => this.#fetch() });
  }

  /** Rejects with CredentialError, or with the signal's reason. */
  token(signal: AbortSignal): Promise<string> {
    return this.#cache.token(signal);
  }

  onRejected(token: string): void {
    this.#cache.drop(token);
  }

  /**
   * Resolves when no exchange is under way, as another one with the same refresh token would spend it twice, and what came of the last one is stored:
   * that is tried again and again, for nobody else knows it.
   *
   * @param signal ends the trying, but not the wait for an exchange, which ends by itself. Never rejects
   */
  async idle(signal: AbortSignal): Promise<void> {
    await this.#cache.idle();
    for (let waitMs = STORE_AGAIN_MS; this.#unstored !== undefined && !signal.aborted;) {
      try {
        await this.#store();
      } catch {
        await sleep(this.#clock, waitMs, signal).catch(() => undefined);
        waitMs = Math.min(2 * waitMs, STORE_SELDOM_MS);
      }
      await this.#cache.idle();
    }
  }

  async #fetch(): Promise<TokenLease> {
    if (this.#unstored !== undefined) {
      const left = leftOf(this.#unstored, this.#clock.monotonic());
      await this.#store();
      if (left !== undefined) return left;
    }
    this.#refusal.requireNone();
    this.#refreshToken ??= await this.#read();
    const tokens = await this.#refresh(this.#refreshToken);
    return await this.#keep(tokens);
  }

  /** Asks with the token at hand, and where that is refused, with the one that is stored now, if it is another. */
  async #refresh(refreshToken: string): Promise<Granted> {
    try {
      return await this.#ask(refreshToken);
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const stored = await this.#readAgain();
      if (stored === undefined || stored === refreshToken) throw await this.#refused(error);
      this.#refreshToken = stored;
      // Whoever stored it may have done so late: then it was our use of the old one that ended it.
      const spentTwice = this.#answerLost;
      this.#answerLost = false;
      return await this.#ask(stored).catch(async (again: unknown) => {
        if (!isRefusal(again)) throw again;
        this.#answerLost ||= spentTwice;
        throw await this.#refused(again);
      });
    }
  }

  async #ask(refreshToken: string): Promise<Granted> {
    const { clientId, clientSecret } = this.#options;
    const grant = { grant_type: "refresh_token", client_id: clientId, client_secret: clientSecret } as const;
    if (await this.#begin(refreshToken)) this.#answerLost = true;
    try {
      return await requestToken(this.#options, { ...grant, refresh_token: refreshToken });
    } catch (error) {
      if (error instanceof CredentialError && error.answerLost) this.#answerLost = true;
      throw error;
    }
  }

  async #begin(refreshToken: string): Promise<boolean> {
    using limit = deadline(this.#clock, CALLBACK_MS);
    try {
      return (await this.#options.begin?.(refreshToken, limit.signal)) ?? false;
    } catch (error) {
      // Why is not known: it may be that another one is stored by now.
      if (typeof this.#options.refreshToken !== "string") this.#refreshToken = undefined;
      const message = `the use of the refresh token could not be recorded${kindOf(error)}, so it is not used`;
      throw new CredentialError(message, { fault: "unstored" });
    }
  }

  async #refused({ message, fault, oauthError }: CredentialError): Promise<CredentialError> {
    const ofClient = oauthError === "invalid_client";
    const answerLost = this.#answerLost && !ofClient;
    const why = answerLost
      ? "; an earlier answer was lost, so the refresh token may have been replaced by one that never arrived"
      : "";
    const todo = ofClient ? CHECK_CLIENT : "authorize the app again";
    const refusal = new CredentialError(`${message}${why}: ${todo}`, { fault, oauthError, answerLost });
    this.#refusal.believe(refusal);
    this.#refreshToken = undefined; // somebody may put another one in its place
    using limit = deadline(this.#clock, CALLBACK_MS);
    // What was lost stays recorded: the next process must not call it a consent that was taken back.
    if (!answerLost) await this.#options.refused?.(limit.signal).catch(() => undefined);
    return refusal;
  }

  async #keep({ lease, refreshToken }: Granted): Promise<TokenLease> {
    this.#refusal.forget();
    this.#answerLost = false;
    if (refreshToken !== undefined && refreshToken !== this.#refreshToken) {
      this.#refreshToken = refreshToken;
      this.#unstored = { refreshToken, lease, receivedMs: this.#clock.monotonic() };
      await this.#store();
    }
    if (lease === undefined) throw new CredentialError(NOT_READABLE, { fault: "unavailable" });
    return lease;
  }

  async #store(): Promise<void> {
    if (this.#unstored === undefined) return;
    this.#storing ??= this.#storeOnce(this.#unstored).finally(() => (this.#storing = undefined));
    await this.#storing;
  }

  async #storeOnce({ refreshToken }: Unstored): Promise<void> {
    using limit = deadline(this.#clock, CALLBACK_MS);
    try {
      await orAborted(this.#options.store(refreshToken, limit.signal), limit.signal);
    } catch (error) {
      // without the cause: what stores a token may name it in its errors
      throw new CredentialError(
        `the new refresh token could not be stored${kindOf(error)}; it is kept and tried again`,
        { fault: "unstored" },
      );
    }
    this.#unstored = undefined;
  }

  /** What is stored now; undefined where there is nothing to read but the text that was given at first. */
  async #readAgain(): Promise<string | undefined> {
    return typeof this.#options.refreshToken === "string" ? undefined : await this.#read();
  }

  async #read(): Promise<string> {
    const { refreshToken: source } = this.#options;
    using limit = deadline(this.#clock, CALLBACK_MS);
    let text;
    try {
      text = typeof source === "string" ? source : await orAborted(source(limit.signal), limit.signal);
    } catch (error) {
      throw new CredentialError(`the refresh token could not be read${kindOf(error)}`, { fault: "unstored" });
    }
    const refreshToken = text.trim();
    if (!TOKEN.test(refreshToken)) {
      throw new CredentialError("the refresh token is empty or has blanks: store it alone");
    }
    return refreshToken;
  }

  toJSON(): string {
    return "[OAuth credential]";
  }

  toString(): string {
    return "[OAuth credential]";
  }

  [inspect.custom](): string {
    return `OAuthRefresh { ${this.identity} }`;
  }
}

/** What is left of an access token that waited; undefined when it is not worth to be used any more. */
function leftOf({ lease, receivedMs }: Unstored, nowMs: number): TokenLease | undefined {
  const lifetimeMs = (lease?.lifetimeMs ?? 0) - (nowMs - receivedMs);
  return lease !== undefined && lifetimeMs > lease.lifetimeMs / 2 ? { ...lease, lifetimeMs } : undefined;
}
