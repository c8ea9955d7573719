import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KubeServer } from "../../test/support/kube-server/kube-server.ts";
import { kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import { silentLogger } from "../base/log.ts";
import { silentMeter } from "../base/meter.ts";
import { createLogger } from "./logger.ts";
import type { ScopeFlags } from "./operator-flags.ts";
import { type Cluster, clusterId, leaseName, openCluster, requireNamespaces, warnOfMissing } from "./kubernetes.ts";

let server: KubeServer;
let folder: string;

beforeEach(async () => {
  server = await KubeServer.start();
  folder = mkdtempSync(join(tmpdir(), "kubernetes-"));
});

afterEach(async () => {
  await server[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

function open(flags: Partial<ScopeFlags> = {}): Cluster {
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, kubeconfigText({ server: server.url, user: { token: "any" } }));
  const common = { kubeconfig, watchNamespace: [], leaderElect: true, operatorNamespace: "release" };
  const logging = { logLevel: "silent", logFormat: "json" } as const;
  return openCluster({
    flags: { ...common, ...logging, ...flags },
    proxy: {},
    log: silentLogger,
    meter: silentMeter,
  });
}

/** The Lease that a process asks for, as `namespace/name`. */
async function leaseOf(flags: Partial<ScopeFlags>): Promise<string> {
  await using cluster = open(flags);
  const stop = new AbortController();
  const acquired = cluster.leadership.acquire(stop.signal).catch(() => undefined);
  const { path } = await server.next();
  stop.abort(new Error("seen"));
  await acquired;
  const [, namespace = "", name = ""] = /\/namespaces\/([^/]+)\/leases\/(.+)$/u.exec(path) ?? [];
  return `${namespace}/${name}`;
}

describe("the lease of an install (engine.md §8)", () => {
  it("is one for all cluster-wide installs, however many releases there are", async () => {
    expect(await leaseOf({})).toBe(`kube-system/${leaseName([])}`);
    expect(await leaseOf({ operatorNamespace: "another" })).toBe(`kube-system/${leaseName([])}`);
  });

  it("is a namespaced install's own, in its own namespace", async () => {
    expect(await leaseOf({ watchNamespace: ["team"] })).toBe(`release/${leaseName(["team"])}`);
  });

  it("lies where it is told to", async () => {
    expect(await leaseOf({ leaderElectionNamespace: "leases" })).toBe(`leases/${leaseName([])}`);
  });
});

describe("a namespace that a flag names", () => {
  const asking = { podNamespace: undefined, signal: new AbortController().signal };
  const named = [
    { flag: "operator-namespace", namespace: "release" },
    { flag: "leader-election-namespace", namespace: "leases" },
  ];

  it("must exist: the first one that does not is told with its flag", async () => {
    await using cluster = open();
    const found = requireNamespaces(cluster.kube, named, asking).catch((error: unknown) => error);
    const metadata = { name: "release", uid: "u", resourceVersion: "1" };
    (await server.next()).json(200, { apiVersion: "v1", kind: "Namespace", metadata });
    (await server.next()).failure(404, "NotFound");
    expect(await found).toMatchObject({
      code: "USAGE",
      message: "--leader-election-namespace: there is no namespace leases: create it, or name another one",
    });
  });

  it("is not asked for where it is certain to be there: a Pod's own, and that of the cluster itself", async () => {
    await using cluster = open();
    const certain = [{ flag: "leader-election-namespace", namespace: "kube-system" }, ...named.slice(0, 1)];
    await requireNamespaces(cluster.kube, certain, { ...asking, podNamespace: "release" });
    expect(server.untaken).toBe(0);
  });

  it("is taken as it is where it may not be read, as by a namespaced install", async () => {
    await using cluster = open();
    const found = requireNamespaces(cluster.kube, named, asking);
    (await server.next()).failure(403, "Forbidden");
    (await server.next()).failure(403, "Forbidden");
    await expect(found).resolves.toBeUndefined();
  });
});

describe("a namespace that is to be watched", () => {
  it("is warned of where it does not exist, once, and no more is said of one that may not be read", async () => {
    await using cluster = open();
    const lines: string[] = [];
    const log = createLogger("info", new Writable({ write: (line, _, done) => (lines.push(String(line)), done()) }));
    const { signal } = new AbortController();
    const warned = warnOfMissing(cluster.kube, ["there", "misspelt", "hidden", "slow"], { log, signal });
    const metadata = { name: "there", uid: "u", resourceVersion: "1" };
    (await server.next()).json(200, { apiVersion: "v1", kind: "Namespace", metadata });
    (await server.next()).failure(404, "NotFound");
    (await server.next()).failure(403, "Forbidden");
    (await server.next()).failure(400, "BadRequest");
    await warned;
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      expect.objectContaining({
        level: "warn",
        namespace: "misspelt",
        msg: expect.stringContaining("--watch-namespace"),
      }),
    ]);
  });
});

it("an apiserver that does not answer is told by its address", async () => {
  await using cluster = open();
  const { url } = server;
  server.stopListening();
  await expect(clusterId(cluster, new AbortController().signal)).rejects.toThrow(
    `the apiserver ${url}/ does not answer: GET /api/v1/namespaces/kube-system: no answer (ECONNREFUSED)`,
  );
});
