import { describe, expect, it } from "vitest";
import { setUp } from "../../test/support/kube-server/for-a-test.ts";
import { createLeaseClient } from "./leases.ts";

const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/baas-operator";
const spec = {
  holderIdentity: "pod-1",
  leaseDurationSeconds: 15,
  acquireTime: "2026-01-01T00:00:00.000000Z",
  renewTime: "2026-01-01T00:00:02.000000Z",
  leaseTransitions: 0,
};
const { signal } = new AbortController();

function lease(resourceVersion: string, fields: object = {}): object {
  const metadata = { name: "baas-operator", namespace: "kube-system", uid: "u", resourceVersion, ...fields };
  return { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec };
}

async function withLeases() {
  const parts = await setUp();
  return { ...parts, leases: createLeaseClient(parts.client, { namespace: "kube-system", name: "baas-operator" }) };
}

describe("a lease", () => {
  it("is read with its version", async () => {
    const { server, leases } = await withLeases();
    const result = leases.get(signal);
    const exchange = await server.next();
    expect(exchange).toMatchObject({ method: "GET", path });
    exchange.json(200, lease("7"));
    expect(await result).toEqual({ resourceVersion: "7", spec });
  });

  it("that is not there is undefined, not an error", async () => {
    const { server, leases } = await withLeases();
    const result = leases.get(signal);
    (await server.next()).failure(404, "NotFound");
    expect(await result).toBeUndefined();
  });

  it("is created once: who is late is told AlreadyExists", async () => {
    const { server, leases } = await withLeases();
    const result = leases.create(spec, signal).catch((error: unknown) => error);
    const exchange = await server.next();
    expect(exchange).toMatchObject({ method: "POST", body: { kind: "Lease", spec } });
    exchange.failure(409, "AlreadyExists");
    expect(await result).toMatchObject({ code: "AlreadyExists" });
  });

  it("is written over the version that was read, with the labels that others put on it", async () => {
    const { server, leases } = await withLeases();
    const read = leases.get(signal);
    (await server.next()).json(200, lease("7", { labels: { team: "a" }, annotations: { note: "b" } }));
    await read;
    const result = leases.update("7", spec, signal).catch((error: unknown) => error);
    const exchange = await server.next();
    expect(exchange).toMatchObject({ method: "PUT", path });
    const metadata = { name: "baas-operator", namespace: "kube-system", resourceVersion: "7" };
    const own = { labels: { team: "a" }, annotations: { note: "b" } };
    expect(exchange.body).toEqual({ ...lease("7"), metadata: { ...metadata, ...own } });
    exchange.failure(409, "Conflict");
    expect(await result).toMatchObject({ code: "Conflict" });
  });

  it("whose write got no answer is not written again behind the elector's back", async () => {
    const { server, leases } = await withLeases();
    const result = leases.update("7", spec, signal).catch((error: unknown) => error);
    (await server.next()).reset();
    expect(await result).toMatchObject({ code: "Unavailable", effect: "unknown" });
    expect(server.untaken).toBe(0);
  });

  it("with a spec that makes no sense is an error, not a crash", async () => {
    const { server, leases } = await withLeases();
    const result = leases.get(signal).catch((error: unknown) => error);
    (await server.next()).json(200, { ...lease("7"), spec: { leaseDurationSeconds: "long" } });
    expect(await result).toMatchObject({ code: "UnexpectedResponse" });
  });
});
