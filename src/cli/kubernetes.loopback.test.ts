import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { KubeServer } from "../../test/support/kube-server/kube-server.ts";
import { kubeconfigText } from "../../test/support/kube-server/kubeconfig.ts";
import { silentLogger } from "../base/log.ts";
import { silentMeter } from "../base/meter.ts";
import type { ScopeFlags } from "./operator-flags.ts";
import { leaseName, openCluster } from "./kubernetes.ts";

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

/** The Lease that a process asks for, as `namespace/name`. */
async function leaseOf(flags: Partial<ScopeFlags>): Promise<string> {
  const kubeconfig = join(folder, "config");
  writeFileSync(kubeconfig, kubeconfigText({ server: server.url, user: { token: "any" } }));
  const common = { kubeconfig, watchNamespace: [], leaderElect: true, operatorNamespace: "release" };
  const logging = { logLevel: "silent", logFormat: "json" } as const;
  await using cluster = openCluster({
    flags: { ...common, ...logging, ...flags },
    proxy: {},
    log: silentLogger,
    meter: silentMeter,
  });
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
