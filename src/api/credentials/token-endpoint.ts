import type { Dispatcher } from "undici";
import type { z } from "zod";
import { deadline, sleep } from "../../base/abort.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { ProxySettings } from "../../base/proxy.ts";
import { type Meter, silentMeter } from "../../base/meter.ts";
import { type Random, systemRandom } from "../../base/random.ts";
import { type Span, silentTracer, type Tracer } from "../../base/tracer.ts";
import { type BaseUrl, parseBaseUrl } from "../base-url.ts";
import { oauth, tokenResponseSchema } from "../contract/oauth.ts";
import { type CallMetrics, callMetrics, type SendingOutcome } from "../call-metrics.ts";
import { spanOf } from "../call-span.ts";
import { createDispatcher } from "../dispatcher.ts";
import { withoutAnswer } from "../failures.ts";
import type { HttpRequest, HttpResponse } from "../http.ts";
import { addressOf } from "../identity.ts";
import { member, parseJson } from "../json.ts";
import { NoBudgetError } from "../pacing/no-budget-error.ts";
import type { Pacer, Permit } from "../pacing/pacer.ts";
import { readRateHeaders } from "../pacing/rate-headers.ts";
import { prepareRequest } from "../request.ts";
import { isSuccess } from "../response.ts";
import { type AttemptFailure, decideRetry } from "../retry.ts";
import { createTransport, type Exchange, type Transport, TransportError } from "../transport.ts";
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
  /** shared with the clients, since what is sent without a token counts against the address (behaviour.md, Authentication rule 6); default: not paced */
  readonly pacer?: Pacer;
  /** longest wait for budget before the first sending, milliseconds; default 30 s */
  readonly maxWaitMs?: number;
  readonly meter?: Meter;
  readonly tracer?: Tracer;
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
const MAX_WAIT_MS = 30_000;
/** Somebody waits for the token, whatever for: it is as urgent as the most urgent of them. */
const LANE = "change";

/**
 * One exchange. Not ended by its callers: a rotated refresh token in an answer that nobody reads would be lost.
 *
 * It is sent again after a lost answer, though it is a POST: if the first sending took effect, the old refresh token is spent whether it is
 * sent again or not, and if it did not, nothing is lost.
 *
 * @throws CredentialError `refused` or `unavailable`, whose message holds no secret; NoBudgetError when nothing was sent
 */
