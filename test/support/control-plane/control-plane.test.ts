import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { helm } from "../programs/helm.ts";
import { kubectl } from "../programs/kubectl.ts";
import { succeeded } from "../programs/run.ts";
import { acquireCluster } from "./cluster.ts";
import type { ControlPlane } from "./control-plane.ts";
import { startControlPlane } from "./control-plane.ts";
import { freePorts } from "./ports.ts";

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Takes a port as another program would, one that accepts connections and never answers. */
async function holdPort(port: number): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket));
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

async function get(target: ControlPlane, args: readonly string[]): Promise<string> {
  return succeeded(await kubectl(target, ["get", ...args])).trim();
}

/** What a watch of ConfigMaps from a resourceVersion says within a second. */
async function watchFrom(target: ControlPlane, resourceVersion: string): Promise<string> {
  const path = `/api/v1/namespaces/default/configmaps?watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=1`;
  const result = await kubectl(target, ["get", "--raw", path]);
  return `${result.stdout}${result.stderr}`;
}

describe("a control plane", () => {
  let controlPlane: ControlPlane;
  beforeAll(async () => {
    controlPlane = await startControlPlane({ audit: true });
  });
  afterAll(() => controlPlane.stop());

  it("serves an administrator with its kubeconfig", async () => {
    expect(await get(controlPlane, ["namespace", "default", "--output=name"])).toBe("namespace/default");
  });

  it("gives a ServiceAccount real tokens and only the rights that RBAC grants", async () => {
    succeeded(await kubectl(controlPlane, ["create", "serviceaccount", "reader"]));
    succeeded(await kubectl(controlPlane, ["create", "role", "reader", "--verb=get,list", "--resource=configmaps"]));
    succeeded(
      await kubectl(controlPlane, [
        "create",
        "rolebinding",
        "reader",
        "--role=reader",
        "--serviceaccount=default:reader",
      ]),
    );
    const token = succeeded(await kubectl(controlPlane, ["create", "token", "reader"])).trim();
    const as = async (path: string): Promise<number> => {
      const flags = [`--server=${controlPlane.server}`, "--insecure-skip-tls-verify", `--token=${token}`];
      return (await kubectl({ kubeconfigPath: "/dev/null" }, [...flags, "get", "--raw", path])).code;
    };
    expect(await as("/api/v1/namespaces/default/configmaps")).toBe(0);
    expect(await as("/api/v1/namespaces/default/secrets")).not.toBe(0);
  });

  it("ends a namespace with what is in it", async () => {
    succeeded(await kubectl(controlPlane, ["create", "namespace", "short"]));
    succeeded(await kubectl(controlPlane, ["create", "configmap", "inside", "--namespace=short"]));
    succeeded(await kubectl(controlPlane, ["delete", "namespace", "short", "--timeout=30s"]));
    expect((await kubectl(controlPlane, ["get", "namespace", "short"])).stderr).toContain("NotFound");
  });

  it("collects objects whose owner is gone", async () => {
    succeeded(await kubectl(controlPlane, ["create", "configmap", "owner"]));
    const uid = await get(controlPlane, ["configmap", "owner", "--output=jsonpath={.metadata.uid}"]);
    const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
    const owned = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "owned", ownerReferences } };
    succeeded(await kubectl(controlPlane, ["create", "--filename=-"], { stdin: JSON.stringify(owned) }));
    succeeded(await kubectl(controlPlane, ["delete", "configmap", "owner"]));
    const gone = await kubectl(controlPlane, ["wait", "--for=delete", "configmap/owned", "--timeout=30s"]);
    expect(gone.code).toBe(0);
  });

  it("aggregates ClusterRoles", async () => {
    const metadata = { name: "extra", labels: { "rbac.authorization.k8s.io/aggregate-to-view": "true" } };
    const rules = [{ apiGroups: ["extra.example"], resources: ["widgets"], verbs: ["get"] }];
    const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata, rules };
    succeeded(await kubectl(controlPlane, ["create", "--filename=-"], { stdin: JSON.stringify(role) }));
    await vi.waitFor(
      async () => expect(await get(controlPlane, ["clusterrole", "view", "--output=json"])).toContain("extra.example"),
      { timeout: 20_000, interval: 200 },
    );
  });

  it("logs who asked for what, with the option audit", async () => {
    await get(controlPlane, ["configmap", "--namespace=kube-public"]);
    expect(readFileSync(controlPlane.auditLogPath, "utf8")).toContain("/api/v1/namespaces/kube-public/configmaps");
  });

  it("is what the pinned helm installs into", async () => {
    const result = await helm(controlPlane, ["list", "--all-namespaces", "--output=json"]);
    expect(JSON.parse(succeeded(result))).toEqual([]);
  });

  it("keeps its data when kube-apiserver is killed and started again", async () => {
    succeeded(await kubectl(controlPlane, ["create", "configmap", "kept"]));
    await controlPlane.killApiserver();
    expect((await kubectl(controlPlane, ["get", "configmap", "kept"])).code).not.toBe(0);
    await controlPlane.startApiserver();
    expect(await get(controlPlane, ["configmap", "kept", "--output=name"])).toBe("configmap/kept");
  });

  it("answers a watch from before a compaction with a real 410 after a restart", async () => {
    succeeded(await kubectl(controlPlane, ["create", "configmap", "changed"]));
    const before = await get(controlPlane, ["configmap", "changed", "--output=jsonpath={.metadata.resourceVersion}"]);
    succeeded(await kubectl(controlPlane, ["annotate", "configmap", "changed", "by=hand"]));
    await controlPlane.compactEtcd();
    await controlPlane.restartApiserver();
    expect(await watchFrom(controlPlane, before)).toContain('"code":410');
  });

  it("answers a watch from before a compaction with a real 410 at once, without a watch cache", async () => {
    await using uncached = await startControlPlane({ watchCache: false });
    succeeded(await kubectl(uncached, ["create", "configmap", "kept"]));
    const before = await get(uncached, ["configmap", "kept", "--output=jsonpath={.metadata.resourceVersion}"]);
    succeeded(await kubectl(uncached, ["annotate", "configmap", "kept", "changed=once"]));
    expect(await watchFrom(uncached, before)).toContain('"type":"MODIFIED"');
    await uncached.compactEtcd();
    expect(await watchFrom(uncached, before)).toContain('"code":410');
  });

  it("stands beside another one without seeing its objects, and both stop without a trace", async () => {
    const other = await startControlPlane();
    succeeded(await kubectl(other, ["create", "configmap", "only-there"]));
    expect((await kubectl(controlPlane, ["get", "configmap", "only-there"])).stderr).toContain("NotFound");
    const pids = other.pids();
    expect(pids).toHaveLength(4);
    await other.stop();
    expect(pids.filter(isAlive)).toEqual([]);
    expect(existsSync(other.dir)).toBe(false);
  });

  it("is used as it is with USE_EXISTING_CLUSTER=true, and left running", async () => {
    const environment = { USE_EXISTING_CLUSTER: "true", KUBECONFIG: controlPlane.kubeconfigPath };
    const cluster = await acquireCluster(environment);
    expect(cluster.server).toBe(controlPlane.server);
    await cluster.stop();
    expect(await get(controlPlane, ["namespace", "default", "--output=name"])).toBe("namespace/default");
  });
});

