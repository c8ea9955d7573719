import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { TestCertificate } from "../kube-server/certificates.ts";

/** TLS before a server on loopback that speaks none. */
export interface TlsFront extends AsyncDisposable {
  readonly port: number;
  /** Shows another certificate from now on; the connections that there are end. */
  renew(certificate: TestCertificate): void;
}

/** @param target URL of the server behind it */
export async function startTlsFront(target: string, first: TestCertificate): Promise<TlsFront> {
  const { hostname, port } = new URL(target);
  const open = new Set<TLSSocket>();
  const server = createServer(first, (near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) socket.on("error", () => undefined); // either side may cut it
    near.on("close", () => {
      open.delete(near);
      far.destroy();
    });
    far.on("close", () => near.destroy());
    open.add(near);
    near.pipe(far);
    far.pipe(near);
  });
  const cut = (): void => {
    for (const socket of open) socket.destroy();
  };
  server.on("tlsClientError", () => undefined); // of a client that does not trust what it is shown
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    renew: (certificate) => {
      server.setSecureContext(certificate);
      cut();
    },
    [Symbol.asyncDispose]: () => {
      server.close();
      cut();
      return Promise.resolve();
    },
  };
}
