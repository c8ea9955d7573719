import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { testClient } from "../../../test/support/api-server/test-client.ts";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { annotations } from "../../resources/annotations.ts";
import { findCondition } from "./conditions.ts";

/** The guards that every kind's run passes (pipeline.ts), and what its status says after each: engine.md §5, §6 and §7. */

const HELLO = { inline: { files: { "index.ts": "// hello" } } };
const projectRef = { name: "shop" };

const kinds = [
  { kind: "Project", plural: "projects", spec: { organization: "acme", name: "object" }, bad: { organization: "" } },
  { kind: "Branch", plural: "branches", spec: { projectRef }, bad: { projectRef: {} } },
  { kind: "EdgeFunction", plural: "edgefunctions", spec: { projectRef, source: HELLO }, bad: { projectRef } },
  {
    kind: "Secret",
    plural: "secrets",
    spec: { projectRef, from: [{ secretRef: { name: "values" } }] },
    bad: { projectRef, from: [] },
  },
] as const;

type Of = (typeof kinds)[number];

/** A connection that nobody refers to. */
const OTHER = `Connection/${NAMESPACE}/other`;
/** What a person, or a program that is mistaken, may write beside an object. */
const LIES = {
  "baas.dev/connection": OTHER,
  "baas.dev/base-url": "http://127.0.0.1:1",
  "baas.dev/token": "theirs",
};

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "1" } });
  put({ kind: "Project", plural: "projects" }, { organization: "acme" }, {}, "shop");
  await life.settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(
  { kind, plural }: Pick<Of, "kind" | "plural">,
  spec: object,
  annotated: object = {},
  name = "object",
): void {
  const metadata = { name, namespace: NAMESPACE, annotations: annotated };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

/** Sets an annotation beside those that are there. */
function annotate({ plural }: Of, name: string, value: string): void {
  const object = theatre.kubernetes.get(plural, NAMESPACE, "object");
  if (object === undefined) throw new Error("the object is not there");
  const { metadata } = object;
  const annotated = { ...metadata.annotations, [name]: value };
  theatre.kubernetes.put(plural, { ...object, metadata: { ...metadata, annotations: annotated } });
}

function statusOf({ plural }: Of): Readonly<Record<string, unknown>> {
  const object = theatre.kubernetes.get(plural, NAMESPACE, "object");
  return (object?.["status"] ?? {}) as Readonly<Record<string, unknown>>;
}

function condition(of: Of, type: string): object | undefined {
  return findCondition(statusOf(of)["conditions"] as Parameters<typeof findCondition>[0], type);
}

function generationOf({ plural }: Of): number | undefined {
  return theatre.kubernetes.get(plural, NAMESPACE, "object")?.metadata.generation;
}

/** Deletions that the platform was asked for and that took effect. */
async function deletions(): Promise<readonly string[]> {
  const { entries } = await theatre.emulator.control.log.read();
  const accepted = entries.filter(({ method, status }) => method === "DELETE" && (status ?? 0) < 300);
  return accepted.map(({ operation }) => operation ?? "");
}

async function settled(of: Of, more: object = {}): Promise<void> {
  put(of, { ...of.spec, ...more });
  expect(await life.settle(of.kind, "object")).toMatchObject({ kind: "done" });
}

describe.each(kinds)("a run of $kind", (of) => {
  const remove = (): void => theatre.kubernetes.delete(of.plural, NAMESPACE, "object", theatre.clock.now());
  const gone = (): boolean => theatre.kubernetes.get(of.plural, NAMESPACE, "object") === undefined;

  it("deletes what is remote where the policy is Delete, and keeps it where it is Retain", async () => {
    await settled(of, { deletionPolicy: "Retain" });
    remove();
    await life.settle(of.kind, "object");
    expect([gone(), await deletions()]).toEqual([true, []]);

    await settled(of, { deletionPolicy: "Delete", adoptionPolicy: "IfNameMatches" });
    remove();
    await life.settle(of.kind, "object");
    expect([gone(), (await deletions()).length]).toEqual([true, 1]);
  });

  it("keeps its finalizer until what is remote is deleted", async () => {
    await settled(of, { deletionPolicy: "Delete" });
    const operations = ["projects.delete", "branches.delete", "functions.delete", "secrets.delete"];
    const fault = { kind: "status", status: 500 } as const;
    for (const operation of operations) await theatre.emulator.control.faults.add({ operation, count: null, fault });
    remove();
    await life.run(of.kind, "object");
    expect([gone(), await deletions()]).toEqual([false, []]);
    await theatre.emulator.control.faults.clear({});
    await life.settle(of.kind, "object");
    expect([gone(), (await deletions()).length]).toEqual([true, 1]);
  });

  it("honours Retain that was set after the deletion began, though no watch has told of it yet", async () => {
    await settled(of, { deletionPolicy: "Delete" });
    remove();
    life.look();
    put(of, { ...of.spec, deletionPolicy: "Retain" });
    expect(await life.runUnseen(of.kind, "object")).toMatchObject({ kind: "done" });
    expect([gone(), await deletions()]).toEqual([true, []]);
  });

  it("deletes a paused object", async () => {
    await settled(of, { deletionPolicy: "Delete" });
    annotate(of, annotations.paused, "true");
    await life.run(of.kind, "object");
    remove();
    await life.settle(of.kind, "object");
    expect([gone(), (await deletions()).length]).toEqual([true, 1]);
  });

  it("leaves a paused object as it is, says so, and does not claim to have looked at its spec", async () => {
    await settled(of);
    const before = generationOf(of);
    annotate(of, annotations.paused, "true");
    put(of, { ...of.spec, driftInterval: "1h" }, { [annotations.paused]: "true" });
    await theatre.emulator.control.log.clear();
    expect(await life.run(of.kind, "object")).toEqual({ kind: "done", result: {} });
    expect((await theatre.emulator.control.log.read()).entries).toEqual([]);
    expect(condition(of, "Paused")).toMatchObject({ status: "True", reason: "Paused" });
    expect(generationOf(of)).toBe((before ?? 0) + 1);
    expect(statusOf(of)["observedGeneration"]).toBe(before);
  });

  it("says which generation it looked at, on the status and on each condition, well or not", async () => {
    await settled(of);
    const observed = (): readonly unknown[] => {
      const conditions = statusOf(of)["conditions"] as readonly { readonly observedGeneration?: number }[];
      return [statusOf(of)["observedGeneration"], ...conditions.map(({ observedGeneration }) => observedGeneration)];
    };
    expect(observed()).toEqual([1, 1]);
    put(of, of.bad);
    expect(await life.run(of.kind, "object")).toMatchObject({ kind: "terminal", reason: "InvalidSpec" });
    expect(observed()).toEqual([2, 2, 2]);
    expect(condition(of, "Stalled")).toMatchObject({ status: "True", reason: "InvalidSpec" });
  });

  it("echoes the reconcile that somebody asked for", async () => {
    await settled(of);
    annotate(of, annotations.reconcileAt, "noon");
    await life.run(of.kind, "object");
    expect(statusOf(of)["lastHandledReconcileAt"]).toBe("noon");
    annotate(of, annotations.reconcileAt, "one");
    await life.run(of.kind, "object");
    expect(statusOf(of)["lastHandledReconcileAt"]).toBe("one");
  });

  it("leaves the spec as somebody wrote it, defaults and all, whatever is written beside it", async () => {
    const written = { ...of.spec, deletionPolicy: "Delete" };
    const stored = (): unknown => {
      const object = theatre.kubernetes.get(of.plural, NAMESPACE, "object");
      return { spec: object?.["spec"], generation: object?.metadata.generation };
    };
    put(of, written);
    await life.run(of.kind, "object");
    expect(stored()).toEqual({ spec: written, generation: 1 });
    await life.settle(of.kind, "object");
    await theatre.pass(600_001);
    expect(await life.run(of.kind, "object", "drift")).toMatchObject({ kind: "done" });
    expect(stored()).toEqual({ spec: written, generation: 1 });
  });

  it("goes by its connection alone, whatever an annotation of its own says of another one", async () => {
    const own = life.environment.sessions.get(`Connection/${NAMESPACE}/default`);
    if (own === undefined) throw new Error("the connection is closed");
    // The platform does not know its token.
    const client = testClient(theatre.emulator.url);
    onTestFinished(() => client.close());
    life.environment.sessions.set({ ...own, id: OTHER, name: "other", account: "somebody else", client });
    const metadata = { name: "other", namespace: NAMESPACE };
    const spec = { baseUrl: "http://127.0.0.1", token: { secretRef: { name: "token" } } };
    theatre.kubernetes.put("connections", { apiVersion: "baas.dev/v1alpha1", kind: "Connection", metadata, spec });
    put(of, { ...of.spec, deletionPolicy: "Delete" }, LIES);
    await life.settle(of.kind, "object");
    expect(statusOf(of)["connection"]).toMatchObject({ name: "default", identity: own.account });
    remove();
    await life.settle(of.kind, "object");
    expect([gone(), (await deletions()).length]).toEqual([true, 1]);
  });

  it("tells once of an annotation that does nothing, and what may be meant, and is as Ready as without it", async () => {
    const told = (): readonly string[] =>
      life.events.filter(({ reason }) => reason === "AnnotationIgnored").map(({ type, note }) => `${type} ${note}`);
    put(of, of.spec, { "baas.dev/reconcile-on": "noon" });
    expect(await life.settle(of.kind, "object")).toMatchObject({ kind: "done" });
    const message = "baas.dev/reconcile-on is not known and does nothing: did you mean baas.dev/reconcile-at?";
    expect(condition(of, "AnnotationIgnored")).toMatchObject({ status: "True", message });
    expect(condition(of, "Ready")).toMatchObject({ status: "True" });
    await life.run(of.kind, "object");
    expect(told()).toEqual([`Warning ${message}`]);
    put(of, of.spec);
    await life.run(of.kind, "object");
    expect(condition(of, "AnnotationIgnored")).toBeUndefined();
  });

  it("tells of it while it is paused, and while it cannot be deleted", async () => {
    await settled(of, { deletionPolicy: "Delete" });
    put(of, { ...of.spec, deletionPolicy: "Delete" }, { [annotations.paused]: "true", "baas.dev/relaese": "x" });
    await life.run(of.kind, "object");
    expect(condition(of, "AnnotationIgnored")).toMatchObject({ message: expect.stringContaining(annotations.release) });
    annotate(of, "baas.dev/relaese", "x");
    annotate(of, "baas.dev/paussed", "x");
    const operations = ["projects.delete", "branches.delete", "functions.delete", "secrets.delete"];
    const fault = { kind: "status", status: 500 } as const;
    for (const operation of operations) await theatre.emulator.control.faults.add({ operation, count: null, fault });
    remove();
    await life.run(of.kind, "object");
    expect(condition(of, "AnnotationIgnored")).toMatchObject({ message: expect.stringContaining("baas.dev/paussed") });
  });

  it("shows which policies hold, and who set them", async () => {
    await settled(of, { driftInterval: "1h" });
    expect(statusOf(of)["effective"]).toMatchObject({
      driftInterval: { value: "1h", origin: "Object" },
      driftPolicy: { value: "Correct", origin: "Default" },
    });
  });
});

describe("the deletion of a Project", () => {
  it("goes through the connection that reached it last, whatever its spec refers to by then", async () => {
    const [of] = kinds;
    await settled(of, { deletionPolicy: "Delete" });
    theatre.kubernetes.delete(of.plural, NAMESPACE, "object", theatre.clock.now());
    put(of, { ...of.spec, deletionPolicy: "Delete", connectionRef: { kind: "Connection", name: "nowhere" } });
    await life.settle(of.kind, "object");
    expect(theatre.kubernetes.get(of.plural, NAMESPACE, "object")).toBeUndefined();
    expect(await deletions()).toEqual(["projects.delete"]);
  });
});
