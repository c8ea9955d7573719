import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createServer, type Server } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { makeCertificate } from "../support/kube-server/certificates.ts";
import { startProxy, type TunnelProxy } from "../support/kube-server/relay.ts";
import { Administrator } from "../support/operator/administrator.ts";
import { installChart } from "../support/operator/chart.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import { kubectl } from "../support/programs/kubectl.ts";

/**
 * A company's network: the Management API under a name that only a proxy knows, with a certificate of an authority of the company's own.
 * The chart's values are all that tells the operator.
 */

const token = "network-token";
const host = "api.example.internal";
const readyMs = 60_000;

/** TLS in front of a loopback port. */
async function startTls(target: number, names: readonly string[], authority: ReturnType<typeof makeCertificate>) {
  const sockets = new Set<Socket>();
  const server: Server = createServer(makeCertificate(names, authority), (near) => {
    const far = connect(target, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined);
    }
    near.on("close", () => far.destroy());
    near.pipe(far).pipe(near);
  });
  server.on("tlsClientError", () => undefined); // a client that does not trust us
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no TCP port");
  const stop = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  return { port: address.port, stop };
}

let plane: ControlPlane;
let emulator: Emulator;
let tls: Awaited<ReturnType<typeof startTls>>;
let proxy: TunnelProxy;
let operator: OperatorHandle;

function values(ca: Readonly<Record<string, string>>): Readonly<Record<string, unknown>> {
  return {
    clusterConnection: {
      create: true,
      baseUrl: `https://${host}`,
      tokenSecretRef: { name: "platform-token" },
      allowedNamespaces: { from: "All" },
    },
    proxy: { httpsProxy: proxy.url, noProxy: ".cluster.local" },
    ca,
  };
}

const connectionSchema = z.object({
  status: z.object({
    reachable: z.boolean().optional(),
    conditions: z.array(z.object({ type: z.string(), status: z.string() })).default([]),
  }),
});

/** Reachable and Ready of the ClusterConnection. */
async function connection(): Promise<{ readonly reachable: boolean | undefined; readonly ready: string | undefined }> {
  const result = await kubectl(plane, ["get", "clusterconnection", "default", "--output=json"]);
  if (result.code !== 0) return { reachable: undefined, ready: undefined };
  const { status } = connectionSchema.parse(JSON.parse(result.stdout));
  return { reachable: status.reachable, ready: status.conditions.find(({ type }) => type === "Ready")?.status };
}

beforeAll(async () => {
  const authority = makeCertificate(["Example Company"]);
  plane = await startControlPlane();
  emulator = await startEmulator({ tokens: [token] });
  tls = await startTls(Number(new URL(emulator.url).port), [host], authority);
  proxy = await startProxy(tls.port);
  const admin = new Administrator(plane);
  await admin.createNamespaces("baas-system");
  await admin.storeToken("baas-system", token);
  const configMap = ["create", "configmap", "company-ca", `--from-literal=ca.crt=${authority.cert}`];
  await admin.run(["--namespace=baas-system", ...configMap]);
  operator = await startOperator(plane, { values: values({}) });
  await operator.waitReady();
});

afterAll(async () => {
  await operator.stop();
  await proxy[Symbol.asyncDispose]();
  tls.stop();
  await emulator.stop();
  await plane.stop();
});

describe("in a company's network", () => {
  it("a certificate of an authority that nobody told the operator of is not trusted", async () => {
    await expect.poll(connection, { timeout: readyMs }).toMatchObject({ reachable: false });
    expect((await connection()).ready).not.toBe("True");
    const { entries } = await emulator.control.log.read({});
    expect(entries).toEqual([]);
  });

  it("the proxy and the authority that the values name lead to the Management API", async () => {
    await installChart(plane, { values: values({ configMapName: "company-ca" }) });
    await operator.restart();
    await operator.waitReady();
    await expect.poll(connection, { timeout: readyMs }).toEqual({ reachable: true, ready: "True" });
  });

  it("the proxy was asked for the Management API alone: the Kubernetes API is reached directly", () => {
    expect(new Set(proxy.asked)).toEqual(new Set([`${host}:443`]));
  });
});