export async function requestToken(options: TokenEndpointOptions, body: TokenRequest): Promise<Granted> {
  const { clock = systemClock, random = systemRandom, ca, proxy, userAgent = "baas-operator" } = options;
  const { mayStart = () => true, pacer, maxWaitMs = MAX_WAIT_MS, meter = silentMeter, tracer = silentTracer } = options;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const { http } = prepareRequest(oauth.token, { body });
  const dispatcher = options.dispatcher ?? ownDispatcher(baseUrl, { ca, proxy });
  const transport = createTransport({ baseUrl, dispatcher, clock, maxResponseBytes: MAX_RESPONSE_BYTES, userAgent });
  using limit = deadline(clock, DEADLINE_MS);
  try {
    return await tracer.child(spanOf({ operation: oauth.token, lane: LANE }), (span) => {
      const pacing = pacer && { pacer, identity: addressOf(baseUrl.href), maxWaitMs };
      const telling = { metrics: callMetrics(meter), span };
      return new TokenExchange({
        transport,
        clock,
        random,
        http,
        mayStart,
        signal: limit.signal,
        pacing,
        ...telling,
      }).run();
    });
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
  readonly pacing: { readonly pacer: Pacer; readonly identity: string; readonly maxWaitMs: number } | undefined;
  readonly metrics: CallMetrics;
  readonly span: Span;
}

type TokenAttempt =
  | ({ readonly kind: "granted" } & Granted)
  | { readonly kind: "throttled"; readonly waitMs: number; readonly why: string }
  | { readonly kind: "failed"; readonly failure: AttemptFailure; readonly why: string };

class TokenExchange {
  readonly #options: ExchangeOptions;
  readonly #endsAtMs: number;
  #attempts = 0;
  #sendings = 0;
  #answerLost = false;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#endsAtMs = options.clock.monotonic() + DEADLINE_MS;
  }

  async run(): Promise<Granted> {
    for (;;) {
      const attempt = await this.#send();
      if (attempt.kind === "granted") return attempt;
      await this.#pause(attempt);
    }
  }

  async #pause(attempt: Exclude<TokenAttempt, { readonly kind: "granted" }>): Promise<void> {
    const { clock, signal, metrics } = this.#options;
    const waitMs = attempt.kind === "throttled" ? attempt.waitMs : this.#backoff(attempt.failure);
    if (waitMs !== undefined) metrics.repeated(oauth.token.id, causeOf(attempt));
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
    const { clock, signal } = this.#options;
    const permit = await this.#permit();
    using limit = deadline(clock, ATTEMPT_MS, signal);
    const beganMs = clock.monotonic();
    const sent = await this.#exchange(limit.signal).catch((error: unknown) => {
      permit?.end({ sentAtMs: beganMs, receivedAtMs: clock.monotonic(), throttled: false }, {});
      throw error;
    });
    if (sent instanceof TransportError) {
      const { sentAtMs } = sent;
      if (sentAtMs === undefined) permit?.cancel();
      else permit?.end({ sentAtMs, receivedAtMs: clock.monotonic(), throttled: false }, {});
      this.#note(sent.kind, beganMs);
      if (sentAtMs !== undefined) this.#answerLost = true;
      const failed = withoutAnswer(oauth.token.id, sent);
      return { kind: "failed", failure: failed.failure, why: failed.error.message };
    }
    const { status, headers } = sent.response;
    permit?.end({ ...sent, throttled: status === 429 }, readRateHeaders(headers, clock.now()));
    this.#note(`${status}`, beganMs);
    const { span } = this.#options;
    span.set({ "http.response.status_code": status, "http.request.resend_count": this.#sendings - 1 });
    return this.#read(sent.response);
  }

  async #exchange(signal: AbortSignal): Promise<Exchange | TransportError> {
    const { transport, http, mayStart, span } = this.#options;
    try {
      return await transport.send(http, { token: undefined, headers: span.headers, signal, mayStart });
    } catch (error) {
      if (error instanceof TransportError) return error;
      throw error;
    }
  }

  /** Once something was sent, whoever gives up says what may have become of it: then the wait is as long as there is time. */
  async #permit(): Promise<Permit | undefined> {
    const { pacing, signal, clock } = this.#options;
    if (pacing === undefined) return undefined;
    const { pacer, identity } = pacing;
    const again = this.#sendings > 0;
    const leftMs = Math.max(0, this.#endsAtMs - clock.monotonic());
    const maxWaitMs = again ? leftMs : Math.min(leftMs, pacing.maxWaitMs);
    const scope = { kind: "identity", id: "" } as const;
    try {
      return await pacer.acquire({ identity, scope, lane: LANE, signal, maxWaitMs, reissued: again });
    } catch (error) {
      if (error instanceof NoBudgetError && !again) throw error;
      throw this.#error(
        "unavailable",
        "the platform could not be asked for an access token: the request budget is spent",
      );
    }
  }

  #note(outcome: SendingOutcome, beganMs: number): void {
    const { metrics, clock } = this.#options;
    this.#sendings += 1;
    metrics.sent(oauth.token.id, outcome, Math.round(clock.monotonic() - beganMs));
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

function causeOf(attempt: Exclude<TokenAttempt, { readonly kind: "granted" }>): Parameters<CallMetrics["repeated"]>[1] {
  if (attempt.kind === "throttled") return "throttled";
  const { failure } = attempt;
  return failure.kind === "status" ? `${failure.status}` : failure.kind;
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
