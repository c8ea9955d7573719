import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";

import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import { z } from "zod";

/** What a test sends in a watch: an event of an object, a bookmark, or an error. */
export type EventType = "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";

/** A request, and the means to answer it in any way, right or wrong. */
export class Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingHttpHeaders;
  /** Common name of the client's certificate; undefined when it showed none. */
  readonly peer: string | undefined;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  readonly #response: ServerResponse;
  #closed = false;

  private constructor(request: IncomingMessage, response: ServerResponse, body: unknown) {
    const url = new URL(request.url ?? "/", "http://loopback");
    this.method = request.method ?? "";
    this.path = url.pathname;
    this.query = Object.fromEntries(url.searchParams);
    this.headers = request.headers;
    this.peer = peerOf(request.socket);
    this.body = body;
    this.#response = response;
    response.on("error", () => undefined); // writing to a client that has gone is part of the tests
    response.on("close", () => {
      this.#closed = true;
    });
  }

  /** Reads the whole request. */
  static async read(request: IncomingMessage, response: ServerResponse): Promise<Exchange> {
    let text = "";
    request.setEncoding("utf8");
    for await (const part of request) text += String(part);
    const body: unknown = text === "" ? undefined : JSON.parse(text, wholeCharacters);
    return new Exchange(request, response, body);
  }

  /** True once the client went away or the answer is complete. */
  get closed(): boolean {
    return this.#closed;
  }

  json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.text(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
  }

  text(status: number, body: string, headers: Readonly<Record<string, string>> = {}): void {
    this.#head(status, headers);
    this.#response.end(body);
  }

  /** A metav1.Status of a failure, as the apiserver words it. */
  failure(
    status: number,
    reason: string,
    extras: {
      readonly message?: string;
      readonly details?: object;
      readonly headers?: Readonly<Record<string, string>>;
    } = {},
  ): void {
    this.json(status, statusObject(status, reason, extras), extras.headers);
  }

  /** Begins a watch: the head alone. */
  open(): void {
    this.#head(200, { "content-type": "application/json" });
    this.#response.flushHeaders();
  }

  /** One event of a watch. */
  event(type: EventType, object: unknown): void {
    this.write(`${JSON.stringify({ type, object })}\n`);
  }

  bookmark(resourceVersion: string): void {
    this.event("BOOKMARK", { kind: "Widget", apiVersion: "example.dev/v1", metadata: { resourceVersion } });
  }

  /** Any bytes, as they are. */
  write(bytes: string | Uint8Array): void {
    this.#response.write(bytes);
  }

  /** Ends the answer properly. */
  end(): void {
    this.#response.end();
  }

  /** Cuts the connection in the middle. */
  reset(): void {
    this.#response.socket?.resetAndDestroy();
  }

  #head(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.statusCode = status;
    for (const [name, value] of Object.entries(headers)) this.#response.setHeader(name, value);
  }
}

/** A metav1.Status of a failure. */
export function statusObject(
  code: number,
  reason: string,
  extras: { readonly message?: string; readonly details?: object } = {},
): object {
  const { message = `${reason} says the server`, details } = extras;
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", message, reason, code, details };
}

function peerOf(socket: Socket): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const certificate: object = socket.getPeerCertificate(); // without one it is empty, whatever its type says
  const { subject } = peerSchema.parse(certificate);
  return subject?.CN;
}

const peerSchema = z.object({ subject: z.object({ CN: z.string() }).optional() });

/** As the apiserver's decoder reads texts: half of a character is U+FFFD to it. */
function wholeCharacters(_: string, value: unknown): unknown {
  return typeof value === "string" ? value.toWellFormed() : value;
}
