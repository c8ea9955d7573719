import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Emulator } from "../../src/emulator/emulator.ts";
import { startEmulator } from "../../src/emulator/emulator.ts";
import type { ControlPlane } from "../support/control-plane/control-plane.ts";
import { startControlPlane } from "../support/control-plane/control-plane.ts";
import { Administrator, connection, manifest } from "../support/operator/administrator.ts";
import type { OperatorHandle } from "../support/operator/operator.ts";
import { startOperator } from "../support/operator/operator.ts";
import { uninstallChart } from "../support/operator/uninstall.ts";

/** Two cluster-wide releases side by side, as while one replaces the other: one leads, and uninstalling it harms nothing. */

const token = "beside-token";
const readyMs = 60_000;

let plane: ControlPlane;
let emulator: Emulator;
let admin: Administrator;
let first: OperatorHandle;
let second: OperatorHandle;

async function leads(operator: OperatorHandle): Promise<boolean> {
  const [replica] = operator.replicas;
  return /^baas_leader 1$/mu.test((await replica?.get("/metrics"))?.text ?? "");
}

beforeAll(async () => {
  plane = await startControlPlane();
  admin = new Administrator(plane);
  emulator = await startEmulator({ tokens: [token], speed: 1000 });
  await admin.createNamespaces("shop");
  await admin.storeToken("shop", token);
  first = await startOperator(plane, { namespace: "first" });
  await first.waitReady();
  await vi.waitUntil(() => leads(first), { timeout: readyMs, interval: 200 });
  second = await startOperator(plane, { namespace: "second", values: { crds: { enabled: false } } });
  await second.waitReady();
  const project = manifest("Project", { namespace: "shop", name: "shop" }, { organization: "acme" });
  await admin.apply([connection("shop", emulator.url), project]);
  await admin.waitReady("projects");
});

afterAll(async () => {
  await Promise.all([first.stop(), second.stop()]);
  await emulator.stop();
  await plane.stop();
});

describe("two cluster-wide releases", () => {
  it("share one lease: the second stands by", async () => {
    expect([await leads(first), await leads(second)]).toEqual([true, false]);
  });

  it("hand over when the one that leads is uninstalled: the other protects the same Secret and makes nothing twice", async () => {
    const { hooks } = await uninstallChart(plane, first);
    // Either it met the other's lease, or it was faster and the other put the finalizer back.
    expect(hooks.map(({ code }) => code)).toEqual([0]);
    await expect.poll(() => leads(second), { timeout: readyMs }).toBe(true);
    await expect.poll(() => admin.protectedSecrets(), { timeout: readyMs }).toEqual(["shop/platform-token"]);
    expect((await emulator.control.state.read({})).projects).toHaveLength(1);
  });

  it("leave no finalizer when the last one is uninstalled", async () => {
    const { hooks } = await uninstallChart(plane, second);
    expect(hooks.map(({ code, logs }) => ({ code, logs }))).toEqual([
      { code: 0, logs: expect.stringContaining("took the finalizer off 1 Secret\n") },
    ]);
    expect(await admin.protectedSecrets()).toEqual([]);
  });
});
