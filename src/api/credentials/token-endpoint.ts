import type { Dispatcher } from "undici";
import type { z } from "zod";
import { deadline, sleep } from "../../base/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { ProxySettings } from "../../base/proxy.ts";
import { type Random, systemRandom } from "../../base/random.ts";
import { type BaseUrl, parseBaseUrl } from "../base-url.ts";
import { oauth, tokenResponseSchema } from "../contract/oauth.ts";
import { createDispatcher } from "../dispatcher.ts";
import { withoutAnswer } from "../failures.ts";
import type { HttpRequest, HttpResponse } from "../http.ts";
import { member, parseJson } from "../json.ts";
import { readRateHeaders } from "../pacing/rate-headers.ts";
import { prepareRequest } from "../request.ts";
import { isSuccess } from "../response.ts";
import { type AttemptFailure, decideRetry } from "../retry.ts";
import { createTransport, type Transport, TransportError } from "../transport.ts";
import { CredentialError, type CredentialFault, TOKEN } from "./credentials.ts";
import type { TokenLease } from "./token-cache.ts";

/** Asks the platform's token endpoint (operation oauth.token, which takes no token) and says in words why it gave none. */

export interface TokenEndpointOptions {
  /** https, or http on loopback (base-url.ts) */
  readonly baseUrl: string;
  /** default: the machine's */
  readonly clock?: Clock;
  /** default: the machine's; spreads repetitions */
  readonly random?: Random;
  /** PEM certificates that are trusted beside the usual ones */
  readonly ca?: string;
  readonly proxy?: ProxySettings;
  /** Connections that the caller keeps and closes. Default: one for each exchange, closed after it. */
  readonly dispatcher?: Dispatcher;
  /** default `baas-operator` */
  readonly userAgent?: string;
  /** asked right before a request is sent; default: always */
  readonly mayStart?: () => boolean;
}

/** What came. `lease` is missing where only the refresh token of an answer could be read. */
export interface Granted {
  readonly lease: TokenLease | undefined;
  readonly refreshToken: string | undefined;
}

export type TokenRequest = z.input<(typeof oauth.token)["body"]["schema"]>;

/** Longest time of an exchange with all its repetitions, longer than a limit's window, and of one sending, milliseconds. */
const DEADLINE_MS = 90_000;
const ATTEMPT_MS = 20_000;
const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * One exchange. Not ended by its callers: a rotated refresh token in an answer that nobody reads would be lost.
 *
 * It is sent again after a lost answer, though it is a POST: if the first sending took effect, the old refresh token is spent whether it is
 * sent again or not, and if it did not, nothing is lost.
 *
 * @throws CredentialError `refused` or `unavailable`, whose message holds no secret
 */
export async function requestToken(options: TokenEndpointOptions, body: TokenRequest): Promise<Granted> {
  const { clock = systemClock, random = systemRandom, ca, proxy, userAgent = "baas-operator" } = options;
  const { mayStart = () => true } = options;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const { http } = prepareRequest(oauth.token, { body });
  const dispatcher = options.dispatcher ?? ownDispatcher(baseUrl, { ca, proxy });
  const transport = createTransport({ baseUrl, dispatcher, clock, maxResponseBytes: MAX_RESPONSE_BYTES, userAgent });
  using limit = deadline(clock, DEADLINE_MS);
  try {
    return await new TokenExchange({ transport, clock, random, http, mayStart, signal: limit.signal }).run();
  } finally {
    if (options.dispatcher === undefined) await dispatcher.destroy();
  }
}

function ownDispatcher(
  baseUrl: BaseUrl,
  { ca, proxy }: { readonly ca: string | undefined; readonly proxy: ProxySettings | undefined },
): Dispatcher {
  const trust = { ...(ca === undefined ? {} : { ca }), ...(proxy === undefined ? {} : { proxy }) };
  return createDispatcher({ baseUrl, connections: 1, ...trust });
}

interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly http: HttpRequest;
  readonly mayStart: () => boolean;
  readonly signal: AbortSignal;
}

type TokenAttempt =
  | ({ readonly kind: "granted" } & Granted)
  | { readonly kind: "throttled"; readonly waitMs: number; readonly why: string }
  | { readonly kind: "failed"; readonly failure: AttemptFailure; readonly why: string };

