import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { Administrator, connection, manifest } from "../support/operator/administrator.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import { uninstallChart } from "../support/operator/uninstall.ts";

/**
 * An install that watches two namespaces with Roles in these alone, in a cluster where a third one has the same objects. On a control
 * plane of its own, since the definitions span the cluster.
 */

const token = "namespaced-token";
const namespaces = ["team-a", "team-b", "team-c"] as const;

let plane: ControlPlane;
let emulator: Emulator;
let admin: Administrator;
let operator: OperatorHandle;

beforeAll(async () => {
  plane = await startControlPlane();
  admin = new Administrator(plane);
  emulator = await startEmulator({ tokens: [token], speed: 1000 });
  await admin.createNamespaces(...namespaces);
  for (const namespace of namespaces) await admin.storeToken(namespace, token);
  operator = await startOperator(plane, { namespace: "team-a", values: { watchNamespaces: ["team-a", "team-b"] } });
  await operator.waitReady();
  for (const namespace of namespaces) {
    const project = manifest("Project", { namespace, name: namespace }, { organization: "acme" });
    await admin.apply([connection(namespace, emulator.url), project]);
  }
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
      await admin.waitReady("connections,projects", namespace);
      expect(await admin.protectedSecrets()).toContain(`${namespace}/platform-token`);
      expect(operator.logs()).not.toMatch(/forbidden/iu);
    },
  );

  it("leaves another namespace alone", async () => {
    const { projects } = await emulator.control.state.read({});
    expect(new Set(projects.map(({ name }) => name))).toEqual(new Set(["team-a", "team-b"]));
    expect(await admin.protectedSecrets()).not.toContain("team-c/platform-token");
  });

  it("holds a lease of its own and none where cluster-wide installs have theirs", async () => {
    const leases = ["get", "leases", "--output=name", "--namespace"];
    expect(await admin.run([...leases, "team-a"])).toMatch(/^lease\.coordination\.k8s\.io\/baas-operator\S*\n$/u);
    expect(await admin.run([...leases, "kube-system"])).not.toContain("baas-operator");
  });

  it("takes its finalizer off the Secrets of both when it is uninstalled, and leaves the projects", async () => {
    const { hooks } = await uninstallChart(plane, operator);
    expect(hooks.map(({ code }) => code)).toEqual([0]);
    expect(await admin.protectedSecrets()).toEqual([]);
    expect((await emulator.control.state.read({})).projects).toHaveLength(2);
  });
});
