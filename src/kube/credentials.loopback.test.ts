import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { silentLogger } from "../base/log.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import { makeCertificate } from "../../test/support/kube-server/certificates.ts";
import type { Exchange } from "../../test/support/kube-server/exchange.ts";
import { kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import { KubeServer } from "../../test/support/kube-server/kube-server.ts";
import type { KubeTransport } from "./exchange.ts";
import type { KubeConfigSource } from "./transport.ts";
import { createKubeTransport } from "./transport.ts";

async function startServer(): Promise<KubeServer> {
  const server = await KubeServer.start();
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function transportOf(kubeConfig: KubeConfigSource, clock = new ManualClock()): KubeTransport {
  const transport = createKubeTransport({ kubeConfig, clock, log: silentLogger, meter: silentMeter });
  onTestFinished(() => transport.close());
  return transport;
}

function transportAs(server: KubeServer, user: Readonly<Record<string, unknown>>, clock?: ManualClock): KubeTransport {
  return transportOf({ kind: "text", text: kubeconfigText({ server: server.url, user }) }, clock);
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

function temporaryFile(name: string, content: string): string {
  const dir = mkdtempSync(join(tmpdir(), "kube-transport-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const file = join(dir, name);
  writeFileSync(file, content);
  return file;
}

describe("tokens", () => {
  it("are read again from their file when the server refuses the one from before", async () => {
    const server = await startServer();
    const tokenFile = temporaryFile("token", "first\n");
    // This is how client-node describes a pod's ServiceAccount.
    const user = { "auth-provider": { name: "tokenFile", config: { tokenFile } } };
    const transport = transportAs(server, user);
    const first = get(transport);
    expect((await answered(server)).headers.authorization).toBe("Bearer first");
    await first;
    writeFileSync(tokenFile, "second\n");
    const second = get(transport);
    const refused = await server.next();
    expect(refused.headers.authorization).toBe("Bearer first");
    refused.failure(401, "Unauthorized");
    expect((await answered(server)).headers.authorization).toBe("Bearer second");
    expect(await second).toMatchObject({ status: 200 });
  });

  it("are not sent again when there is no other one", async () => {
    const server = await startServer();
    const result = get(transportAs(server, { token: "only" }));
    (await server.next()).failure(401, "Unauthorized");
    expect(await result).toMatchObject({ code: "Unauthorized", effect: "none" });
    expect(server.untaken).toBe(0);
  });

  it("that cannot be read again fail the request, and cost no connection", async () => {
    const server = await startServer();
    const path = temporaryFile("kubeconfig", kubeconfigText({ server: server.url, user: { token: "old" } }));
    const transport = transportOf({ kind: "file", path });
    writeFileSync(path, "not: a kubeconfig");
    for (const _ of [1, 2, 3]) {
      const result = get(transport);
      (await server.next()).failure(401, "Unauthorized");
      expect(await result).toMatchObject({ code: "Unauthorized", effect: "none" });
    }
    await vi.waitFor(() => expect(server.connections).toBeLessThanOrEqual(2));
  });

  it("are read from a changed kubeconfig after a refusal", async () => {
    const server = await startServer();
    const path = temporaryFile("kubeconfig", kubeconfigText({ server: server.url, user: { token: "old" } }));
    const transport = transportOf({ kind: "file", path });
    writeFileSync(path, kubeconfigText({ server: server.url, user: { token: "new" } }));
    const result = get(transport);
    (await server.next()).failure(401, "Unauthorized");
    expect((await answered(server)).headers.authorization).toBe("Bearer new");
    await result;
  });
});

describe("client certificates", () => {
  it("are read again from their files, and the next connection shows the new one", async () => {
    const authority = makeCertificate(["loopback authority"]);
    const tls = { ...makeCertificate(["127.0.0.1"], authority), ca: authority.cert, requestCert: true };
    const server = await KubeServer.start({ tls });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const [before, after] = [makeCertificate(["before"], authority), makeCertificate(["after"], authority)];
    const cert = temporaryFile("tls.crt", before.cert);
    const key = temporaryFile("tls.key", before.key);
    const user = { "client-certificate": cert, "client-key": key };
    const clock = new ManualClock();
    const text = kubeconfigText({ server: server.url, ca: authority.cert, user });
    const transport = transportOf({ kind: "text", text }, clock);
    const first = get(transport);
    expect((await answered(server)).peer).toBe("before");
    await first;
    writeFileSync(cert, after.cert);
    writeFileSync(key, after.key);
    clock.advance(10_000);
    const second = get(transport);
    expect((await answered(server)).peer).toBe("after");
    await second;
    await vi.waitFor(() => expect(server.connections).toBe(1));
  });
});

describe("exec plugins", () => {
  const plugin = (script: string) => ({
    exec: { apiVersion: "client.authentication.k8s.io/v1", command: process.execPath, args: ["-e", script] },
  });
  const credential = (token: string): string =>
    `console.log(JSON.stringify({ kind: "ExecCredential", status: { token: ${token} } }))`;

  it("give the token, and run once for all who wait", async () => {
    const server = await startServer();
    const user = plugin(credential("`pid-${process.pid}`"));
    const transport = transportAs(server, user);
    const results = [get(transport), get(transport), get(transport)];
    const tokens = new Set<string | undefined>();
    for (const _ of results) tokens.add((await answered(server)).headers.authorization);
    expect(tokens.size).toBe(1);
    expect([...tokens][0]).toMatch(/^Bearer pid-\d+$/);
    await Promise.all(results);
  });

  it("run again after a refusal", async () => {
    const server = await startServer();
    const result = get(transportAs(server, plugin(credential("`pid-${process.pid}`"))));
    const refused = await server.next();
    refused.failure(401, "Unauthorized");
    expect((await answered(server)).headers.authorization).not.toBe(refused.headers.authorization);
    expect(await result).toMatchObject({ status: 200 });
  });

  it("that fail fail the request, and what they print stays out of the message", async () => {
    const server = await startServer();
    const user = plugin(`console.error("hunter2"); process.exit(1)`);
    const error = await get(transportAs(server, user));
    expect(error).toMatchObject({ code: "Unauthorized", effect: "none" });
    expect(error instanceof Error ? error.message : "").not.toContain("hunter2");
    expect(server.untaken).toBe(0);
  });

  it("that hang hold nobody longer than the deadline", async () => {
    const server = await startServer();
    const clock = new ManualClock();
    const script = "setTimeout(() => {}, 2000)"; // longer than this test, and then it ends by itself
    const result = get(transportAs(server, plugin(script), clock));
    clock.advance(30_000);
    expect(await result).toMatchObject({ code: "Timeout" });
  });
});
