import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../test/support/controllers/life.ts";
import { AT_ONCE, unready } from "../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../test/support/controllers/whole-operator.ts";
import { annotations } from "../resources/annotations.ts";
import { projectKind } from "../resources/project/kind.ts";

/**
 * Somebody deletes a project on the platform: whoever is told so first tells the others that live in it, which would call themselves as declared until
 * their drift checks (engine.md §7), and what each of them then asks does not grow with their number (§3).
 */

const REF = "unmanagedprojectrefx";
/** Far less than any drift check is away, milliseconds. */
const SOON_MS = 15_000;
const HOUR_MS = 3_600_000;

let theatre: Theatre;
let operator: WholeOperator;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  await theatre.emulator.control.state.seed({ projects: [{ ref: REF, name: "unmanaged", organization: "acme" }] });
  operator = await WholeOperator.start(theatre);
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

const bare = { projectRef: { ref: REF } };
const inPreview = { branchRef: { name: "preview" } };
const source = { inline: { files: { "index.ts": "1" } } };

const KINDS = { projects: "Project", branches: "Branch", edgefunctions: "EdgeFunction", secrets: "Secret" } as const;

function put(plural: keyof typeof KINDS, name: string, spec: object, more: object = {}): void {
  const metadata = { name, namespace: NAMESPACE, ...more };
  const kind = KINDS[plural];
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function putSecret(name: string, spec: object): void {
  const metadata = { name: `values-${name}`, namespace: NAMESPACE };
  const stringData = { [name.toUpperCase().replaceAll("-", "_")]: "value" };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData });
  put("secrets", name, { ...spec, from: [{ secretRef: { name: metadata.name } }] });
}

async function settle(): Promise<void> {
  operator.look();
  await operator.advanceUntil(() => unready(theatre).length === 0);
  await operator.advance(SOON_MS);
}

/** Ready of an object: its status and reason. */
function readyOf(plural: string, name: string): string {
  const { conditions } = projectKind.parseStatus(theatre.kubernetes.get(plural, NAMESPACE, name));
  const ready = conditions.find(({ type }) => type === "Ready");
  return `${ready?.status ?? ""} ${ready?.reason ?? ""}`;
}

/** Has one object look, as its drift check would. */
async function lookAt(kind: string, name: string): Promise<void> {
  operator.environment.enqueue({ kind, namespace: NAMESPACE, name }, { lane: "drift" });
  await operator.advance(SOON_MS);
}

function clientOf() {
  const session = operator.environment.sessions.get(`Connection/${NAMESPACE}/default`);
  if (session === undefined) throw new Error("no session");
  return session.client;
}

async function callsIn(ms: number): Promise<number> {
  await theatre.emulator.control.log.clear({});
  await operator.advance(ms);
  return (await theatre.emulator.control.log.read({})).entries.length;
}

