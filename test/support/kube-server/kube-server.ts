/**
 * test/support/kube-server: loopback servers that stand in for a kube-apiserver. This one is scripted: the test takes each request in
 * turn and says what becomes of it, faults included. Nothing here judges the client, and nothing decides by itself.
 */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Server, Socket } from "node:net";
import { type SecureContextOptions, Server as TlsServer } from "node:tls";
import { Exchange } from "./exchange.ts";

/** TLS material of a server; `ca` and `requestCert` make it ask for client certificates. */
export interface ServerTls extends SecureContextOptions {
  readonly requestCert?: boolean;
  readonly rejectUnauthorized?: boolean;
}

interface KubeServerOptions {
  readonly tls?: ServerTls;
  /** its wall time as its answers tell it, milliseconds since the epoch; default: the machine's */
  readonly now?: () => number;
}

/** How long a request that the test awaits may take to arrive, milliseconds of real time. */
const PATIENCE_MS = 10_000;

/** A scripted apiserver on a loopback port: HTTP/1.1, with TLS or without. */
export class KubeServer implements AsyncDisposable {
  readonly #tls: boolean;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #arrived: Exchange[] = [];
  readonly #waiting: ((exchange: Exchange) => void)[] = [];
  #port = 0;

  private constructor({ tls, now }: KubeServerOptions) {
    this.#tls = tls !== undefined;
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
      if (now !== undefined) response.setHeader("date", new Date(now()).toUTCString());
      // A request that breaks off is none.
      void Exchange.read(request, response).then(
        (exchange) => this.#take(exchange),
        () => undefined,
      );
    };
    const options = { keepAliveTimeout: 60_000, ...tls };
    this.#server = tls === undefined ? createServer(options, onRequest) : createTlsServer(options, onRequest);
    this.#server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on("error", () => undefined); // resets are what is being tested
      socket.on("close", () => void this.#sockets.delete(socket));
    });
  }

  /** Listens on a free port. */
  static async start(options: KubeServerOptions = {}): Promise<KubeServer> {
    const server = new KubeServer(options);
    await server.listenAgain();
    return server;
  }

  /** Shows another certificate from the next connection on. */
  renew(tls: ServerTls): void {
    if (!(this.#server instanceof TlsServer)) throw new Error("this server has no certificate");
    this.#server.setSecureContext(tls);
  }

  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `${this.#tls ? "https" : "http"}://127.0.0.1:${this.#port}`;
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Requests that arrived and that the test has not taken. */
  get untaken(): number {
    return this.#arrived.length;
  }

  /** The next request, in order of arrival; rejects when none comes within ten seconds, or when `signal` aborts. */
  async next(signal?: AbortSignal): Promise<Exchange> {
    const ready = this.#arrived.shift();
    if (ready !== undefined) return ready;
    const { promise, resolve, reject } = Promise.withResolvers<Exchange>();
    const giveUp = (): void => {
      this.#waiting.splice(this.#waiting.indexOf(resolve), 1);
      reject(new Error("no request arrived"));
    };
    const timer = setTimeout(giveUp, PATIENCE_MS);
    signal?.addEventListener("abort", giveUp, { once: true });
    this.#waiting.push(resolve);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", giveUp);
    }
  }

  /** Cuts every connection, as a crash does; it goes on listening. */
  cutConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Refuses new connections until `listenAgain`. */
  stopListening(): void {
    this.#server.close();
  }

  /** Listens on the port from before. */
  async listenAgain(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    if (typeof address !== "object" || address === null) throw new Error("no TCP port");
    this.#port = address.port;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.cutConnections();
    return Promise.resolve();
  }

  #take(exchange: Exchange): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#arrived.push(exchange);
    else next(exchange);
  }
}
