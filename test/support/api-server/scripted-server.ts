import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * test/support/api-server: servers of the Management API that do what a test says, wrong things too. One that behaves as the platform does is
 * src/emulator.
 */

/** A request as it arrived. */
export interface Arrival {
  readonly method: string;
  /** path with query */
  readonly url: string;
  readonly headers: Readonly<IncomingMessage["headers"]>;
  readonly body: Buffer;
}

/** What the script does with a request. */
export type Reply =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** an object is sent as JSON */
      readonly body?: string | Buffer | object;
    }
  /** the connection is reset without an answer */
  | "reset"
  /** no answer, ever */
  | "silence"
  /** the connection breaks in the middle of the body */
  | { readonly truncated: string };

export interface ScriptedServer {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** connections that were ever opened */
  readonly connections: () => number;
  stop(): Promise<void>;
}

/** Answers each request as `script` says; `nth` counts the requests of the same method and path, from 1. */
export async function startScriptedServer(script: (arrival: Arrival, nth: number) => Reply): Promise<ScriptedServer> {
  const arrivals: Arrival[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    void read(request).then((body) => {
      const { method = "", url = "", headers } = request;
      const arrival = { method, url, headers, body };
      arrivals.push(arrival);
      const nth = arrivals.filter((other) => other.method === method && other.url === url).length;
      answer(response, script(arrival, nth));
    });
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    connections: () => connections,
    stop: async () => {
      if (!server.listening) return;
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function read(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    // the client went away: what arrived is what is told
  }
  return Buffer.concat(chunks);
}

function answer(response: ServerResponse, reply: Reply): void {
  if (reply === "silence") return;
  if (reply === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if ("truncated" in reply) {
    response.writeHead(200, { "content-type": "application/json", "content-length": reply.truncated.length + 100 });
    response.write(reply.truncated, () => response.socket?.destroy());
    return;
  }
  const { status, headers = {}, body } = reply;
  const raw = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const type = typeof body === "object" && !Buffer.isBuffer(body) ? { "content-type": "application/json" } : {};
  response.writeHead(status, { ...type, ...headers }).end(raw);
}