describe("a project that no object manages", () => {
  const gone = "False ReferenceNotFound";
  const never = { driftPolicy: "Ignore" };

  it.each(["EdgeFunction", "Secret", "Branch"])(
    "whatever else lives in it says so once its %s has looked",
    async (first) => {
      put("branches", "preview", { ...bare, ...never });
      put("edgefunctions", "hello", { ...bare, ...never, source });
      putSecret("env", { ...bare, ...never });
      put("edgefunctions", "in-preview", { ...inPreview, ...never, source });
      putSecret("values-in-preview", { ...inPreview, ...never });
      await settle();
      await theatre.emulator.control.projects.remove({ ref: REF });
      const name = { EdgeFunction: "hello", Secret: "env", Branch: "preview" }[first] ?? "";
      await operator.advance(SOON_MS);
      expect(readyOf("branches", "preview")).toBe("True Available");
      await operator.advance(HOUR_MS);
      await lookAt(first, name);
      expect(readyOf("edgefunctions", "hello")).toBe(gone);
      expect(readyOf("secrets", "env")).toBe(gone);
      expect(readyOf("branches", "preview")).toBe(gone);
      const stalled = "Unknown ParentStalled";
      expect([readyOf("edgefunctions", "in-preview"), readyOf("secrets", "values-in-preview")]).toEqual([
        stalled,
        stalled,
      ]);
    },
  );

  it("is asked for as often while it is gone, however many live in it", async () => {
    const calls: number[] = [];
    for (const count of [2, 20]) {
      for (let n = 0; n < count; n += 1) putSecret(`env-${n}`, bare);
      if (calls.length === 0) await settle();
      else operator.look();
      if (calls.length === 0) await theatre.emulator.control.projects.remove({ ref: REF });
      await operator.advance(HOUR_MS);
      calls.push(await callsIn(HOUR_MS));
    }
    expect(calls[1]).toBeLessThan(2 * (calls[0] ?? 0));
  });

  it("a single mistaken answer is found to be one, as all ask by themselves", async () => {
    for (const name of ["one", "two", "three"]) putSecret(name, bare);
    await settle();
    await operator.advance(HOUR_MS);
    await theatre.emulator.control.faults.add({
      operation: "secrets.list",
      fault: { kind: "status", status: 404, phase: "before" },
    });
    operator.environment.snapshots.of(clientOf(), REF).secrets.wrote(); // so that it is asked for
    await lookAt("Secret", "one");
    const said = ["one", "two", "three"].map((name) => readyOf("secrets", name));
    expect(said).toEqual(["True Available", "True Available", "True Available"]);
    const { entries } = await theatre.emulator.control.log.read({ operation: "secrets.list" });
    expect(entries.filter(({ status }) => status === 404)).toHaveLength(1);
  });

  it("one of its lists that answers so for long speaks for itself alone: what is read by others asks as often as ever", async () => {
    const fault = { kind: "status", status: 404, phase: "before" } as const;
    await theatre.emulator.control.faults.add({ operation: "functions.list", count: null, fault });
    const names = Array.from({ length: 10 }, (_, n) => `env-${n}`);
    for (const name of names) putSecret(name, bare);
    await settle();
    for (const name of ["hello", "bye"]) put("edgefunctions", name, { ...bare, source });
    operator.look();
    await operator.advance(HOUR_MS / 6);
    await theatre.emulator.control.log.clear({});
    const said = new Set<string>();
    for (let minute = 0; minute < 60; minute += 1) {
      await operator.advance(HOUR_MS / 60);
      for (const name of names) said.add(readyOf("secrets", name));
    }
    expect([...said]).toEqual(["True Available"]);
    expect(readyOf("edgefunctions", "hello")).toBe(gone);
    const { entries } = await theatre.emulator.control.log.read({ operation: "secrets.list" });
    expect(entries.length).toBeLessThanOrEqual(12);
  });

  it("what lives in it is as declared again once the token reads it again", async () => {
    for (const name of ["one", "two", "three"]) putSecret(name, { ...bare, ...never });
    await settle();
    const fault = { kind: "status", status: 404, phase: "before" } as const;
    const { faults } = theatre.emulator.control;
    await faults.add({ operation: "*", count: null, fault });
    await lookAt("Secret", "one");
    const said = (): readonly string[] => ["one", "two", "three"].map((name) => readyOf("secrets", name));
    expect(said()).toEqual([gone, gone, gone]);
    await faults.clear({});
    await operator.advance(HOUR_MS / 60 + SOON_MS);
    expect(said()).toEqual(["True Available", "True Available", "True Available"]);
    // That it is gone once more is news once more.
    await theatre.emulator.control.projects.remove({ ref: REF });
    await lookAt("Secret", "one");
    expect(said()).toEqual([gone, gone, gone]);
  });

  it("another one that is written in its place is asked by itself", async () => {
    putSecret("env", bare);
    await settle();
    await theatre.emulator.control.projects.remove({ ref: REF });
    await operator.advance(HOUR_MS);
    expect(readyOf("secrets", "env")).toBe(gone);
    const ref = `${REF.slice(0, -1)}y`;
    await theatre.emulator.control.state.seed({ projects: [{ ref, name: "b", organization: "acme" }] });
    put("secrets", "env", { projectRef: { ref }, from: [{ secretRef: { name: "values-env" } }] });
    await settle();
    expect(readyOf("secrets", "env")).toBe("True Available");
  });
});

describe("a project of an object", () => {
  it.each(["EdgeFunction", "Secret", "Branch"])(
    "its Project, and all in it, say so once its %s has looked",
    async (first) => {
      const never = { driftPolicy: "Ignore" };
      const inShop = { projectRef: { name: "shop" }, ...never };
      put("projects", "shop", { organization: "acme", ...never });
      put("branches", "preview", inShop);
      put("edgefunctions", "hello", { ...inShop, source });
      putSecret("env", inShop);
      put("edgefunctions", "in-preview", { ...inPreview, ...never, source });
      await settle();
      const { ref = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
      await theatre.emulator.control.projects.remove({ ref });
      await operator.advance(HOUR_MS);
      expect(readyOf("projects", "shop")).toBe("True Available");
      await lookAt(first, { EdgeFunction: "hello", Secret: "env", Branch: "preview" }[first] ?? "");
      expect(readyOf("projects", "shop")).toBe("False RemoteMissing");
      const stalled = "Unknown ParentStalled";
      const children = [
        readyOf("branches", "preview"),
        readyOf("edgefunctions", "hello"),
        readyOf("secrets", "env"),
        readyOf("edgefunctions", "in-preview"),
      ];
      expect(children).toEqual([stalled, stalled, stalled, stalled]);
    },
  );

  it("one that is let be made again is there again with all in it", async () => {
    put("projects", "shop", { organization: "acme" });
    putSecret("env", { projectRef: { name: "shop" } });
    await settle();
    const { ref = "" } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
    await theatre.emulator.control.projects.remove({ ref });
    await lookAt("Secret", "env");
    const { annotations: noted } = theatre.kubernetes.get("projects", NAMESPACE, "shop")?.metadata ?? {};
    put("projects", "shop", { organization: "acme" }, { annotations: { ...noted, [annotations.recreate]: ref } });
    await settle();
    expect(readyOf("secrets", "env")).toBe("True Available");
  });
});
