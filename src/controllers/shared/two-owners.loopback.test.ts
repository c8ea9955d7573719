import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Life, NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import type { ApiClient } from "../../api/client.ts";
import { projectKind } from "../../resources/project/kind.ts";

/** engine.md §4: one owner per remote thing. The others' deletion touches nothing remote; what is there and was not ours is not written over. */

const projectRef = { name: "shop" };
const source = { inline: { files: { "index.ts": "// ours" } } };
const from = [{ secretRef: { name: "values" } }];

const kinds = [
  { kind: "Project", plural: "projects", spec: { organization: "acme", name: "both" } },
  { kind: "Branch", plural: "branches", spec: { projectRef, name: "both" } },
  { kind: "EdgeFunction", plural: "edgefunctions", spec: { projectRef, slug: "both", source } },
  { kind: "Secret", plural: "secrets", spec: { projectRef, from } },
] as const;

let theatre: Theatre;
let life: Life;

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  life = await theatre.life();
  const metadata = { name: "values", namespace: NAMESPACE };
  theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { A: "ours" } });
  put("Project", "projects", "shop", { organization: "acme" });
  await life.settle("Project", "shop");
});

afterEach(() => theatre[Symbol.asyncDispose]());

function put(kind: string, plural: string, name: string, spec: object): void {
  const metadata = { name, namespace: NAMESPACE };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

function place(): { readonly client: ApiClient; readonly ref: string } {
  const { ref } = projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  if (ref === undefined) throw new Error("the project is not there");
  return { client: life.client, ref };
}

/** Names of all that is there remotely, by what it is. */
async function there(): Promise<object> {
  const { client, ref } = place();
  const named = (items: readonly { readonly name: string }[]): readonly string[] => items.map(({ name }) => name);
  const { projects } = await theatre.emulator.control.state.read({});
  return {
    projects: projects.map(({ name }) => name),
    branches: named(await client.branches.list({ ref })),
    functions: named(await client.functions.list({ ref })),
    secrets: named(await client.secrets.list({ ref })),
  };
}

describe("two objects that are recorded for one thing, as after a restored backup or an adoption by both", () => {
  it.each(kinds)("the younger $kind goes alone, and the older one takes the thing along", async (of) => {
    const { kind, plural, spec } = of;
    const policy = { ...spec, deletionPolicy: "Delete" };
    put(kind, plural, "older", policy);
    expect(await life.settle(kind, "older")).toMatchObject({ kind: "done" });
    const older = theatre.kubernetes.get(plural, NAMESPACE, "older");
    if (older === undefined) throw new Error("the older one is not there");
    const uid = "younger";
    theatre.kubernetes.put(plural, {
      ...older,
      metadata: {
        uid,
        name: "younger",
        namespace: NAMESPACE,
        creationTimestamp: "2026-02-01T00:00:00Z",
        finalizers: older.metadata.finalizers,
      },
      status: { ...(older["status"] as object), recordedFor: uid },
    });
    const before = await there();

    theatre.kubernetes.delete(plural, NAMESPACE, "younger", theatre.clock.now());
    await life.settle(kind, "younger");
    expect(theatre.kubernetes.get(plural, NAMESPACE, "younger")).toBeUndefined();
    expect(await there()).toEqual(before);

    theatre.kubernetes.delete(plural, NAMESPACE, "older", theatre.clock.now());
    await life.settle(kind, "older");
    expect(theatre.kubernetes.get(plural, NAMESPACE, "older")).toBeUndefined();
    expect(await there()).not.toEqual(before);
  });
});

describe("what is there and was made by somebody else", () => {
  it("is no function to be replaced, unless adoptionPolicy asks for it", async () => {
    const { client, ref } = place();
    const files = [{ path: "index.ts", content: "// theirs" }];
    const metadata = { entrypoint_path: "index.ts", verify_jwt: true };
    await client.functions.deploy({ ref, slug: "both", body: { metadata, files } });
    const before = await client.functions.list({ ref });
    put("EdgeFunction", "edgefunctions", "ours", { projectRef, slug: "both", source });
    expect(await life.settle("EdgeFunction", "ours")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    expect(await client.functions.list({ ref })).toEqual(before);

    put("EdgeFunction", "edgefunctions", "ours", { projectRef, slug: "both", source, adoptionPolicy: "IfNameMatches" });
    expect(await life.settle("EdgeFunction", "ours")).toMatchObject({ kind: "done" });
    expect(await client.functions.list({ ref })).not.toEqual(before);
  });

  it("is no secret to be set, unless adoptionPolicy asks for it", async () => {
    const { client, ref } = place();
    await client.secrets.create({ ref, body: [{ name: "A", value: "theirs" }] });
    const before = await client.secrets.list({ ref });
    put("Secret", "secrets", "ours", { projectRef, from });
    expect(await life.settle("Secret", "ours")).toMatchObject({ kind: "terminal", reason: "Conflict" });
    expect(await client.secrets.list({ ref })).toEqual(before);

    put("Secret", "secrets", "ours", { projectRef, from, adoptionPolicy: "IfNameMatches" });
    expect(await life.settle("Secret", "ours")).toMatchObject({ kind: "done" });
    expect(await client.secrets.list({ ref })).not.toEqual(before);
  });
});
