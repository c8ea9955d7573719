import { once } from "node:events";
import { createServer } from "node:http";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";

export interface ConnectProxy {
  readonly url: string;
  /** `host:port` of every tunnel that was asked for */
  readonly tunnels: readonly string[];
  stop(): Promise<void>;
}

/** A proxy that opens every tunnel to one loopback port, whatever host was asked for; or refuses with `refuseWith`. */
export async function startConnectProxy(port: number, refuseWith?: number): Promise<ConnectProxy> {
  const tunnels: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer();
  server.on("connect", (request, client: Socket) => {
    tunnels.push(request.url ?? "");
    sockets.add(client);
    client.on("error", () => client.destroy());
    if (refuseWith !== undefined) {
      client.end(`HTTP/1.1 ${refuseWith} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const target = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      target.pipe(client).pipe(target);
    });
    sockets.add(target);
    target.on("error", () => client.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tunnels,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
