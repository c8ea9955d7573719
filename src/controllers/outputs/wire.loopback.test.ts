import { describe, expect, it } from "vitest";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import {
  applyProject,
  configMapData,
  projectCondition,
  secretData,
} from "../../../test/support/controllers/outputs.ts";
import { callsOf } from "../../../test/support/controllers/shop.ts";
import { operatorInEach } from "../../../test/support/controllers/operator-in-each.ts";

/** Who wakes an object for its outputs: whoever else touches them, and never the operator itself. */

/** Less than a drift interval, milliseconds. */
const SOON_MS = 20_000;

const stage = operatorInEach();

function isSettled(): boolean {
  const ready = projectCondition(stage.theatre, "Ready");
  const generation = stage.theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata.generation;
  return ready?.status === "True" && ready.observedGeneration === generation;
}

async function applied(name: string): Promise<void> {
  applyProject(stage.theatre, { writeConnectionSecretToRef: { name }, writeConnectionConfigMapToRef: { name } });
  stage.operator.look();
  await stage.operator.advanceUntil(isSettled);
  await stage.theatre.emulator.control.log.clear({});
}

/** What the operator asks the platform for within seconds of something. */
async function callsAfter(act: () => void): Promise<Readonly<Record<string, number>>> {
  act();
  stage.operator.look();
  await stage.operator.advance(SOON_MS);
  return callsOf(stage.theatre);
}

describe("what the operator writes itself", () => {
  it("wakes nobody: neither new outputs, nor those under another name, nor the end of the old ones", async () => {
    await applied("out");
    expect(await callsAfter(() => undefined)).toEqual({});
    await applied("other");
    expect(secretData(stage.theatre, "out")).toBeUndefined();
    expect(await callsAfter(() => undefined)).toEqual({});
  });
});

describe("what somebody else does to an output", () => {
  it.each(["secrets", "configmaps"])("is undone within seconds: deletion, of %s", async (plural) => {
    await applied("out");
    const before = [secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")];
    const calls = await callsAfter(() => stage.theatre.kubernetes.delete(plural, NAMESPACE, "out"));
    expect([secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")]).toEqual(before);
    expect(calls["projects.get"]).toBe(1);
  });

  it.each(["secrets", "configmaps"])("is undone within seconds: an edit, of %s", async (plural) => {
    await applied("out");
    const before = [secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")];
    const edit = (): void => {
      stage.theatre.kubernetes.put(plural, { metadata: { name: "out", namespace: NAMESPACE }, data: { host: "eA==" } });
    };
    const calls = await callsAfter(edit);
    expect([secretData(stage.theatre, "out"), configMapData(stage.theatre, "out")]).toEqual(before);
    expect(calls["projects.get"]).toBe(1);
  });

  it("is no matter where the object is nobody's output", async () => {
    await applied("out");
    const data = { password: "eA==" };
    const put = (): void => {
      stage.theatre.kubernetes.put("secrets", {
        apiVersion: "v1",
        kind: "Secret",
        metadata: { name: "unrelated", namespace: NAMESPACE },
        data,
      });
    };
    expect(await callsAfter(put)).toEqual({});
  });
});

describe("an object in the place of an output", () => {
  it.each(["secrets", "configmaps"])("that goes lets the one who found it there go on: %s", async (plural) => {
    const metadata = { name: "out", namespace: NAMESPACE };
    const kind = plural === "secrets" ? "Secret" : "ConfigMap";
    stage.theatre.kubernetes.put(plural, { apiVersion: "v1", kind, metadata, data: {} });
    applyProject(stage.theatre, {
      writeConnectionSecretToRef: { name: "out" },
      writeConnectionConfigMapToRef: { name: "out" },
    });
    stage.operator.look();
    await stage.operator.advanceUntil(() => projectCondition(stage.theatre, "Stalled")?.reason === `${kind}NotOwned`);
    stage.theatre.kubernetes.delete(plural, NAMESPACE, "out");
    stage.operator.look();
    await stage.operator.advance(SOON_MS);
    expect(isSettled()).toBe(true);
    expect(secretData(stage.theatre, "out")).toHaveProperty("uri");
    expect(configMapData(stage.theatre, "out")).toHaveProperty("host");
  });
});
