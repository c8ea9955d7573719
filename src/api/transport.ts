import { Readable } from "node:stream";
import type { Dispatcher, FormData } from "undici";
import type { Clock } from "../base/clock.ts";
import { withoutQuotedBytes } from "../base/parser-error.ts";
import type { BaseUrl } from "./base-url.ts";
import type { HttpRequest, HttpResponse, ResponseHeaders } from "./http.ts";
import type { UploadSource } from "./contract/operation.ts";
import { isUploadSource } from "./upload.ts";

/**
 * Sends one request and reads one whole answer. Knows neither operations nor retries nor budgets; does not follow redirects.
 */
export interface Transport {
  /**
   * @param options.signal ends the exchange at once, connection included
   * @param options.mayStart asked right before the first byte is written
   * @returns any answer, whatever its status
   * @throws TransportError when there is none
   */
  send(request: HttpRequest, options: SendingOptions): Promise<Exchange>;
}

export interface SendingOptions {
  /** undefined: an operation that takes none */
  readonly token: string | undefined;
  /** beside those of the request, as those of a trace */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly mayStart: () => boolean;
}

/** An answer, and when its request was begun and it was complete, monotonic milliseconds. */
export interface Exchange {
  readonly response: HttpResponse;
  readonly sentAtMs: number;
  readonly receivedAtMs: number;
}

/**
 * Why there is no answer.
 * - `notSent`: no connection; not a byte of the request left
 * - `lost`: the connection broke after the request was begun
 * - `tooLarge`: the answer exceeds the cap
 * - `aborted`: the signal ended it; `cause` is its reason
 * - `mayNotStart`: `mayStart` said no; nothing was sent
 */
export const transportFailures = ["notSent", "lost", "tooLarge", "aborted", "mayNotStart"] as const;
export type TransportFailureKind = (typeof transportFailures)[number];

export class TransportError extends Error {
  readonly kind: TransportFailureKind;
  /** When the request was begun, monotonic milliseconds; undefined when it never was. */
  readonly sentAtMs: number | undefined;
  /** The next try would end the same, until somebody changes a setting. */
  readonly permanent: boolean;

  constructor(
    kind: TransportFailureKind,
    details: { sentAtMs?: number | undefined; permanent?: boolean; cause: unknown },
  ) {
    super(kind, { cause: details.cause });
    this.name = "TransportError";
    this.kind = kind;
    this.sentAtMs = details.sentAtMs;
    this.permanent = details.permanent ?? false;
  }
}

export interface TransportOptions {
  readonly baseUrl: BaseUrl;
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly maxResponseBytes: number;
  readonly userAgent: string;
}

/** TLS and certificate failures by the codes of Node.js and OpenSSL: X509_V_ERR_… without its prefix, ERR_TLS_…. */
const UNTRUSTED =
  /^(ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH|INVALID_CA|UND_ERR_INVALID_ARG)/;

/** A transport over an undici dispatcher, which the caller closes. */
export function createTransport(options: TransportOptions): Transport {
  return { send: (request, sending) => exchange(options, request, sending) };
}

function exchange(
  { baseUrl, dispatcher, clock, maxResponseBytes, userAgent }: TransportOptions,
  request: HttpRequest,
  { token, headers: added, signal, mayStart }: SendingOptions,
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const { method } = request;
    const handler = new ExchangeHandler({ method, clock, maxResponseBytes, signal, mayStart, resolve, reject });
    if (handler.settled) return;
    const { body, headers } = onTheWire(request);
    dispatcher.dispatch(
      {
        origin: baseUrl.origin,
        path: baseUrl.prefix + request.path,
        method,
        headers: {
          ...headers,
          ...added,
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          "user-agent": userAgent,
        },
        body,
      },
      handler,
    );
  });
}

interface WrittenRequest {
  readonly headers: HttpRequest["headers"];
  readonly body: string | Uint8Array | FormData | Readable | null;
}

function onTheWire({ headers, body }: HttpRequest): WrittenRequest {
  if (body === undefined) return { headers, body: null };
  if (!isUploadSource(body)) return { headers, body };
  return { headers: { ...headers, "content-length": String(body.size) }, body: Readable.from(bytesOf(body)) };
}

/** Begins to read when the first byte is wanted, so that a source which cannot even begin fails as one that breaks off. */
async function* bytesOf(source: UploadSource): AsyncGenerator<Uint8Array, void, undefined> {
  yield* source.stream();
}

interface HandlerOptions {
  readonly method: HttpRequest["method"];
  readonly clock: Clock;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
  readonly mayStart: () => boolean;
  readonly resolve: (exchange: Exchange) => void;
  readonly reject: (error: TransportError) => void;
}

/**
 * Collects the answer. undici calls `onRequestStart` right before it writes the first byte to a connected socket: that call is the
 * evidence for "sent", which an error's code alone is not (ECONNRESET comes from TLS handshakes too).
 */
class ExchangeHandler implements Dispatcher.DispatchHandler {
  readonly #options: HandlerOptions;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #head: { readonly status: number; readonly headers: ResponseHeaders } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #sentAtMs: number | undefined;
  settled = false;

  constructor(options: HandlerOptions) {
    this.#options = options;
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.settled) {
      controller.abort(new Error("given up before the connection was there"));
      return;
    }
    if (!this.#options.mayStart()) {
      const refusal = new Error("may not start");
      this.#fail("mayNotStart", refusal);
      controller.abort(refusal);
      return;
    }
    this.#controller = controller;
    this.#sentAtMs = this.#options.clock.monotonic();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: ResponseHeaders): void {
    if (status < 200) return; // informational: the answer is still to come
    this.#head = { status, headers };
    if (this.#options.method === "HEAD") return; // its length is that of a body which does not come
    if (Number(headers["content-length"] ?? 0) > this.#options.maxResponseBytes) this.#tooLarge(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length;
    if (this.#size > this.#options.maxResponseBytes) this.#tooLarge(controller);
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.#head === undefined || this.#sentAtMs === undefined) {
      this.#fail("lost", new Error("an answer without a head"));
      return;
    }
    if (!this.#settle()) return;
    const body = Buffer.concat(this.#chunks);
    const receivedAtMs = this.#options.clock.monotonic();
    this.#options.resolve({ response: { ...this.#head, body }, sentAtMs: this.#sentAtMs, receivedAtMs });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(this.#sentAtMs === undefined ? "notSent" : "lost", withoutQuotedBytes(error));
  }

  readonly #onAbort = (): void => {
    const reason = this.#options.signal.reason as unknown;
    this.#fail("aborted", reason);
    this.#controller?.abort(reason instanceof Error ? reason : new Error("aborted"));
  };

  #tooLarge(controller: Dispatcher.DispatchController): void {
    const error = new Error(`more than ${this.#options.maxResponseBytes} bytes`);
    this.#fail("tooLarge", error);
    controller.abort(error);
  }

  #fail(kind: TransportFailureKind, cause: unknown): void {
    if (!this.#settle()) return;
    const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
    const permanent = typeof code === "string" && UNTRUSTED.test(code);
    this.#options.reject(new TransportError(kind, { sentAtMs: this.#sentAtMs, permanent, cause }));
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    this.#options.signal.removeEventListener("abort", this.#onAbort);
    return true;
  }
}
