import { deadline, sleep } from "../base/abort.ts";
import { errorFields } from "../base/error-facts.ts";
import type { Span } from "../base/tracer.ts";
import type { SendingOutcome } from "./call-metrics.ts";
import type { CallEnvironment, CallPlan, Sender } from "./call-plan.ts";
import { spanOf } from "./call-span.ts";
import { tokenOf } from "./credentials/credentials.ts";
import type { ApiError } from "./errors.ts";
import { endedBy, notStarted, withoutAnswer, withoutBudget, withoutToken } from "./failures.ts";
import type { FailedAttempt } from "./failures.ts";
import { headerOf, type HttpResponse } from "./http.ts";
import { NoBudgetError } from "./pacing/no-budget-error.ts";
import type { Permit } from "./pacing/pacer.ts";
import { readRateHeaders } from "./pacing/rate-headers.ts";
import { errorOfAnswer, isSuccess } from "./response.ts";
import { decideRetry } from "./retry.ts";
import { TransportError } from "./transport.ts";
import type { Exchange } from "./transport.ts";

/** Makes one call: token, budget, sending, and again where retry.ts says so. Resolves to a success; rejects with ApiError. */
export async function makeCall(environment: CallEnvironment, plan: CallPlan): Promise<HttpResponse> {
  using limit = deadline(environment.clock, plan.deadlineMs, plan.signal);
  const { signal } = limit;
  return await environment.tracer.child(spanOf(plan), (span) =>
    new RunningCall(environment, plan, { signal, span }).run(),
  );
}

type AttemptResult =
  | { readonly kind: "answered"; readonly response: HttpResponse }
  | { readonly kind: "throttled" }
  | { readonly kind: "tokenReplaced" }
  | ({ readonly kind: "failed" } & FailedAttempt);

class RunningCall {
  readonly #environment: CallEnvironment;
  readonly #plan: CallPlan;
  readonly #signal: AbortSignal;
  readonly #span: Span;
  readonly #endsAtMs: number;
  readonly #id: string;
  #attempts = 0;
  /** for budget, milliseconds */
  #waitedMs = 0;
  #throttled = false;
  #tokenReplaced = false;
  #announced = false;
  /** The failure of a sending that may have taken effect. */
  #unclear: ApiError | undefined;

  constructor(
    environment: CallEnvironment,
    plan: CallPlan,
    { signal, span }: { readonly signal: AbortSignal; readonly span: Span },
  ) {
    this.#environment = environment;
    this.#plan = plan;
    this.#signal = signal;
    this.#span = span;
    this.#endsAtMs = environment.clock.monotonic() + plan.deadlineMs;
    this.#id = plan.operation.id;
  }

  async run(): Promise<HttpResponse> {
    for (;;) {
      const result = await this.#attempt();
      switch (result.kind) {
        case "answered":
          return result.response;
        case "throttled":
        case "tokenReplaced":
          this.#environment.metrics.repeated(this.#id, result.kind);
          continue;
        case "failed":
          await this.#pause(result);
          continue;
        default:
          return result satisfies never;
      }
    }
  }

  /** Waits before the next sending, or throws the failure when there is none. */
  async #pause({ failure, error }: FailedAttempt): Promise<void> {
    const { clock, random, metrics } = this.#environment;
    if (error.effect === "unknown") this.#unclear = error;
    const decision = decideRetry(this.#plan.retry, this.#attempts, failure, random);
    if (decision.action === "stop" || decision.waitMs >= this.#remainingMs()) {
      throw failure.kind === "notSent" ? this.#unsent(error) : error;
    }
    metrics.repeated(this.#id, failure.kind === "status" ? `${failure.status}` : failure.kind);
    await this.#unlessEnded(sleep(clock, decision.waitMs, this.#signal));
  }

  async #attempt(): Promise<AttemptResult> {
    const { token, identity } = this.#plan.as ?? (await this.#sender());
    const permit = await this.#permit(identity);
    await this.#announce(permit);
    const sent = await this.#send(permit, token);
    if (!("response" in sent)) return { kind: "failed", ...sent };
    const { response } = sent;
    const allowed = isSuccess(response);
    if (allowed || response.status === 403) this.#tellAllowed(allowed);
    if (allowed) return { kind: "answered", response };
    if (response.status === 429) {
      this.#throttled = true;
      this.#attempts -= 1;
      return { kind: "throttled" };
    }
    if (response.status === 401 && this.#plan.as === undefined && token !== undefined) {
      return await this.#unauthorized(response, token);
    }
    return this.#refused(response, token);
  }

  /** The client's own token, and under whose name it is paced. */
  async #sender(): Promise<Sender> {
    const token = await this.#token();
    return { token, identity: await this.#unlessEnded(this.#environment.identityOf(token, this.#signal)) };
  }

  async #token(): Promise<string> {
    try {
      this.#signal.throwIfAborted();
      return await tokenOf(this.#environment.credentials, this.#signal);
    } catch (error) {
      throw this.#ended() ?? this.#unsent(withoutToken(this.#id, error));
    }
  }

