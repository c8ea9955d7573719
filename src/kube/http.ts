import type { Dispatcher } from "undici";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import { ServerClock } from "../base/server-clock.ts";
import { type Span, silentTracer, type Tracer } from "../base/tracer.ts";
import { parseRetryAfter } from "../base/retry-after.ts";
import { childController, deadline, DeadlineError, orAborted } from "../base/abort.ts";
import { errorFromStatus, KubeError } from "./errors.ts";
import type { Connection, ConnectionSource, KubeRequest, KubeResponse, KubeTransport } from "./exchange.ts";
import { failureOf, requestFailure, type requestFailures } from "./failure.ts";
import { withQuery } from "./resource-path.ts";
import { parseJson, readText } from "./response-body.ts";

interface HttpOptions {
  readonly source: ConnectionSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly meter: Meter;
  /** Each request is a child of the work within which it is made; default: nothing is recorded. */
  readonly tracer?: Tracer | undefined;
}

const DEFAULT_DEADLINE_MS = 30_000;
const DEFAULT_MAX_BYTES = 16 * 1024 * 1024;
/** Largest body of a refused stream that is read for its message. */
const MAX_ERROR_BYTES = 1024 * 1024;
/** Longest wait that is believed, milliseconds: a clock that is wrong somewhere must not park a loop for days. */
const LONGEST_ASKED_MS = 600_000;
/** How many different warnings of the apiserver are told; each once. */
const MAX_WARNINGS = 200;

/** What one sending needs besides the request. */
interface SendingContext {
  readonly signal: AbortSignal;
  readonly span: Span;
}

type RequestCode = "ok" | `${number}` | (typeof requestFailures)[number];

/** The transport over connections that somebody else provides. */
export class HttpTransport implements KubeTransport {
  readonly #source: ConnectionSource;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #tracer: Tracer;
  readonly #count: (method: string, code: RequestCode, startedMs: number) => void;
  readonly #warned = new Set<string>();
  readonly #serverClock: ServerClock;

