import { readFile } from "node:fs/promises";
import { inspect } from "node:util";
import { deadline, orAborted } from "../../base/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import { JWT_BEARER } from "../contract/oauth.ts";
import { BelievedRefusal } from "./believed-refusal.ts";
import { CHECK_CLIENT, CredentialError, type Credentials, kindOf } from "./credentials.ts";
import { type TokenLease, TokenCache } from "./token-cache.ts";
import { isRefusal, NOT_READABLE, requestToken, type TokenEndpointOptions } from "./token-endpoint.ts";

/** A signed statement of who the caller is, made anew for each call or read from where something else renews it. */
export type AssertionSource = (signal: AbortSignal) => Promise<string>;

export interface JwtBearerOptions extends TokenEndpointOptions {
  readonly clientId: string;
  /** for apps that have one and must show it */
  readonly clientSecret?: string;
  readonly assertion: AssertionSource;
  /** scopes with blanks between them; default: all that the app has */
  readonly scope?: string;
  /** how long before its end an access token is replaced, milliseconds; default a minute */
  readonly skewMs?: number;
}

/** Longest time to get an assertion, milliseconds. */
const ASSERTION_MS = 30_000;
/** What to do about a refusal. */
const CHECK_TRUST = "check what the app trusts (issuer, subject, audience, key) and that the assertion is not expired";
/** Three base64url parts (RFC 7515 §3.1). */
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Reads the assertion from a file, as the projected token of a ServiceAccount, which the kubelet renews in place. */
export function assertionFile(path: string): AssertionSource {
  return (signal) => readFile(path, { encoding: "utf8", signal });
}

/**
 * Workload identity: an assertion that something else signs is exchanged for short-lived access tokens (behaviour.md, Authentication 5:
 * beta, plans Team and Enterprise). No secret is stored anywhere, and a refresh token, should one come, is not used: the assertion is the
 * better proof.
 */
export class JwtBearer implements Credentials {
  readonly identity: string;
  readonly #options: JwtBearerOptions;
  readonly #clock: Clock;
  readonly #cache: TokenCache;
  readonly #refusal: BelievedRefusal;

  constructor(options: JwtBearerOptions) {
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

  async #fetch(): Promise<TokenLease> {
    const { clientId, clientSecret, scope } = this.#options;
    const assertion = await this.#assertion();
    this.#refusal.requireNone(assertion);
    try {
      const { lease } = await requestToken(this.#options, {
        grant_type: JWT_BEARER,
        client_id: clientId,
        assertion,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        ...(scope === undefined ? {} : { scope }),
      });
      if (lease === undefined) throw new CredentialError(NOT_READABLE, { fault: "unavailable" });
      return lease;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const { message, fault, oauthError } = error;
      const todo = oauthError === "invalid_client" ? CHECK_CLIENT : CHECK_TRUST;
      const refusal = new CredentialError(`${message}: ${todo}`, { fault, oauthError });
      this.#refusal.believe(refusal, assertion); // another assertion is tried at once
      throw refusal;
    }
  }

  async #assertion(): Promise<string> {
    using limit = deadline(this.#clock, ASSERTION_MS);
    let text;
    try {
      text = await orAborted(this.#options.assertion(limit.signal), limit.signal);
    } catch (error) {
      const message = `the assertion could not be read${kindOf(error)}`;
      throw new CredentialError(message, { fault: "missing" }); // without the cause, which may quote it
    }
    const assertion = text.trim();
    if (!JWT.test(assertion)) throw new CredentialError("the assertion is no signed JWT");
    return assertion;
  }

  toJSON(): string {
    return "[JWT bearer credential]";
  }

  toString(): string {
    return "[JWT bearer credential]";
  }

  [inspect.custom](): string {
    return `JwtBearer { ${this.identity} }`;
  }
}
