import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { applyProject } from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** A source that arrived and was not heard of, and that is taken back: the function runs the operator's own, and that is no drift. */

let theatre: Theatre;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  applyProject(theatre, {});
  await (await theatre.life()).settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

function putSource(text: string): void {
  theatre.kubernetes.put("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "source", namespace: NAMESPACE },
    data: { "index.ts": text },
  });
}

function putFunction(driftPolicy: string): void {
  theatre.kubernetes.put("edgefunctions", {
    apiVersion: "baas.dev/v1alpha1",
    kind: "EdgeFunction",
    metadata: { name: "hello", namespace: NAMESPACE },
    spec: { projectRef: { name: "shop" }, driftPolicy, source: { configMapRef: { name: "source" } } },
  });
}

const deployments = async (): Promise<number> =>
  (await theatre.emulator.control.log.read({ operation: "functions.deploy" })).entries.length;

describe.each(["Correct", "Report", "Ignore"])("a source in a ConfigMap that is taken back under %s", (driftPolicy) => {
  beforeEach(async () => {
    putSource("// first");
    putFunction(driftPolicy);
    await (await theatre.life()).settle("EdgeFunction", "hello");
  });

  it("is deployed again where the answer to the other one was lost", async () => {
    const life = await theatre.life();
    const fault = { kind: "reset", phase: "after" } as const;
    await theatre.emulator.control.faults.add({ operation: "functions.deploy", count: null, fault });
    putSource("// second");
    await life.runWhileTimePasses("EdgeFunction", "hello");
    await theatre.emulator.control.faults.clear({});
    const before = await deployments();

    putSource("// first");
    await life.settle("EdgeFunction", "hello");

    expect((await deployments()) - before).toBe(1);
    expect(life.events.map(({ reason }) => reason)).not.toContain("DriftCorrected");
  });

  it("is deployed again, wherever the operator's life ended", async () => {
    let deaths = 0;
    for (let requests = 1; requests < 8; requests += 1) {
      const before = await deployments();
      putSource("// second");
      const life = await theatre.life(requests);
      await life.settle("EdgeFunction", "hello");
      const arrived = (await deployments()) - before;
      if (arrived > 0 && life.dead) deaths += 1;
      putSource("// first");
      await (await theatre.life()).settle("EdgeFunction", "hello");
      if (arrived === 0) continue;
      expect([requests, (await deployments()) - before]).toEqual([requests, arrived + 1]);
    }
    expect(deaths).toBeGreaterThan(0);
  });

  it("is not deployed again where the other one was refused", async () => {
    const life = await theatre.life();
    const fault = { kind: "status", status: 400, body: { message: "the bundle is too large" } } as const;
    await theatre.emulator.control.faults.add({ operation: "functions.deploy", count: null, fault });
    putSource("// second");
    await life.settle("EdgeFunction", "hello");
    await theatre.emulator.control.faults.clear({});
    const before = await deployments();

    putSource("// first");
    expect(await life.settle("EdgeFunction", "hello")).toMatchObject({ kind: "done" });

    expect((await deployments()) - before).toBe(0);
  });
});
