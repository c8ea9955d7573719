import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { IncomingHttpHeaders } from "undici/types/header.js";
import { Agent } from "undici";

/** Which server a request is for. */
export type Server = "kubernetes" | "platform" | "artifacts";

/** A request as it arrived, whole. */
export interface Asked {
  readonly server: Server;
  readonly method: string;
  /** with the query */
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** An answer, whole. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What a request gets: an answer, or a connection that is cut. */
export type Reply = Answer | "reset";

/** A watch, which is streamed. */
export interface Watch {
  readonly path: string;
  /** nothing passes while it is so, what arrives is lost, and nobody is told */
  silent: boolean;
  /** Breaks the connection. */
  cut(): void;
}

/** Decides over each request. `forward` sends it on, once, and gives the server's answer. */
export interface Director {
  handle(asked: Asked, forward: () => Promise<Answer>): Promise<Reply>;
  /** the answer has left for the client */
  answered(asked: Asked): void;
  /** the client has gone before its answer left: it gave up, or is no more */
  abandoned?(asked: Asked): void;
  /** A watch is asked for. @returns what it gets instead of the server's stream; default nothing */
  watch?(watch: Watch): Reply | undefined;
  /** A watch has begun, a piece of it has passed, or it is over. */
  watched?(watch: Watch, what: "begun" | "over" | Uint8Array): void;
}

interface RelayOptions {
  readonly server: Server;
  /** base URL of the real one */
  readonly target: string;
  /** PEM of the certificate to trust */
  readonly ca?: string;
  readonly director: Director;
}

/** Stands before a server, on plain HTTP: each request passes the director, but for watches, which are streamed through. */
export interface HttpRelay extends AsyncDisposable {
  readonly url: string;
}

/** Of the connection to one side, not of the message. */
const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "content-length", "host", "expect"]);

export async function startHttpRelay(options: RelayOptions): Promise<HttpRelay> {
  const connect = options.ca === undefined ? {} : { ca: options.ca };
  const agent = new Agent({ connect, headersTimeout: 0, bodyTimeout: 0 });
  const relay = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    response.on("error", () => undefined);
    const asked = pass(agent, options, { request, response });
    // The client was killed, or the server is gone: either way the connection ends.
    asked.catch(() => response.destroy());
  });
  relay.listen(0, "127.0.0.1");
  await once(relay, "listening");
  const address = relay.address();
  if (typeof address !== "object" || address === null) throw new Error("no TCP port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      relay.close();
      relay.closeAllConnections();
      await agent.destroy();
    },
  };
}

interface Ends {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function pass(agent: Agent, options: RelayOptions, { request, response }: Ends): Promise<void> {
  const { server, director } = options;
  const { method = "GET", url: path = "/", headers } = request;
  if (path.includes("watch=true") || path.includes("watch=1")) return stream(agent, options, { request, response });
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer); // no encoding is set: it is bytes
  const asked: Asked = { server, method, path, headers, body: Buffer.concat(pieces) };
  response.once("close", () => {
    if (!response.writableFinished) director.abandoned?.(asked);
  });
  const reply = await director.handle(asked, () => forward(agent, options, asked));
  if (reply === "reset") {
    request.socket.resetAndDestroy();
    return;
  }
  response.once("finish", () => director.answered(asked));
  response.writeHead(reply.status, { ...kept(reply.headers), "content-length": reply.body.length });
  response.end(reply.body);
}

function kept(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (HOP.has(name) || value === undefined ? [] : [[name, value]])),
  );
}

function requestOf({ target }: RelayOptions, { method, path, headers }: Omit<Asked, "server" | "body">) {
  const to = new URL(target);
  return { origin: to.origin, path, method, headers: kept(headers) };
}

async function forward(agent: Agent, options: RelayOptions, asked: Asked): Promise<Answer> {
  const body = asked.body.length === 0 ? null : asked.body;
  const answer = await agent.request({ ...requestOf(options, asked), body });
  return { status: answer.statusCode, headers: answer.headers, body: Buffer.from(await answer.body.arrayBuffer()) };
}

async function stream(agent: Agent, options: RelayOptions, { request, response }: Ends): Promise<void> {
  const { method = "GET", url: path = "/", headers } = request;
  const { director } = options;
  const watch: Watch = { path, silent: false, cut: () => request.socket.resetAndDestroy() };
  const instead = director.watch?.(watch);
  if (instead === "reset") return watch.cut();
  if (instead !== undefined) {
    response.writeHead(instead.status, kept(instead.headers));
    response.end(instead.body);
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const answer = await agent.request({ ...requestOf(options, { method, path, headers }), signal: gone.signal });
  response.writeHead(answer.statusCode, kept(answer.headers));
  response.flushHeaders();
  director.watched?.(watch, "begun");
  try {
    for await (const piece of answer.body) {
      if (watch.silent) continue;
      response.write(piece);
      director.watched?.(watch, piece as Uint8Array); // no encoding is set: it is bytes
    }
    if (!watch.silent) response.end();
  } finally {
    director.watched?.(watch, "over");
  }
}
