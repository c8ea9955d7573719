import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import { annotations } from "../../src/resources/annotations.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import type { AskedFor, Right } from "../support/operator/rights.ts";
import { askedFor, covers, describeRight, grantedRights } from "../support/operator/rights.ts";
import { kubectl } from "../support/programs/kubectl.ts";
import { succeeded } from "../support/programs/run.ts";

/**
 * The chart's rights against kube-apiserver's audit log of a busy operator: it asked for nothing that it was refused, and every right was
 * used, but for a few that are named here with the reason. On a control plane of its own, which logs every request.
 */

const user = "system:serviceaccount:baas-system:baas-operator";
const token = "rights-token";
const waitSeconds = 60;

let plane: ControlPlane;
let emulator: Emulator;
let operator: OperatorHandle;

async function run(args: readonly string[], stdin = ""): Promise<string> {
  return succeeded(await kubectl(plane, args, { stdin }));
}

function manifest(namespace: string, kind: string, name: string, spec: unknown): unknown {
  return { apiVersion: "baas.dev/v1alpha1", kind, metadata: { name, namespace }, spec };
}

async function applyAll(items: readonly unknown[]): Promise<void> {
  await run(["apply", "--filename=-"], JSON.stringify({ apiVersion: "v1", kind: "List", items }));
}

async function waitReady(namespace: string, kinds: string): Promise<void> {
  const wait = ["wait", kinds, "--all", "--for=condition=Ready", `--timeout=${waitSeconds}s`];
  await run(["--namespace", namespace, ...wait]);
}

/** All kinds through the ClusterConnection: made ready, then deleted. */
async function liveThroughAll(namespace: string): Promise<void> {
  const projectRef = { name: "shop" };
  await run(["--namespace", namespace, "create", "secret", "generic", "app", "--from-literal=GREETING=hello"]);
  await run(["--namespace", namespace, "create", "configmap", "source", "--from-literal=index.ts=Deno.serve()"]);
  await applyAll([
    manifest(namespace, "Project", "shop", { organization: "acme", deletionPolicy: "Delete" }),
    manifest(namespace, "Branch", "shop", { projectRef, name: "preview" }),
    manifest(namespace, "EdgeFunction", "shop", { projectRef, source: { configMapRef: { name: "source" } } }),
    manifest(namespace, "Secret", "shop", { projectRef, from: [{ secretRef: { name: "app" } }] }),
  ]);
  const kinds = "projects,branches,edgefunctions,secrets.baas.dev";
  await waitReady(namespace, kinds);
  await run(["--namespace", namespace, "delete", kinds, "--all", `--timeout=${waitSeconds}s`]);
}

/** Projects through a Connection, let go by hand one after the other: the record of what stays is made, then added to. */
async function letGoByHand(namespace: string): Promise<void> {
  const token = { secretRef: { name: "platform-token" } };
  await applyAll([
    manifest(namespace, "Connection", "default", { baseUrl: emulator.url, token }),
    manifest(namespace, "Project", "first", { organization: "acme", deletionPolicy: "Delete" }),
    manifest(namespace, "Project", "second", { organization: "acme", deletionPolicy: "Delete" }),
  ]);
  await waitReady(namespace, "connections,projects");
  for (const name of ["first", "second"]) {
    const ref = await run(["--namespace", namespace, "get", "project", name, "--output=jsonpath={.status.ref}"]);
    await run(["--namespace", namespace, "annotate", "project", name, `${annotations.release}=${ref}`]);
    await run(["--namespace", namespace, "delete", "project", name, `--timeout=${waitSeconds}s`]);
  }
  await run(["--namespace", namespace, "delete", "connections", "--all", `--timeout=${waitSeconds}s`]);
}

beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  emulator = await startEmulator({ tokens: [token], speed: 1000 });
  for (const namespace of ["shared", "own", "baas-system"]) await run(["create", "namespace", namespace]);
  for (const namespace of ["own", "baas-system"]) {
    const secret = ["create", "secret", "generic", "platform-token", `--from-literal=token=${token}`];
    await run(["--namespace", namespace, ...secret]);
  }
  const clusterConnection = {
    create: true,
    baseUrl: emulator.url,
    tokenSecretRef: { name: "platform-token" },
    allowedNamespaces: { from: "Selected", names: ["shared"] },
  };
  operator = await startOperator(plane, { values: { clusterConnection } });
  await operator.waitReady();
  await liveThroughAll("shared");
  await letGoByHand("own");
  await operator.stop();
});

afterAll(async () => {
  await operator.stop();
  await emulator.stop();
  await plane.stop();
});

/** Rights that this life did not use, and what uses them. */
const unused: Readonly<Record<string, string>> = {
  "patch events.k8s.io/events": "an event that repeats for half a minute is counted in a series",
};

describe("the operator's rights", () => {
  let asked: readonly AskedFor[];
  let granted: readonly Right[];

  beforeAll(async () => {
    asked = askedFor(plane.auditLogPath, user);
    granted = await grantedRights(plane, operator.release);
  });

  it("were enough: it was refused nothing", () => {
    expect(asked.filter(({ status }) => status === 403).map(({ right }) => describeRight(right))).toEqual([]);
    expect(asked.length).toBeGreaterThan(30);
  });

  it("were all used, but for those with another use", () => {
    const idle = granted.filter((grant) => !asked.some(({ right }) => covers(grant, right)));
    expect(idle.map((right) => describeRight(right))).toEqual(Object.keys(unused));
  });

  it("left a record of what was let go", async () => {
    const record = await run([
      "--namespace=baas-system",
      "get",
      "configmap",
      "baas-operator-released",
      "--output=json",
    ]);
    const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(JSON.parse(record));
    expect(Object.keys(data)).toHaveLength(2);
  });
});
