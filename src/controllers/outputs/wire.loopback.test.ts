import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import {
  applyProject,
  configMapData,
  projectCondition,
  secretData,
} from "../../../test/support/controllers/outputs.ts";
import { AT_ONCE, callsOf } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";

/** Who wakes an object for its outputs: whoever else touches them, and never the operator itself. */

/** Less than a drift interval, milliseconds. */
const SOON_MS = 20_000;

let theatre: Theatre;
let operator: WholeOperator;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  operator = await WholeOperator.start(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

function isSettled(): boolean {
  const ready = projectCondition(theatre, "Ready");
  const generation = theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata.generation;
  return ready?.status === "True" && ready.observedGeneration === generation;
}

async function applied(name: string): Promise<void> {
  applyProject(theatre, { writeConnectionSecretToRef: { name }, writeConnectionConfigMapToRef: { name } });
  operator.look();
  await operator.advanceUntil(isSettled);
  await theatre.emulator.control.log.clear({});
}

/** What the operator asks the platform for within seconds of something. */
async function callsAfter(act: () => void): Promise<Readonly<Record<string, number>>> {
  act();
  operator.look();
  await operator.advance(SOON_MS);
  return callsOf(theatre);
}

describe("what the operator writes itself", () => {
  it("wakes nobody: neither new outputs, nor those under another name, nor the end of the old ones", async () => {
    await applied("out");
    expect(await callsAfter(() => undefined)).toEqual({});
    await applied("other");
    expect(secretData(theatre, "out")).toBeUndefined();
    expect(await callsAfter(() => undefined)).toEqual({});
  });
});

describe("what somebody else does to an output", () => {
  it.each(["secrets", "configmaps"])("is undone within seconds: deletion, of %s", async (plural) => {
    await applied("out");
    const before = [secretData(theatre, "out"), configMapData(theatre, "out")];
    const calls = await callsAfter(() => theatre.kubernetes.delete(plural, NAMESPACE, "out"));
    expect([secretData(theatre, "out"), configMapData(theatre, "out")]).toEqual(before);
    expect(calls["projects.get"]).toBe(1);
  });

  it.each(["secrets", "configmaps"])("is undone within seconds: an edit, of %s", async (plural) => {
    await applied("out");
    const before = [secretData(theatre, "out"), configMapData(theatre, "out")];
    const edit = (): void => {
      theatre.kubernetes.put(plural, { metadata: { name: "out", namespace: NAMESPACE }, data: { host: "eA==" } });
    };
    const calls = await callsAfter(edit);
    expect([secretData(theatre, "out"), configMapData(theatre, "out")]).toEqual(before);
    expect(calls["projects.get"]).toBe(1);
  });

  it("is no matter where the object is nobody's output", async () => {
    await applied("out");
    const data = { password: "eA==" };
    const put = (): void => {
      theatre.kubernetes.put("secrets", {
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
    theatre.kubernetes.put(plural, { apiVersion: "v1", kind, metadata, data: {} });
    applyProject(theatre, {
      writeConnectionSecretToRef: { name: "out" },
      writeConnectionConfigMapToRef: { name: "out" },
    });
    operator.look();
    await operator.advanceUntil(() => projectCondition(theatre, "Stalled")?.reason === `${kind}NotOwned`);
    theatre.kubernetes.delete(plural, NAMESPACE, "out");
    operator.look();
    await operator.advance(SOON_MS);
    expect(isSettled()).toBe(true);
    expect(secretData(theatre, "out")).toHaveProperty("uri");
    expect(configMapData(theatre, "out")).toHaveProperty("host");
  });
});