  constructor({ source, clock, log, meter, tracer = silentTracer }: HttpOptions) {
    this.#source = source;
    this.#clock = clock;
    this.#serverClock = new ServerClock(clock);
    this.#log = log;
    this.#tracer = tracer;
    const requests = meter.counter({
      name: "baas_kube_requests_total",
      help: "Requests to the apiserver by method and answer (HTTP status or error code)",
      labels: ["method", "code"],
    });
    const durations = meter.histogram({
      name: "baas_kube_request_duration_seconds",
      help: "Time to the end of the answer, for a watch to its head",
      labels: ["method"],
      buckets: [0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60],
    });
    this.#count = (method, code, startedMs) => {
      requests.increment({ method, code });
      durations.observe((clock.monotonic() - startedMs) / 1000, { method });
    };
  }

  get server(): string {
    return this.#source.server;
  }

  get namespace(): string | undefined {
    return this.#source.namespace;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    using limit = deadline(this.#clock, request.deadlineMs ?? DEFAULT_DEADLINE_MS, request.signal);
    return await this.#measured(request, async (span) => {
      const response = await this.#exchange(request, { signal: limit.signal, span });
      const text = await readText(response, request.maxBytes ?? DEFAULT_MAX_BYTES);
      const body = parseJson(text);
      if (!isSuccess(response.statusCode)) throw this.#refusal(response, body, request);
      if (body === undefined) {
        throw new KubeError("UnexpectedResponse", `${request.method} ${request.path} was not answered with JSON`, {
          status: response.statusCode,
          effect: "unknown",
        });
      }
      return { status: response.statusCode, body };
    });
  }

  async stream(request: KubeRequest): Promise<AsyncIterable<Uint8Array>> {
    const controller = childController(request.signal);
    const release = (): void => controller[Symbol.dispose]();
    const deadlineMs = request.deadlineMs ?? DEFAULT_DEADLINE_MS;
    const timer = this.#clock.setTimer(deadlineMs, () => controller.abort(new DeadlineError(deadlineMs)));
    try {
      const body = await this.#measured(request, async (span) => {
        const response = await this.#exchange(request, { signal: controller.signal, span });
        if (isSuccess(response.statusCode)) return response.body;
        throw this.#refusal(response, parseJson(await readText(response, MAX_ERROR_BYTES)), request);
      });
      return chunksOf(body, request, release);
    } catch (error) {
      release();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  serverNow(): number | undefined {
    return this.#serverClock.now();
  }

  close(): Promise<void> {
    return this.#source.close();
  }

  /** Sends; once more after a 401 when there are other credentials, since a 401 proves that nothing happened. */
  async #exchange(request: KubeRequest, sending: SendingContext): Promise<Dispatcher.ResponseData> {
    const { signal } = sending;
    const connection = await credentialed(this.#source.current(), signal);
    const response = await this.#send(connection, request, sending);
    if (response.statusCode !== 401) return response;
    const renewed = await credentialed(this.#source.renewed(connection), signal).catch(async (error: unknown) => {
      await response.body.dump(); // else its connection would never be free again
      throw error;
    });
    if (renewed === undefined) return response;
    await response.body.dump();
    return await this.#send(renewed, request, sending);
  }

  async #send(
    connection: Connection,
    request: KubeRequest,
    { signal, span }: SendingContext,
  ): Promise<Dispatcher.ResponseData> {
    const body = request.body === undefined ? undefined : JSON.stringify(request.body);
    const headers: Record<string, string> = {
      accept: request.accept ?? "application/json",
      ...span.headers,
      ...connection.headers,
    };
    if (body !== undefined) headers["content-type"] = request.contentType ?? "application/json";
    signal.throwIfAborted();
    request.beforeSend?.();
    const sentAtMs = this.#clock.monotonic();
    const response = await connection.dispatcher.request({
      origin: connection.origin,
      path: withQuery(connection.basePath + request.path, request.query),
      method: request.method,
      headers,
      body: body ?? null,
      signal,
    });
    span.set({ "http.response.status_code": response.statusCode });
    const { date, warning } = response.headers;
    this.#serverClock.observe(typeof date === "string" ? date : undefined, {
      sentAtMs,
      receivedAtMs: this.#clock.monotonic(),
    });
    this.#tellWarnings(warning);
    return response;
  }

  async #measured<T>(request: KubeRequest, run: (span: Span) => Promise<T>): Promise<T> {
    const { method, path } = request;
    const attributes = { "http.request.method": method, "url.path": path };
    const startedMs = this.#clock.monotonic();
    try {
      const result = await this.#tracer.child({ name: `kube ${method}`, kind: "client", attributes }, run);
      this.#count(request.method, "ok", startedMs);
      return result;
    } catch (error) {
      const failure = failureOf(error, request);
      const code: RequestCode =
        failure instanceof KubeError
          ? failure.status === 0
            ? requestFailure(failure)
            : `${failure.status}`
          : "aborted";
      this.#count(request.method, code, startedMs);
      throw failure;
    }
  }

  #refusal(response: Dispatcher.ResponseData, body: unknown, request: KubeRequest): KubeError {
    const header = response.headers["retry-after"];
    const askedMs = parseRetryAfter(typeof header === "string" ? header : header?.[0], this.#clock.now());
    const retryAfterMs = askedMs === undefined ? undefined : Math.min(Math.max(0, askedMs), LONGEST_ASKED_MS);
    return errorFromStatus(response.statusCode, body, { method: request.method, path: request.path, retryAfterMs });
  }

  /** The apiserver warns of deprecated versions and of fields that it dropped; each text is told once. */
  #tellWarnings(header: string | string[] | undefined): void {
    for (const value of header === undefined ? [] : [header].flat()) {
      for (const [, quoted = ""] of value.matchAll(/299 \S+ "((?:[^"\\]|\\.)*)"/g)) {
        const text = quoted.replaceAll(/\\(.)/g, "$1");
        if (this.#warned.has(text) || this.#warned.size >= MAX_WARNINGS) continue;
        this.#warned.add(text);
        this.#log.warn({ warning: text }, "the apiserver warns");
      }
    }
  }
}

async function* chunksOf(
  body: Dispatcher.ResponseData["body"],
  request: KubeRequest,
  release: () => void,
): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const chunk of body) {
      if (!(chunk instanceof Uint8Array)) throw new TypeError("a body is bytes");
      yield chunk;
    }
  } catch (error) {
    throw failureOf(error, request);
  } finally {
    release();
    body.destroy();
  }
}

/**
 * Waits for credentials, which may take long (a plugin runs), but no longer than the signal allows. Their failure proves that nothing was
 * sent; its text stays in the cause, since a plugin may print anything.
 */
async function credentialed<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await orAborted(promise, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    const message = "the credentials for the apiserver could not be read";
    throw new KubeError("Unauthorized", message, { effect: "none", cause: error });
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
