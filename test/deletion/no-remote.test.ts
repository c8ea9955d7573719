import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../support/controllers/life.ts";
import { AT_ONCE } from "../support/controllers/shop.ts";

/** An object that never had anything remote leaves no finalizer (engine.md §5): its deletion ends, and asks for none of the platform. */

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
});

afterEach(() => theatre[Symbol.asyncDispose]());

const projectRef = { name: "shop" };
const rows = [
  { kind: "Project", plural: "projects", operation: "projects.create", spec: { organization: "acme" } },
  { kind: "Branch", plural: "branches", operation: "branches.create", spec: { projectRef, name: "preview" } },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    operation: "functions.deploy",
    spec: { projectRef, source: { inline: { files: { "index.ts": "// nothing" } } } },
  },
  {
    kind: "Secret",
    plural: "secrets",
    operation: "secrets.create",
    spec: { projectRef, from: [{ secretRef: { name: "values" } }] },
  },
] as const;

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function putValues(): void {
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "1" } });
}

/** Deletes an object and lets it come to rest. @returns the deletions that the platform was asked for, or undefined where it stays */
async function deletions(kind: string, plural: string): Promise<readonly string[] | undefined> {
  const { clock, emulator, kubernetes } = theatre;
  await emulator.control.log.clear();
  kubernetes.delete(plural, NAMESPACE, "object", clock.now());
  await life.settle(kind, "object");
  if (kubernetes.get(plural, NAMESPACE, "object") !== undefined) return undefined;
  const { entries } = await emulator.control.log.read();
  const accepted = entries.filter(({ method, status }) => method === "DELETE" && (status ?? 0) < 300);
  return accepted.map(({ path }) => path);
}

describe("an object that never had anything remote", () => {
  it.each(rows)("goes, since what it stands for was refused: $kind", async ({ kind, plural, operation, spec }) => {
    const { control } = theatre.emulator;
    if (kind !== "Project") {
      put("Project", "projects", "shop", { organization: "acme" });
      await life.settle("Project", "shop");
    }
    putValues();
    await control.faults.add({ operation, count: null, fault: { kind: "status", status: 400 } });
    put(kind, plural, "object", spec);
    expect(await life.settle(kind, "object")).toMatchObject({ kind: "terminal" });
    expect(await deletions(kind, plural)).toEqual([]);
  });

  it.each(rows)("goes, since what it needs was never there: $kind", async ({ kind, plural, spec }) => {
    put(kind, plural, "object", { ...spec, ...(kind === "Project" ? { connectionRef: { name: "none" } } : {}) });
    expect(await life.run(kind, "object")).toMatchObject({ kind: "waiting" });
    expect(await deletions(kind, plural)).toEqual([]);
  });
});
