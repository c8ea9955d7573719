import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import { finalizers } from "../../src/resources/annotations.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import { uninstallChart } from "../support/operator/uninstall.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";

/**
 * An install that watches two namespaces with Roles in these alone, in a cluster where a third one has the same objects. On a control
 * plane of its own, since the definitions span the cluster.
 */

const token = "namespaced-token";
const namespaces = ["team-a", "team-b", "team-c"] as const;
const waitSeconds = 60;

let plane: ControlPlane;
let emulator: Emulator;
let operator: OperatorHandle;

async function run(args: readonly string[], stdin = ""): Promise<string> {
  return succeeded(await kubectl(plane, args, { stdin }));
}

function manifests(namespace: string): string {
  const of = (kind: string, name: string, spec: unknown): unknown => ({
    apiVersion: "baas.dev/v1alpha1",
    kind,
    metadata: { name, namespace },
    spec,
  });
  const secretRef = { name: "platform-token" };
  const items = [
    of("Connection", "default", { baseUrl: emulator.url, token: { secretRef } }),
    of("Project", namespace, { organization: "acme", deletionPolicy: "Delete" }),
  ];
  return JSON.stringify({ apiVersion: "v1", kind: "List", items });
}

const secretSchema = z.object({ metadata: z.object({ finalizers: z.array(z.string()).default([]) }) });

async function isProtected(namespace: string): Promise<boolean> {
  const secret = await run(["--namespace", namespace, "get", "secret", "platform-token", "--output=json"]);
  return secretSchema.parse(JSON.parse(secret)).metadata.finalizers.includes(finalizers.credential);
}

beforeAll(async () => {
  plane = await startControlPlane();
  emulator = await startEmulator({ tokens: [token], speed: 1000 });
  for (const namespace of namespaces) {
    await run(["create", "namespace", namespace]);
    const secret = ["create", "secret", "generic", "platform-token", `--from-literal=token=${token}`];
    await run(["--namespace", namespace, ...secret]);
  }
  operator = await startOperator(plane, { namespace: "team-a", values: { watchNamespaces: ["team-a", "team-b"] } });
  await operator.waitReady();
  for (const namespace of namespaces) await run(["apply", "--filename=-"], manifests(namespace));
});

afterAll(async () => {
  await operator.stop();
  await emulator.stop();
  await plane.stop();
});

describe("an install for two namespaces", () => {
  it.each(["team-a", "team-b"])(
    "makes the objects of %s ready, with the rights of its Roles alone",
    async (namespace) => {
      const wait = ["wait", "connections,projects", "--all", "--for=condition=Ready", `--timeout=${waitSeconds}s`];
      await run(["--namespace", namespace, ...wait]);
      expect(await isProtected(namespace)).toBe(true);
      expect(operator.logs()).not.toMatch(/forbidden/iu);
    },
  );

  it("leaves another namespace alone", async () => {
    const { projects } = await emulator.control.state.read({});
    expect(new Set(projects.map(({ name }) => name))).toEqual(new Set(["team-a", "team-b"]));
    expect(await isProtected("team-c")).toBe(false);
  });

  it("holds a lease of its own and none where cluster-wide installs have theirs", async () => {
    const leases = ["get", "leases", "--output=name", "--namespace"];
    expect(await run([...leases, "team-a"])).toMatch(/^lease\.coordination\.k8s\.io\/baas-operator\S*\n$/u);
    expect(await run([...leases, "kube-system"])).not.toContain("baas-operator");
  });

  it("takes its finalizer off the Secrets of both when it is uninstalled, and leaves the projects", async () => {
    const { hooks } = await uninstallChart(plane, operator);
    expect(hooks.map(({ code }) => code)).toEqual([0]);
    expect(await Promise.all(namespaces.map((namespace) => isProtected(namespace)))).toEqual([false, false, false]);
    expect((await emulator.control.state.read({})).projects).toHaveLength(2);
  });
});
