import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSectionStage, type SectionStage } from "../../../test/support/sections/stage.ts";

let stage: SectionStage;

beforeEach(async () => {
  stage = await openSectionStage();
});

afterEach(() => stage[Symbol.asyncDispose]());

const NAME = "encryptionRootKey";
const READ = "encryptionKey.get";
const WRITE = "encryptionKey.update";
const ONE = "0f".repeat(32);
const TWO = "A5".repeat(32);
const spec = { encryptionRootKey: { secretKeyRef: { name: "root", key: "rootKey" } } };

async function rootKey(): Promise<string> {
  const { root_key: found } = await stage.client.encryptionKey.get({ ref: stage.ref });
  await stage.calls();
  return found;
}

/** All that the cluster holds of the Project, what was told of it, and what was written for it to be found again. */
function told(): string {
  const { life, theatre } = stage;
  return JSON.stringify([theatre.kubernetes.get("projects", "test", "shop"), life.events]).toLowerCase();
}

/** The annotation as somebody sets it. */
function ask(id: string): void {
  const { kubernetes } = stage.theatre;
  const found = kubernetes.get("projects", "test", "shop");
  if (found === undefined) throw new Error("there is no Project");
  const annotations = { ...found.metadata.annotations, "baas.dev/replace-root-key": id };
  kubernetes.put("projects", { ...found, metadata: { ...found.metadata, annotations } });
}

