import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer as createHttpServer } from "node:http";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer } from "node:net";

/** A network between client and server that can go silent, as when a NAT forgets a connection: no byte passes, nobody is told. */
export interface Relay extends AsyncDisposable {
  readonly port: number;
  /** How many connections were ever made through it. */
  readonly connections: number;
  /** From now on nothing passes on the connections there are; new ones work. */
  silence(): void;
}

/** Relays to a loopback port. */
export async function startRelay(target: number): Promise<Relay> {
  const pairs: (readonly [Socket, Socket])[] = [];
  const server = createServer((near) => pairs.push(joined(near, target)));
  const port = await listen(server);
  return {
    port,
    get connections() {
      return pairs.length;
    },
    silence: () => {
      for (const [near, far] of pairs) {
        near.unpipe(far);
        far.unpipe(near);
        near.resume(); // what arrives is lost
        far.resume();
      }
    },
    [Symbol.asyncDispose]: () => close(server, pairs.flat()),
  };
}

/** An HTTP proxy that makes tunnels, all of them to one loopback port, whatever name is asked for. */
export interface TunnelProxy extends AsyncDisposable {
  readonly url: string;
  /** What tunnels were asked for, as "host:port". */
  readonly asked: readonly string[];
  /** The Proxy-Authorization of each. */
  readonly authorizations: readonly (string | undefined)[];
}

/** @param options.refuse answers every CONNECT with this status instead */
export async function startProxy(target: number, options: { readonly refuse?: number } = {}): Promise<TunnelProxy> {
  const asked: string[] = [];
  const authorizations: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server = createHttpServer();
  server.on("connect", (request: IncomingMessage, near: Socket) => {
    asked.push(request.url ?? "");
    authorizations.push(request.headers["proxy-authorization"]);
    if (options.refuse !== undefined) {
      near.end(`HTTP/1.1 ${options.refuse} Refused\r\n\r\n`);
      return;
    }
    near.write("HTTP/1.1 200 Connection established\r\n\r\n");
    sockets.push(...joined(near, target));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    authorizations,
    [Symbol.asyncDispose]: () => close(server, sockets),
  };
}

function joined(near: Socket, target: number): readonly [Socket, Socket] {
  const far = connect(target, "127.0.0.1");
  for (const socket of [near, far]) socket.on("error", () => undefined); // either side may cut it
  near.on("close", () => far.destroy());
  far.on("close", () => near.destroy());
  near.pipe(far);
  far.pipe(near);
  return [near, far];
}

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no TCP port");
  return address.port;
}

function close(server: Server, sockets: readonly Socket[]): Promise<void> {
  server.close();
  for (const socket of sockets) socket.destroy();
  return Promise.resolve();
}
