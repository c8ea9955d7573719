import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { finalizers } from "../../resources/annotations.ts";
import type { KubeObject } from "../../resources/meta.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** What a run does with its locks and with its requests (run.ts). */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(spec: object): void {
  const metadata = { name: "shop", namespace: NAMESPACE };
  theatre.kubernetes.put("projects", { apiVersion: "baas.dev/v1alpha1", kind: "Project", metadata, spec });
}

async function created(): Promise<readonly string[]> {
  return (await theatre.emulator.control.state.read({})).projects.map(({ name }) => name);
}

describe("what is recorded before a request", () => {
  it("rests on the object as it was read: one that was edited meanwhile is read again first (engine.md §4)", async () => {
    await theatre.emulator.control.faults.add({ operation: "projects.create", fault: { kind: "status", status: 400 } });
    put({ organization: "acme", name: "former" });
    expect(await life.run("Project", "shop")).toMatchObject({ kind: "terminal" }); // it has its finalizer from then on
    life.look();
    put({ organization: "acme", name: "latter" });
    expect(await life.runUnseen("Project", "shop")).toMatchObject({ kind: "conflict" });
    expect(await created()).toEqual([]);
    expect(projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop")).intent).toBeUndefined();
    expect(await life.settle("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await created()).toEqual(["latter"]);
  });
});

describe("a first write", () => {
  it("has its finalizer before: whatever becomes of the answer, the deletion finds what was made (engine.md §5)", async () => {
    await theatre.emulator.control.faults.add({ operation: "projects.create", fault: { kind: "status", status: 400 } });
    put({ organization: "acme" });
    await life.run("Project", "shop");
    const { metadata } = theatre.kubernetes.get("projects", NAMESPACE, "shop") ?? {};
    expect(metadata?.finalizers).toEqual([finalizers.remote]);
  });
});

describe("a run that still sees the predecessor of an object that was deleted and put back", () => {
  /** As a backup is put back beside a living operator: with all that it had but the status, under a new uid. */
  function putBack(changed: { readonly spec?: object } = {}): void {
    const { kubernetes } = theatre;
    const former = kubernetes.get("projects", NAMESPACE, "shop");
    if (former === undefined) throw new Error("it is not there");
    const { name, namespace, annotations: noted, finalizers: held } = former.metadata;
    kubernetes.put("projects", { ...former, metadata: { name, namespace, finalizers: [] } });
    kubernetes.delete("projects", NAMESPACE, "shop");
    const metadata = { name, namespace, finalizers: held, annotations: noted };
    kubernetes.put("projects", { ...former, status: {}, ...changed, metadata });
    expect(now().metadata.uid).not.toBe(former.metadata.uid);
  }

  function now(): KubeObject {
    const object = theatre.kubernetes.get("projects", NAMESPACE, "shop");
    if (object === undefined) throw new Error("it is not there");
    return object;
  }

  it("takes neither the finalizer nor the project from the one that nobody deleted (engine.md §5)", async () => {
    put({ organization: "acme", deletionPolicy: "Delete" });
    await life.settle("Project", "shop");
    theatre.kubernetes.delete("projects", NAMESPACE, "shop", theatre.clock.now());
    life.look();
    putBack();
    const before = now();
    expect(await life.runUnseen("Project", "shop")).toMatchObject({ kind: "done" });
    expect(await created()).toEqual(["shop"]);
    expect(now()).toEqual(before);
  });

  it("gives it no status of the other", async () => {
    put({ organization: "" });
    life.look();
    putBack({ spec: { organization: "acme" } });
    const before = now();
    expect(await life.runUnseen("Project", "shop")).toMatchObject({ kind: "conflict" });
    expect(now()).toEqual(before);
  });

  it("notes on it nothing of what the other owned (engine.md §4)", async () => {
    put({ organization: "acme" });
    await life.settle("Project", "shop");
    theatre.kubernetes.put("projects", { ...now(), metadata: { ...now().metadata, annotations: {} } });
    life.look();
    putBack();
    const before = now();
    expect(await life.runUnseen("Project", "shop")).toMatchObject({ kind: "conflict" });
    expect(now()).toEqual(before);
  });
});

describe("a run without request budget", () => {
  it("ends within a second and says when to come again, so that its worker is free (engine.md §1)", async () => {
    put({ organization: "acme" });
    await life.settle("Project", "shop");
    const { ref = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    await theatre.pass(120_000);
    for (let request = 0; request < 120; request += 1) await life.client.projects.get({ ref });
    await theatre.pass(40_000);
    const beganMs = theatre.clock.monotonic();
    const outcome = await life.runWhileTimePasses("Project", "shop");
    expect(outcome).toMatchObject({ kind: "rateLimited" });
    expect(theatre.clock.monotonic() - beganMs).toBeLessThanOrEqual(1000);
    const { retryAfterMs = 0 } = outcome.kind === "rateLimited" ? outcome : {};
    expect(retryAfterMs).toBeGreaterThan(19_000);
    expect(retryAfterMs).toBeLessThan(21_000);
  });
});
