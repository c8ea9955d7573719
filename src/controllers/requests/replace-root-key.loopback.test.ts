import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

/** A request for a root key whose answer is lost: only the key that was meant is ever sent again. */

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const WRITE = "encryptionKey.update";
const ONE = "0f".repeat(32);
const TWO = "a5".repeat(32);
const spec = { encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } } };

async function rootKey(): Promise<string> {
  return (await stage.client.encryptionKey.get({ ref: stage.ref })).root_key;
}

/** Asks for the declared key with an id, where nothing of the request arrives. */
async function askInVain(): Promise<void> {
  const { emulator, kubernetes } = stage.theatre;
  stage.putSecret("root", { rootKey: ONE });
  await stage.apply(spec);
  await emulator.control.faults.add({ operation: WRITE, count: null, fault: { kind: "reset", phase: "before" } });
  const found = kubernetes.get("projects", "test", "shop");
  if (found === undefined) throw new Error("there is no Project");
  const annotations = { ...found.metadata.annotations, "baas.dev/replace-root-key": "7" };
  kubernetes.put("projects", { ...found, metadata: { ...found.metadata, annotations } });
  await stage.life.runWhileTimePasses("Project", "shop");
  expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Sending" }]);
  await emulator.control.faults.clear({});
  await stage.calls();
}

/** Looks until nothing of the request can arrive any more. */
async function lookUntilCertain(): Promise<void> {
  await stage.run("progress");
  await stage.theatre.pass(130_000);
  await stage.run("progress");
}

describe("a root key whose answer was lost", () => {
  it("is sent again where it certainly did not arrive", async () => {
    await askInVain();
    await lookUntilCertain();
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Succeeded" }]);
    expect((await stage.calls()).filter((operation) => operation === WRITE)).toEqual([WRITE]);
    expect(await rootKey()).toBe(ONE);
  });

  it("is not followed by another key that the Secret holds by then: that takes another id", async () => {
    const before = await rootKey();
    await askInVain();
    stage.putSecret("root", { rootKey: TWO });
    await lookUntilCertain();
    expect(stage.stored().requests).toMatchObject([
      { id: "7", state: "Unknown", message: expect.stringContaining("another key") },
    ]);
    expect(await stage.calls()).not.toContain(WRITE);
    expect(await rootKey()).toBe(before);
    const { kubernetes } = stage.theatre;
    const told = JSON.stringify([kubernetes.get("projects", "test", "shop"), stage.life.events]).toLowerCase();
    expect(told).not.toMatch(new RegExp(`${ONE}|${TWO}|${before}`, "i"));
  });

  it("is not sent again where the Secret is gone, and holds up nothing else", async () => {
    await askInVain();
    stage.theatre.kubernetes.delete("secrets", "test", "root");
    await lookUntilCertain();
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Unknown" }]);
    expect(await stage.calls()).not.toContain(WRITE);
  });
});
