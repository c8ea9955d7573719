import { expect, it } from "vitest";
import { type Life, NAMESPACE } from "../../test/support/controllers/life.ts";
import { lifeInEach } from "../../test/support/controllers/life-in-each.ts";
import { projectKind } from "../resources/project/kind.ts";

/**
 * engine.md §5, as docs/operations.md tells it (What was kept): a release or a file of manifests is deleted object by object, and children come before their
 * Project. Each goes as its own deletionPolicy says then, since nothing tells that its Project will be deleted too.
 */

const stage = lifeInEach();

const CHILDREN = [
  { kind: "Branch", plural: "branches", name: "preview", spec: {} },
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    name: "hello",
    spec: { source: { inline: { files: { "index.ts": "// one" } } } },
  },
  { kind: "Secret", plural: "secrets", name: "env", spec: { from: [{ secretRef: { name: "values" } }] } },
] as const;

/** A Project that stays, as is the default, and one child of each kind. */
async function apply(policy: object): Promise<void> {
  const { kubernetes } = stage.theatre;
  const put = (kind: string, plural: string, name: string, spec: object): void => {
    kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata: { name, namespace: NAMESPACE }, spec });
  };
  const metadata = { name: "values", namespace: NAMESPACE };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, data: { KEY: btoa("one") } });
  put("Project", "projects", "shop", { organization: "acme" });
  expect(await stage.life.settle("Project", "shop")).toMatchObject({ kind: "done" });
  for (const { kind, plural, name, spec } of CHILDREN) {
    put(kind, plural, name, { projectRef: { name: "shop" }, ...spec, ...policy });
    expect(await stage.life.settle(kind, name)).toMatchObject({ kind: "done" });
  }
}

/** Deletes objects in order, as whoever asks does, and lets the operator see each before the next. */
async function remove(objects: readonly { readonly kind: string; readonly plural: string; readonly name: string }[]) {
  for (const { kind, plural, name } of objects) {
    stage.theatre.kubernetes.delete(plural, NAMESPACE, name);
    await stage.life.settle(kind, name);
    expect(stage.theatre.kubernetes.get(plural, NAMESPACE, name)).toBeUndefined();
  }
}

const SHOP = { kind: "Project", plural: "projects", name: "shop" } as const;

/** What the platform has of it, beside the project, which must be there. */
async function left({ client }: Life, ref: string): Promise<object> {
  expect((await client.projects.list({})).map((one) => one.ref)).toContain(ref);
  return {
    branches: (await client.branches.list({ ref })).filter(({ is_default: isDefault }) => !isDefault).length,
    functions: (await client.functions.list({ ref })).length,
    secrets: (await client.secrets.list({ ref })).filter(({ name }) => name === "KEY").length,
  };
}

it.each([
  {
    why: "what is deleted before its Project goes, as its own deletionPolicy says by default",
    policy: {},
    order: [...CHILDREN, SHOP],
    stays: 0,
  },
  {
    why: "what says Retain itself stays, in whatever order",
    policy: { deletionPolicy: "Retain" },
    order: [...CHILDREN, SHOP],
    stays: 1,
  },
  {
    why: "what is deleted after its Project stays with it",
    policy: {},
    order: [SHOP, ...CHILDREN],
    stays: 1,
  },
])("of a release with a Project that is retained, $why", async ({ policy, order, stays }) => {
  await apply(policy);
  const { ref = "" } = projectKind.parseStatus(stage.theatre.kubernetes.get("projects", NAMESPACE, "shop"));
  expect(await left(stage.life, ref)).toEqual({ branches: 1, functions: 1, secrets: 1 });
  await remove(order);
  expect(await left(stage.life, ref)).toEqual({ branches: stays, functions: stays, secrets: stays });
});
