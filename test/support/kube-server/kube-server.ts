/**
 * test/support/kube-server: loopback servers that stand in for a kube-apiserver. This one is scripted: the test takes each request in
 * turn and says what becomes of it, faults included. Nothing here judges the client, and nothing decides by itself.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import { createSecureServer } from "node:http2";
import type { AddressInfo, Socket } from "node:net";
import type { SecureContextOptions } from "node:tls";
import { Exchange } from "./exchange.ts";

/** TLS material of a server; `ca` and `requestCert` make it ask for client certificates. */
export interface ServerTls extends SecureContextOptions {
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

/** How long a request that the test awaits may take to arrive, milliseconds of real time. */
const PATIENCE_MS = 10_000;

/** A scripted apiserver on a loopback port: plain HTTP/1.1, or HTTP/1.1 and HTTP/2 over TLS. */
export class KubeServer implements AsyncDisposable {
  readonly port: number;
  readonly #tls: boolean;
  readonly #close: () => void;
  readonly #sockets: Set<Socket>;
  readonly #arrived: Exchange[];
  readonly #waiting: ((exchange: Exchange) => void)[];

  private constructor(parts: {
    readonly port: number;
    readonly tls: boolean;
    readonly close: () => void;
    readonly sockets: Set<Socket>;
    readonly arrived: Exchange[];
    readonly waiting: ((exchange: Exchange) => void)[];
  }) {
    this.port = parts.port;
    this.#tls = parts.tls;
    this.#close = parts.close;
    this.#sockets = parts.sockets;
    this.#arrived = parts.arrived;
    this.#waiting = parts.waiting;
  }

  /** Listens on a free port, or on `port`. */
  static async start(options: { readonly tls?: ServerTls; readonly port?: number } = {}): Promise<KubeServer> {
    const arrived: Exchange[] = [];
    const waiting: ((exchange: Exchange) => void)[] = [];
    const take = (exchange: Exchange): void => {
      const next = waiting.shift();
      if (next === undefined) arrived.push(exchange);
      else next(exchange);
    };
    const onRequest = (
      request: IncomingMessage | Http2ServerRequest,
      response: ServerResponse | Http2ServerResponse,
    ): void => {
      void Exchange.read(request, response).then(take, () => undefined); // a request that breaks off is none
    };
    const server =
      options.tls === undefined
        ? createServer({ keepAliveTimeout: 60_000 }, onRequest)
        : createSecureServer({ allowHTTP1: true, ...options.tls }, onRequest);
    const sockets = new Set<Socket>();
    server.on(options.tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
      sockets.add(socket);
      socket.on("error", () => undefined); // resets are what is being tested
      socket.on("close", () => void sockets.delete(socket));
    });
    server.listen(options.port ?? 0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (!isAddress(address)) throw new Error("no TCP port");
    const close = (): void => void server.close();
    return new KubeServer({ port: address.port, tls: options.tls !== undefined, close, sockets, arrived, waiting });
  }

  get url(): string {
    return `${this.#tls ? "https" : "http"}://127.0.0.1:${this.port}`;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Requests that arrived and that the test has not taken. */
  get untaken(): number {
    return this.#arrived.length;
  }

  /** The next request, in order of arrival; rejects when none comes within ten seconds. */
  async next(): Promise<Exchange> {
    const ready = this.#arrived.shift();
    if (ready !== undefined) return ready;
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    const timer = setTimeout(() => reject(new Error("no request arrived")), PATIENCE_MS);
    this.#waiting.push(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Cuts every connection, as a crash does; it goes on listening. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    for (const socket of this.#sockets) socket.destroy();
    return Promise.resolve();
  }
}

function isAddress(address: AddressInfo | string | null): address is AddressInfo {
  return typeof address === "object" && address !== null;
}