class TokenExchange {
  readonly #options: ExchangeOptions;
  #attempts = 0;
  #answerLost = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
  }

  async run(): Promise<Granted> {
    for (;;) {
      const attempt = await this.#send();
      if (attempt.kind === "granted") return attempt;
      await this.#pause(attempt);
    }
  }

  async #pause(attempt: Exclude<TokenAttempt, { readonly kind: "granted" }>): Promise<void> {
    const { clock, signal } = this.#options;
    const waitMs = attempt.kind === "throttled" ? attempt.waitMs : this.#backoff(attempt.failure);
    const gone =
      waitMs !== undefined &&
      (await sleep(clock, waitMs, signal).then(
        () => true,
        () => false,
      ));
    if (gone) return;
    throw this.#error("unavailable", `the platform could not be asked for an access token: ${attempt.why}`);
  }

  /** Milliseconds to the next sending; undefined when there is none. */
  #backoff(failure: AttemptFailure): number | undefined {
    this.#attempts += 1;
    const decision = decideRetry("idempotent", this.#attempts, failure, this.#options.random);
    return decision.action === "stop" ? undefined : decision.waitMs;
  }

  async #send(): Promise<TokenAttempt> {
    const { transport, clock, http, mayStart, signal } = this.#options;
    using limit = deadline(clock, ATTEMPT_MS, signal);
    try {
      const { response } = await transport.send(http, { token: undefined, signal: limit.signal, mayStart });
      return this.#read(response);
    } catch (error) {
      if (!(error instanceof TransportError)) throw error;
      if (error.sentAtMs !== undefined) this.#answerLost = true;
      const failed = withoutAnswer(oauth.token.id, error);
      return { kind: "failed", failure: failed.failure, why: failed.error.message };
    }
  }

  #read(response: HttpResponse): TokenAttempt {
    const { status } = response;
    if (isSuccess(response)) return this.#granted(response.body); // 200, of older servers 201 (facts.md §2, oauth token)
    const { retryAfterMs, resetMs = 1000 } = readRateHeaders(response.headers, this.#options.clock.now());
    if (status === 429) return { kind: "throttled", waitMs: retryAfterMs ?? resetMs, why: "it is asked too often" };
    if (status === 400 || status === 401 || status === 402 || status === 403) {
      const oauthError = oauthErrorOf(response);
      const why = oauthError ?? `status ${status}`;
      throw this.#error("refused", `the platform gives no access token (${why})`, oauthError);
    }
    if (status >= 500) this.#answerLost = true;
    const asked = retryAfterMs === undefined ? {} : { retryAfterMs };
    return { kind: "failed", failure: { kind: "status", status, ...asked }, why: `the platform answered ${status}` };
  }

  /** An answer of which nothing can be read is as good as lost; a refresh token is taken even where all else is wrong. */
  #granted(body: Uint8Array): TokenAttempt {
    const parsed = parseJson(body);
    const tokens = tokenResponseSchema.safeParse(parsed).data;
    const refreshToken = tokenIn(parsed, "refresh_token");
    const token = tokenIn(tokens, "access_token");
    if (tokens !== undefined && token !== undefined) {
      return { kind: "granted", lease: { token, lifetimeMs: tokens.expires_in * 1000 }, refreshToken };
    }
    if (refreshToken !== undefined) return { kind: "granted", lease: undefined, refreshToken };
    this.#answerLost = true;
    return { kind: "failed", failure: { kind: "lost" }, why: NOT_READABLE };
  }

  #error(fault: CredentialFault, message: string, oauthError?: string): CredentialError {
    return new CredentialError(message, { fault, oauthError, answerLost: this.#answerLost });
  }
}

export const NOT_READABLE = "the platform's answer is not what the contract says";

/** The answer's OAuth error code, if it looks like one (RFC 6749 §5.2); nothing else of the body is shown. */
function oauthErrorOf({ body }: HttpResponse): string | undefined {
  const code = member(parseJson(body), "error");
  return typeof code === "string" && /^[a-z_]{1,60}$/.test(code) ? code : undefined;
}

/** Whether the platform refused what was sent, and not only failed to answer. */
export function isRefusal(error: unknown): error is CredentialError {
  return error instanceof CredentialError && error.fault === "refused";
}

function tokenIn(value: unknown, key: string): string | undefined {
  const token = member(value, key);
  return typeof token === "string" && TOKEN.test(token) ? token : undefined;
}