describe("the start of a control plane", () => {
  it("takes other ports when another process holds one", async () => {
    const taken = await freePorts();
    await using _apiserver = await holdPort(taken.apiserver);
    const attempts: number[] = [];
    await using controlPlane = await startControlPlane({
      allocatePorts: (attempt) => {
        attempts.push(attempt);
        return attempt === 0 ? Promise.resolve(taken) : freePorts();
      },
    });
    expect(attempts).toEqual([0, 1]);
    expect(controlPlane.ports.apiserver).not.toBe(taken.apiserver);
  });

  it("takes other ports when another etcd answers on its port", async () => {
    await using first = await startControlPlane();
    const attempts: number[] = [];
    await using second = await startControlPlane({
      allocatePorts: async (attempt) => {
        attempts.push(attempt);
        const ports = await freePorts();
        return attempt === 0 ? { ...ports, etcdClient: first.ports.etcdClient } : ports;
      },
    });
    expect(attempts).toEqual([0, 1]);
    expect(second.ports.etcdClient).not.toBe(first.ports.etcdClient);
  });

  it.each([
    { part: "etcd", flag: "--no-such-flag", says: "no-such-flag" },
    { part: "kube-apiserver", flag: "--no-such-flag", says: "no-such-flag" },
    { part: "kube-controller-manager", flag: "--controllers=no-such-controller", says: "no-such-controller" },
  ] as const)("fails with the last log lines of $part when that is at fault", async ({ part, flag, says }) => {
    const dirs: string[] = [];
    const start = startControlPlane({ extraArguments: { [part]: [flag] } }).then((started) => dirs.push(started.dir));
    await expect(start).rejects.toThrow(new RegExp(`${part} ended while it was starting[^]*${says}`, "u"));
    expect(dirs).toEqual([]);
  });

  it("refuses a choice of cluster that it does not know", async () => {
    await expect(acquireCluster({ E2E_CLUSTER: "minikube" })).rejects.toThrow('it is "kind" or not set');
  });
});

describe("the end of the process that started a control plane", () => {
  const fixture = fileURLToPath(new URL("child.fixture.ts", import.meta.url));

  it.each([
    { how: "SIGKILL", why: "a crash leaves no chance to clean up" },
    { how: "SIGINT", why: "Ctrl-C" },
    { how: "SIGTERM", why: "a CI job that is cancelled" },
    { how: "exit", why: "a program that ends and forgot to stop it" },
  ] as const)("leaves neither processes nor files: $how ($why)", async ({ how }) => {
    const child = spawn(process.execPath, [fixture], { stdio: ["pipe", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { pids, dir }: { pids: number[]; dir: string } = JSON.parse(String(line));
    expect(pids.filter(isAlive)).toHaveLength(4);
    if (how === "exit") child.stdin.end("exit\n");
    else child.kill(how);
    await exited;
    await vi.waitFor(
      () => {
        expect(pids.filter(isAlive)).toEqual([]);
        expect(existsSync(dir)).toBe(false);
      },
      { timeout: 10_000, interval: 50 },
    );
  });
});
