import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import { annotations } from "../../src/resources/annotations.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { Administrator, connection, manifest } from "../support/operator/administrator.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import type { AskedFor, Right } from "../support/operator/rights.ts";
import { askedFor, covers, describeRight, grantedRights } from "../support/operator/rights.ts";

/**
 * The chart's rights against kube-apiserver's audit log of a busy operator: it asked for nothing that it was refused, and every right was
 * used, but for a few that are named here with the reason. On a control plane of its own, which logs every request.
 */

const user = "system:serviceaccount:baas-system:baas-operator";
const token = "rights-token";
const waitSeconds = 60;

let plane: ControlPlane;
let emulator: Emulator;
let admin: Administrator;
let operator: OperatorHandle;

/** All kinds through the ClusterConnection: made ready, then deleted. */
async function liveThroughAll(namespace: string): Promise<void> {
  const projectRef = { name: "shop" };
  const here = { namespace, name: "shop" };
  const create = ["--namespace", namespace, "create"];
  await admin.run([...create, "secret", "generic", "app", "--from-literal=GREETING=hello"]);
  await admin.run([...create, "configmap", "source", "--from-literal=index.ts=Deno.serve()"]);
  const project = (outputs: object): object =>
    manifest("Project", here, { organization: "acme", deletionPolicy: "Delete", ...outputs });
  const outputs = (key: string): object => ({
    writeConnectionSecretToRef: { name: "outputs", keys: [{ key, value: "$(ref)" }] },
    writeConnectionConfigMapToRef: { name: "outputs", keys: [{ key, value: "$(ref)" }] },
  });
  await admin.apply([
    project(outputs("ref")),
    manifest("Branch", here, { projectRef, name: "preview" }),
    manifest("EdgeFunction", here, { projectRef, source: { configMapRef: { name: "source" } } }),
    manifest("Secret", here, { projectRef, from: [{ secretRef: { name: "app" } }] }),
  ]);
  const kinds = "projects,branches,edgefunctions,secrets.baas.dev";
  await admin.waitReady(kinds, namespace);
  // Outputs are made, changed and taken away.
  for (const next of [outputs("other"), {}]) {
    await admin.apply([project(next)]);
    await admin.waitReady("projects", namespace);
  }
  await admin.run(["--namespace", namespace, "delete", kinds, "--all", `--timeout=${waitSeconds}s`]);
}

/** Projects through a Connection, let go by hand one after the other: the record of what stays is made, then added to. */
async function letGoByHand(namespace: string): Promise<void> {
  const names = ["first", "second"];
  await admin.apply([
    connection(namespace, emulator.url),
    ...names.map((name) =>
      manifest("Project", { namespace, name }, { organization: "acme", deletionPolicy: "Delete" }),
    ),
  ]);
  await admin.waitReady("connections,projects", namespace);
  for (const name of names) {
    const project = ["--namespace", namespace, "project", name];
    const ref = await admin.run(["get", ...project, "--output=jsonpath={.status.ref}"]);
    await admin.run(["annotate", ...project, `${annotations.release}=${ref}`]);
    await admin.run(["delete", ...project, `--timeout=${waitSeconds}s`]);
  }
  await admin.run(["--namespace", namespace, "delete", "connections", "--all", `--timeout=${waitSeconds}s`]);
}

beforeAll(async () => {
  plane = await startControlPlane({ audit: true });
  emulator = await startEmulator({ tokens: [token], speed: 1000 });
  admin = new Administrator(plane);
  await admin.createNamespaces("shared", "own", "baas-system");
  for (const namespace of ["own", "baas-system"]) await admin.storeToken(namespace, token);
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
  await admin.run(["delete", "clusterconnections", "--all", `--timeout=${waitSeconds}s`]);
  await operator.stop();
});

afterAll(async () => {
  await operator.stop();
  await emulator.stop();
  await plane.stop();
});

/** Rights that this life did not use, and what uses them. */
const unused: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["gitrepositories", "ocirepositories", "buckets", "externalartifacts"].map((plural) => [
      `watch source.toolkit.fluxcd.io/${plural}`,
      "a cluster with Flux has it watched after the list, which here finds no such kind",
    ]),
  ),
  "patch events.k8s.io/events": "an event that repeats for half a minute is counted in a series",
  "create baas.dev/clusterconnections": "applying a new object needs it, and is logged as a patch",
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
    const record = await admin.run([
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
