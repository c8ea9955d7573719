import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import type { Logger } from "../base/log.ts";
import { silentLogger } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { makeCertificate } from "../../test/support/kube-server/certificates.ts";
import type { Exchange } from "../../test/support/kube-server/exchange.ts";
import type { KubeconfigParts } from "../../test/support/kube-server/kubeconfig.ts";
import { base64, kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import type { ServerTls } from "../../test/support/kube-server/kube-server.ts";
import { KubeServer } from "../../test/support/kube-server/kube-server.ts";
import { startProxy, startRelay } from "../../test/support/kube-server/relay.ts";
import type { KubeTransport } from "./exchange.ts";
import { createKubeTransport } from "./transport.ts";

const addressSchema = z.object({ port: z.number() });
const authority = makeCertificate(["loopback authority"]);
const serving = makeCertificate(["127.0.0.1", "kube.test"], authority);

async function startTls(tls: ServerTls = serving): Promise<KubeServer> {
  const server = await KubeServer.start({ tls });
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

async function startPlain(): Promise<KubeServer> {
  const server = await KubeServer.start();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function transportTo(server: KubeServer, parts: Partial<KubeconfigParts> = {}, options: Options = {}): KubeTransport {
  return transportFrom(kubeconfigText({ server: server.url, ca: authority.cert, ...parts }), options);
}

type Options = Partial<Parameters<typeof createKubeTransport>[0]>;

function transportFrom(text: string, options: Options = {}): KubeTransport {
  const clock = new ManualClock();
  const kubeConfig = { kind: "text", text } as const;
  const transport = createKubeTransport({ kubeConfig, clock, log: silentLogger, meter: silentMeter, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

function get(transport: KubeTransport): Promise<unknown> {
  return transport.request({ method: "GET", path: "/x" }).catch((error: unknown) => error);
}

/** Answers the next request with 200 and gives its headers. */
async function answered(server: KubeServer): Promise<Exchange> {
  const exchange = await server.next();
  exchange.json(200, {});
  return exchange;
}

describe("TLS", () => {
  it("trusts the kubeconfig's authority", async () => {
    const server = await startTls();
    const result = get(transportTo(server));
    await answered(server);
    expect(await result).toEqual({ status: 200, body: {} });
  });

  it("trusts no other authority", async () => {
    const server = await startTls();
    const other = makeCertificate(["another authority"]);
    expect(await get(transportTo(server, { ca: other.cert }))).toMatchObject({ code: "Unavailable" });
  });

  it("checks the name that the kubeconfig tells it to", async () => {
    const server = await startTls(makeCertificate(["kube.test"], authority));
    expect(await get(transportTo(server))).toMatchObject({ code: "Unavailable" });
    const result = get(transportTo(server, { serverName: "kube.test" }));
    await answered(server);
    expect(await result).toMatchObject({ status: 200 });
  });

  it("takes no certificate that has expired, sends nothing, and goes on with a renewed one", async () => {
    const server = await startTls(makeCertificate(["127.0.0.1"], authority, [-2, -1]));
    const transport = transportTo(server);
    const post = () => transport.request({ method: "POST", path: "/x", body: {} }).catch((cause: unknown) => cause);
    expect(await post()).toMatchObject({ code: "Unavailable", effect: "none" });
    expect(server.untaken).toBe(0);
    server.renew(serving);
    const result = post();
    await answered(server);
    expect(await result).toMatchObject({ status: 200 });
  });

  it("shows a client certificate", async () => {
    const server = await startTls({ ...serving, ca: authority.cert, requestCert: true, rejectUnauthorized: true });
    expect(await get(transportTo(server))).toMatchObject({ code: "Unavailable" });
    const { cert, key } = makeCertificate(["tester"], authority);
    const user = { "client-certificate-data": base64(cert), "client-key-data": base64(key) };
    const result = get(transportTo(server, { user }));
    await answered(server);
    expect(await result).toMatchObject({ status: 200 });
  });
});

describe("connections", () => {
  it("speak HTTP/1.1 also to a server that would rather speak HTTP/2", async () => {
    const versions: string[] = [];
    const server = createSecureServer({ ...serving, allowHTTP1: true }, (request, response) => {
      versions.push(request.httpVersion);
      response.end("{}");
    });
    onTestFinished(() => void server.close());
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = addressSchema.parse(server.address());
    const text = kubeconfigText({ server: `https://127.0.0.1:${port}`, ca: authority.cert });
    expect(await get(transportFrom(text))).toMatchObject({ status: 200 });
    expect(versions).toEqual(["1.1"]);
  });

  it("are one for each watch, and few that requests use again and again", async () => {
    const server = await startTls();
    const transport = transportTo(server);
    const stop = new AbortController();
    const opening = [1, 2].map(() => transport.stream({ method: "GET", path: "/watch", signal: stop.signal }));
    for (const _ of opening) (await server.next()).open();
    const streams = await Promise.all(opening);
    for (let requests = 0; requests < 10; requests++) {
      const result = get(transport);
      await answered(server);
      await result;
    }
    expect(server.connections).toBeLessThanOrEqual(4);
    stop.abort(new Error("enough"));
    for (const stream of streams) await expect(ended(stream)).rejects.toThrow("enough");
    await vi.waitFor(() => expect(server.connections).toBeLessThanOrEqual(2));
  });

  it("that have gone silent cost their request its deadline, and the next has another", async () => {
    const server = await startTls();
    const relay = await startRelay(server.port);
    onTestFinished(() => relay[Symbol.asyncDispose]());
    const clock = new ManualClock();
    const transport = transportTo(server, { server: `https://127.0.0.1:${relay.port}` }, { clock });
    const first = get(transport);
    await answered(server);
    await first;
    relay.silence();
    const lost = get(transport);
    await vi.waitFor(() => expect(clock.pendingTimers).toBe(1));
    clock.advance(30_000);
    expect(await lost).toMatchObject({ code: "Timeout" });
    const next = get(transport);
    await answered(server);
    expect(await next).toMatchObject({ status: 200 });
    expect(relay.connections).toBe(2);
  });
});

/** Reads a stream to its end. */
async function ended(stream: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of stream);
}

describe("proxies", () => {
  it("carry a tunnel to the server, through which its certificate is checked", async () => {
    const server = await startTls();
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const proxyUrl = proxy.url.replace("//", "//user:p%40ss@");
    const transport = transportTo(server, { server: "https://kube.test:6443" }, { proxy: { httpsProxy: proxyUrl } });
    const result = get(transport);
    expect((await answered(server)).headers.authorization).toBeUndefined();
    expect(await result).toMatchObject({ status: 200 });
    expect(proxy.asked).toEqual(["kube.test:6443"]);
    expect(proxy.authorizations).toEqual([`Basic ${base64("user:p@ss")}`]);
  });

  it("are taken from the kubeconfig first", async () => {
    const server = await startTls();
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const parts = { server: "https://kube.test:6443", proxyUrl: proxy.url };
    const result = get(transportTo(server, parts, { proxy: { httpsProxy: "http://127.0.0.1:1" } }));
    await answered(server);
    expect(await result).toMatchObject({ status: 200 });
  });

  it("are left out for servers that NO_PROXY names, and for loopback", async () => {
    const server = await startTls();
    const proxy = await startProxy(server.port);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const result = get(transportTo(server, {}, { proxy: { httpsProxy: proxy.url } }));
    await answered(server);
    expect(await result).toMatchObject({ status: 200 });
    expect(proxy.asked).toEqual([]);
  });

  it("that refuse prove that nothing happened", async () => {
    const proxy = await startProxy(1, { refuse: 403 });
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const text = kubeconfigText({ server: "https://kube.test:6443" });
    const error = await get(transportFrom(text, { proxy: { httpsProxy: proxy.url } }));
    expect(error).toMatchObject({ code: "Unavailable" });
  });
});

describe("what is refused at the start", () => {
  it.each([
    ["http: to another machine", kubeconfigText({ server: "http://10.0.0.1:8080" }), "readable on the way"],
    ["no such context", kubeconfigText({ server: "https://x" }).replace('"test"}', '"other"}'), "no context"],
    ["another scheme", kubeconfigText({ server: "ftp://x" }), "refusing ftp:"],
  ])("%s", (_, text, message) => {
    expect(() => transportFrom(text)).toThrow(message);
  });
});

describe("the transport", () => {
  it("keeps the path that the server stands behind", async () => {
    const server = await startPlain();
    const result = get(transportTo(server, { server: `${server.url}/k8s/clusters/c-1/` }));
    expect((await answered(server)).path).toBe("/k8s/clusters/c-1/x");
    await result;
  });

  it("says which server and namespace it is for", async () => {
    const server = await startPlain();
    const transport = transportTo(server, { namespace: "shop" });
    expect(transport.server).toBe(`${server.url}/`);
    expect(transport.namespace).toBe("shop");
  });

  it("tells each of the apiserver's warnings once", async () => {
    const warnings: unknown[] = [];
    const log: Logger = { ...silentLogger, warn: (fields) => void warnings.push(fields["warning"]), child: () => log };
    const server = await startPlain();
    const transport = transportTo(server, {}, { log });
    for (const _ of [1, 2]) {
      const result = get(transport);
      (await server.next()).json(200, {}, { warning: '299 - "v1 is old", 299 - "unknown field \\"spec.x\\""' });
      await result;
    }
    expect(warnings).toEqual(["v1 is old", 'unknown field "spec.x"']);
  });

  it("refused by nobody listening proves that nothing happened", async () => {
    const server = await startPlain();
    const transport = transportTo(server);
    await server[Symbol.asyncDispose]();
    const error = await transport.request({ method: "POST", path: "/x", body: {} }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "Unavailable", effect: "none" });
  });

  it("to a host whose name nobody knows prove that nothing happened", async () => {
    const transport = transportFrom(kubeconfigText({ server: "https://nowhere.invalid", ca: authority.cert }));
    const error = await transport.request({ method: "POST", path: "/x", body: {} }).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: "Unavailable", effect: "none" });
  });

  it("ends what is under way when it is closed", async () => {
    const server = await startPlain();
    const transport = transportTo(server);
    const result = get(transport);
    const exchange = await server.next();
    await transport.close();
    expect(await result).toMatchObject({ code: "Unavailable" });
    await vi.waitFor(() => expect(exchange.closed).toBe(true));
  });
});