  async #permit(identity: string): Promise<Permit> {
    const { operation, request, lane, maxWaitMs } = this.#plan;
    // After a 429 the call waits as long as it has time: the reconcile is not to notice (engine.md §2).
    const patienceMs = this.#throttled ? this.#remainingMs() : Math.min(maxWaitMs, this.#remainingMs());
    const asked = this.#environment.pacer.acquire({
      identity,
      scope: request.scope,
      lane,
      signal: this.#signal,
      maxWaitMs: patienceMs,
      reissued: this.#throttled,
      ...(operation.limitClass === undefined ? {} : { limitClass: operation.limitClass }),
    });
    const { clock } = this.#environment;
    const beganMs = clock.monotonic();
    const permit = await this.#unlessEnded(asked);
    this.#waitedMs += clock.monotonic() - beganMs;
    this.#span.set({ "baas.budget_wait_ms": Math.round(this.#waitedMs) });
    return permit;
  }

  /** Tells who wants to know it that the request is about to be sent. @throws what they fail with */
  async #announce(permit: Permit): Promise<void> {
    const { beforeSending } = this.#plan;
    if (beforeSending === undefined || this.#announced) return;
    this.#announced = true;
    try {
      await beforeSending();
    } catch (error) {
      permit.cancel();
      throw error;
    }
  }

  /** Sends once and tells the pacer how it went. */
  async #send(permit: Permit, token: string | undefined): Promise<Exchange | FailedAttempt> {
    const { clock, transport, serverClock, metrics, log, mayStart } = this.#environment;
    this.#attempts += 1;
    const beganMs = clock.monotonic();
    const note = (outcome: SendingOutcome): void => {
      const durationMs = Math.round(clock.monotonic() - beganMs);
      metrics.sent(this.#id, outcome, durationMs);
      const { lane } = this.#plan;
      log.debug({ operation: this.#id, outcome, durationMs, attempt: this.#attempts, lane }, "request sent");
    };
    using limit = deadline(clock, this.#plan.attemptMs, this.#signal);
    try {
      const exchange = await transport.send(this.#plan.request.http, {
        token,
        headers: this.#span.headers,
        signal: limit.signal,
        mayStart,
      });
      const { response } = exchange;
      const throttled = response.status === 429;
      serverClock.observe(headerOf(response.headers, "date"), exchange);
      permit.end({ ...exchange, throttled }, readRateHeaders(response.headers, clock.now()));
      note(`${response.status}`);
      this.#span.set({ "http.response.status_code": response.status, "http.request.resend_count": this.#attempts - 1 });
      if (throttled) log.warn({ operation: this.#id, scope: this.#plan.request.scope.kind }, "request rate exceeded");
      return exchange;
    } catch (error) {
      if (!(error instanceof TransportError)) {
        permit.end({ sentAtMs: beganMs, receivedAtMs: clock.monotonic(), throttled: false }, {});
        throw error;
      }
      note(error.kind);
      const { sentAtMs } = error;
      if (sentAtMs === undefined) permit.cancel();
      else permit.end({ sentAtMs, receivedAtMs: clock.monotonic(), throttled: false }, {});
      const ended = this.#ended(sentAtMs !== undefined);
      if (ended !== undefined) throw ended;
      return withoutAnswer(this.#id, error);
    }
  }

  /**
   * 401: a write is a refusal if the platform accepts the token elsewhere, since some validations answer 401 (facts.md §5, "a validation failure under
   * 401!"); a token that is good is not given up for that. Else a fresh token is tried once.
   */
  async #unauthorized(response: HttpResponse, token: string): Promise<AttemptResult> {
    const { credentials } = this.#environment;
    const write = this.#plan.operation.retry !== "read";
    if (write && (await this.#unlessEnded(this.#environment.accepts(token, this.#signal)))) {
      return this.#refused(response, token, "REFUSED");
    }
    try {
      credentials.onRejected(token);
    } catch (error) {
      throw this.#unsent(withoutToken(this.#id, error));
    }
    if (!this.#tokenReplaced && (await this.#token().catch(() => token)) !== token) {
      this.#tokenReplaced = true;
      return { kind: "tokenReplaced" };
    }
    this.#tell(() => credentials.onRefused?.());
    return this.#refused(response, token);
  }

  #tellAllowed(allowed: boolean): void {
    if (this.#plan.as !== undefined) return;
    this.#tell(() => this.#environment.credentials.onAnswered?.(this.#plan.operation, allowed));
  }

  /** What an answer says stays so, whatever a credential makes of it. */
  #tell(told: () => void): void {
    try {
      told();
    } catch (error) {
      this.#environment.log.warn({ operation: this.#id, ...errorFields(error) }, "the credential could not be told");
    }
  }

  #refused(response: HttpResponse, token: string | undefined, code?: "REFUSED"): AttemptResult {
    const { retryAfterMs } = readRateHeaders(response.headers, this.#environment.clock.now());
    const { names } = this.#plan.request;
    const secrets = [...this.#plan.request.secrets, ...(token === undefined ? [] : [token])];
    return {
      kind: "failed",
      failure: {
        kind: "status",
        status: response.status,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
      },
      error: errorOfAnswer(this.#plan.operation, response, { secrets, names, ...(code === undefined ? {} : { code }) }),
    };
  }

  #remainingMs(): number {
    return Math.max(0, this.#endsAtMs - this.#environment.clock.monotonic());
  }

  /** Turns what the pacer and waits reject with into the error of the call. */
  async #unlessEnded<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const ended = this.#ended();
      if (ended !== undefined) throw ended;
      if (!(error instanceof NoBudgetError)) throw this.#unsent(notStarted(this.#id, error));
      throw this.#unsent(withoutBudget(this.#id, error));
    }
  }

  /** An error that says "nothing happened", unless an earlier sending of the same write may have taken effect: then that one's. */
  #unsent(error: ApiError): ApiError {
    return this.#plan.retry === "read" ? error : (this.#unclear ?? error);
  }

  /** The error of a call that was ended from outside; undefined when it was not. */
  #ended(sentNow = false): ApiError | undefined {
    if (!this.#signal.aborted) return undefined;
    return endedBy(this.#id, this.#signal.reason, sentNow || this.#unclear !== undefined);
  }
}
