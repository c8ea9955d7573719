import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { startConnectProxy } from "../../test/support/api-server/connect-proxy.ts";
import type { ConnectProxy } from "../../test/support/api-server/connect-proxy.ts";
import { TEST_PROJECT, TEST_REF, failureOf, testClient } from "../../test/support/api-server/test-client.ts";
import type { TestClientOptions } from "../../test/support/api-server/test-client.ts";
import { makeCertificate, type TestCertificate } from "../../test/support/kube-server/certificates.ts";
import type { ApiClient } from "./client.ts";

const HOST = "api.platform.test";
const authority = makeCertificate(["a private CA"]);
const certificate = makeCertificate([HOST, "localhost", "127.0.0.1"], authority);

const toStop: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of toStop.splice(0).toReversed()) await stop();
});

/** A TLS server of the platform on loopback; gives its port and how many connections it had. */
async function startTls(first = certificate): Promise<{
  readonly port: number;
  readonly connections: () => number;
  /** Another certificate from now on, and new connections. */
  readonly renew: (certificate: TestCertificate) => void;
}> {
  let connections = 0;
  const server = createServer(first, (_, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(TEST_PROJECT));
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  toStop.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const renew = (renewed: TestCertificate): void => {
    server.setSecureContext(renewed);
    server.closeAllConnections();
  };
  return { port: (server.address() as AddressInfo).port, connections: () => connections, renew };
}

async function startProxy(port: number, refuseWith?: number): Promise<ConnectProxy> {
  const proxy = await startConnectProxy(port, refuseWith);
  toStop.push(() => proxy.stop());
  return proxy;
}

/** A client that knows its identity already, so that nothing but the call is sent. */
function clientFor(baseUrl: string, options: TestClientOptions = {}): ApiClient {
  const credentials = { token: () => Promise.resolve("t"), onRejected: () => undefined, identity: "client" };
  const client = testClient(baseUrl, { credentials, ...options });
  toStop.push(() => client.close());
  return client;
}

const get = (client: ApiClient): Promise<unknown> => client.projects.get({ ref: TEST_REF });

describe("a private CA", () => {
  test("is trusted when it is given", async () => {
    const { port } = await startTls();
    expect(await get(clientFor(`https://localhost:${port}`, { ca: authority.cert }))).toMatchObject({ ref: TEST_REF });
  });

  test("is not trusted by itself, and that is not tried again", async () => {
    const { port, connections } = await startTls();
    const error = await failureOf(get(clientFor(`https://localhost:${port}`)));
    expect(error).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
    expect(error.message).toMatch(/^no connection to the platform \([A-Z_]+\)$/);
    expect(connections()).toBe(1);
  });

  test("does not make a certificate of another host good", async () => {
    const { port } = await startTls();
    const proxy = await startProxy(port);
    const client = clientFor("https://elsewhere.test", { ca: authority.cert, proxy: { httpsProxy: proxy.url } });
    expect(await failureOf(get(client))).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
  });
});

describe("a certificate that has expired", () => {
  test("is not trusted, nothing is sent, and once it is renewed the same client goes on", async () => {
    const expired = makeCertificate(["localhost"], authority, [-2, -1]);
    const { port, connections, renew } = await startTls(expired);
    const client = clientFor(`https://localhost:${port}`, { ca: authority.cert });
    expect(await failureOf(get(client))).toMatchObject({
      code: "CONNECT_FAILED",
      effect: "none",
      message: "no connection to the platform (CERT_HAS_EXPIRED)",
    });
    expect(connections()).toBe(1);
    renew(certificate);
    expect(await get(client)).toMatchObject({ ref: TEST_REF });
    renew(expired);
    expect(await failureOf(get(client))).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
  });
});

describe("a host whose name nobody knows", () => {
  test("means that nothing was sent", async () => {
    const client = clientFor("https://nowhere.invalid");
    const error = await failureOf(client.projects.get({ ref: TEST_REF }, { deadlineMs: 5000 }));
    expect(error).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
    expect(error.message).toMatch(/\(E(?:NOTFOUND|AI_AGAIN)\)$/u);
  });
});

describe("a proxy", () => {
  test("carries calls through a tunnel, in which the server's own certificate is checked", async () => {
    const { port } = await startTls();
    const proxy = await startProxy(port);
    const client = clientFor(`https://${HOST}`, { ca: authority.cert, proxy: { httpsProxy: proxy.url } });
    expect(await get(client)).toMatchObject({ ref: TEST_REF });
    expect(proxy.tunnels).toEqual([`${HOST}:443`]);
  });

  test("that refuses the tunnel means that nothing was sent", async () => {
    const { port, connections } = await startTls();
    const proxy = await startProxy(port, 403);
    const client = clientFor(`https://${HOST}`, { ca: authority.cert, proxy: { httpsProxy: proxy.url } });
    expect(await failureOf(get(client))).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
    expect(connections()).toBe(0);
  });

  test("is passed by for hosts of noProxy, and always for loopback", async () => {
    const { port } = await startTls();
    const proxy = await startProxy(port);
    const settings = { httpsProxy: proxy.url, noProxy: `.internal,${HOST}` };
    const local = clientFor(`https://127.0.0.1:${port}`, { ca: authority.cert, proxy: { httpsProxy: proxy.url } });
    expect(await get(local)).toMatchObject({ ref: TEST_REF });
    // The name does not exist: without the proxy there is no connection.
    const direct = clientFor(`https://${HOST}`, { ca: authority.cert, proxy: settings });
    expect(await failureOf(get(direct))).toMatchObject({ code: "CONNECT_FAILED", effect: "none" });
    expect(proxy.tunnels).toEqual([]);
  });
});