describe("the encryption root key", () => {
  it("that the platform has is read and not written", async () => {
    stage.putSecret("root", { rootKey: `${(await rootKey()).toUpperCase()}\n` });
    expect(await stage.apply(spec)).toMatchObject({ kind: "done" });
    await stage.run();
    expect(await stage.calls()).toEqual([READ, READ]);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });

  it("that is another one is not written, and the message names the annotation and no key", async () => {
    const before = await rootKey();
    stage.putSecret("root", { rootKey: ONE });
    expect(await stage.apply(spec)).toMatchObject({ kind: "terminal", reason: "RequestNeeded" });
    const message = expect.stringContaining("annotate baas.dev/replace-root-key: <request id>");
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", message });
    await stage.run();
    expect(await stage.calls()).not.toContain(WRITE);
    expect(await rootKey()).toBe(before);
    expect(told()).not.toMatch(new RegExp(`${ONE}|${before}`, "i"));
  });

  it("is replaced once per request id: a key that is rotated after that needs another one", async () => {
    const before = await rootKey();
    stage.putSecret("root", { rootKey: ONE });
    await stage.apply(spec);
    ask("7");
    await stage.calls();
    expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await stage.calls()).toEqual([READ, WRITE, READ]);
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
    expect(stage.stored().requests).toMatchObject([{ verb: "replace-root-key", id: "7", state: "Succeeded" }]);
    expect(await rootKey()).toBe(ONE);
    stage.putSecret("root", { rootKey: TWO });
    await stage.run("change");
    await stage.run();
    expect(await stage.calls()).not.toContain(WRITE);
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", reason: "RequestNeeded" });
    ask("8");
    await stage.life.settle("Project", "shop");
    expect((await rootKey()).toLowerCase()).toBe(TWO.toLowerCase());
    expect(told()).not.toMatch(new RegExp(`${ONE}|${TWO}|${before}`, "i"));
  });

  it("that somebody replaced by hand is told of, and left to whoever asks", async () => {
    stage.putSecret("root", { rootKey: await rootKey() });
    await stage.apply(spec);
    await stage.client.encryptionKey.update({ ref: stage.ref, body: { root_key: TWO } });
    await stage.calls();
    await stage.run();
    expect(await stage.calls()).toEqual([READ]);
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", reason: "RequestNeeded" });
  });

  describe.each(["Correct", "Report", "Ignore"])("under driftPolicy %s", (driftPolicy) => {
    it("that the Secret holds another one of is an edit, which nothing but a request carries out: told with what to do", async () => {
      stage.putSecret("root", { rootKey: await rootKey() });
      await stage.apply({ driftPolicy, ...spec });
      stage.putSecret("root", { rootKey: ONE });
      const wanted = { state: "Failed", reason: "RequestNeeded" };
      expect(await stage.run("change")).toMatchObject({ kind: "terminal", reason: "RequestNeeded" });
      expect(stage.entry(NAME)).toMatchObject(wanted);
      await stage.run();
      expect(stage.entry(NAME)).toMatchObject(wanted);
      expect(stage.condition("Ready")).toMatchObject({ status: "False" });
      expect(stage.condition("Drifted")).toBeUndefined();
      expect(told()).not.toMatch(new RegExp(ONE, "i"));
      ask("7");
      await stage.life.settle("Project", "shop");
      expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
      expect(stage.condition("Ready")).toMatchObject({ status: "True" });
    });

    it("that is asked for beside a difference that was left is in sync once it is there", async () => {
      stage.putSecret("root", { rootKey: await rootKey() });
      await stage.apply({ driftPolicy, ...spec });
      await stage.client.encryptionKey.update({ ref: stage.ref, body: { root_key: TWO } });
      await stage.run();
      expect(stage.entry(NAME)?.fields).toEqual(["spec.encryptionRootKey"]);
      await stage.run("change");
      ask("7");
      await stage.life.settle("Project", "shop");
      expect(await rootKey()).not.toBe(TWO.toLowerCase());
      expect(stage.entry(NAME)?.fields).toBeUndefined();
      expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
      expect(stage.condition("Drifted")).toBeUndefined();
    });
  });

  it("that was written anew with the same key is not another one, whatever becomes of the Secret besides", async () => {
    const there = await rootKey();
    stage.putSecret("root", { rootKey: there });
    await stage.apply({ driftPolicy: "Report", ...spec });
    stage.putSecret("root", { rootKey: `${there.toUpperCase()}\n` });
    await stage.client.encryptionKey.update({ ref: stage.ref, body: { root_key: TWO } });
    await stage.run("change");
    expect(stage.entry(NAME)).toMatchObject({ state: "Drifted", fields: ["spec.encryptionRootKey"] });
  });

  it("that the Secret holds another one of stays an edit while it is only observed, and is none once it is put back", async () => {
    const there = await rootKey();
    stage.putSecret("root", { rootKey: there });
    await stage.apply(spec);
    stage.putSecret("root", { rootKey: ONE });
    await stage.apply({ managementPolicy: "Observe", ...spec });
    await stage.run();
    await stage.start({ driftPolicy: "Ignore", ...spec });
    expect(await stage.run("change")).toMatchObject({ kind: "terminal", reason: "RequestNeeded" });
    expect(stage.entry(NAME)).toMatchObject({ state: "Failed", reason: "RequestNeeded" });
    stage.putSecret("root", { rootKey: there });
    await stage.run("change");
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync" });
  });

  it("is replaced by no annotation that stood there when the object came, as a copy's does", async () => {
    const { kubernetes } = stage.theatre;
    stage.putSecret("root", { rootKey: ONE });
    kubernetes.put("projects", {
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "copy", namespace: "test", annotations: { "baas.dev/replace-root-key": "7" } },
      spec: { organization: "acme", ...spec },
    });
    expect(await stage.life.settle("Project", "copy")).toMatchObject({ kind: "terminal", reason: "RequestNeeded" });
    expect(await stage.calls()).not.toContain(WRITE);
  });

  it("that no Secret holds is waited for, and asked for once it is there", async () => {
    await stage.apply({});
    await stage.start(spec);
    ask("7");
    expect(await stage.run("change")).toMatchObject({ kind: "waiting", reason: "ReferenceNotFound" });
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Waiting" }]);
    stage.putSecret("root", { rootKey: ONE });
    await stage.life.settle("Project", "shop");
    expect(await rootKey()).toBe(ONE);
  });

  it("that is none is refused with what to write, and never shown", async () => {
    stage.putSecret("root", { rootKey: "not-a-key" });
    expect(await stage.apply(spec)).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
    expect(stage.entry(NAME)?.message).toContain("put 64 hexadecimal digits there");
    ask("7");
    await stage.life.settle("Project", "shop");
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Refused" }]);
    expect(told()).not.toContain("not-a-key");
    expect(await stage.calls()).toEqual([]);
  });

  it("that is not declared is refused", async () => {
    ask("7");
    await stage.life.settle("Project", "shop");
    const message = expect.stringContaining("spec.encryptionRootKey says which key");
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Refused", message }]);
  });

  it("is found in place where every answer to the request was lost", async () => {
    stage.putSecret("root", { rootKey: ONE });
    await stage.apply(spec);
    const { faults } = stage.theatre.emulator.control;
    await faults.add({ operation: WRITE, count: null, fault: { kind: "reset", phase: "after" } });
    ask("7");
    await stage.life.runWhileTimePasses("Project", "shop");
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Succeeded" }]);
    expect(await rootKey()).toBe(ONE);
  });

  it("that came by a request whose answer was lost is looked at once that is found, though the policy looks at nothing", async () => {
    stage.putSecret("root", { rootKey: await rootKey() });
    await stage.apply({ driftPolicy: "Ignore", ...spec });
    await stage.client.encryptionKey.update({ ref: stage.ref, body: { root_key: TWO } });
    await stage.run();
    expect(stage.entry(NAME)).toMatchObject({ state: "InSync", fields: ["spec.encryptionRootKey"] });
    const { faults, log } = stage.theatre.emulator.control;
    // Longer than anybody waits for an answer: the section is looked at before it arrives.
    await faults.add({ operation: WRITE, fault: { kind: "delay", ms: 100_000 } });
    const before = (await log.read({ operation: WRITE })).entries.length;
    ask("7");
    const run = stage.run("change");
    await expect.poll(async () => (await log.read({ operation: WRITE })).entries.length).toBe(before + 1);
    await stage.theatre.pass(60_000);
    await run;
    expect(stage.entry(NAME)?.fields).toEqual(["spec.encryptionRootKey"]);
    await stage.theatre.pass(40_000);
    await stage.life.settle("Project", "shop");
    expect(stage.stored().requests).toMatchObject([{ id: "7", state: "Succeeded" }]);
    expect(stage.entry(NAME)?.fields).toBeUndefined();
  });
});
