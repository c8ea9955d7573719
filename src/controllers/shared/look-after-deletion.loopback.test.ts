import { expect, it } from "vitest";
import { askedInEach } from "../../../test/support/controllers/asked-in-each.ts";
import { NAMESPACE } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";

/** A deletion that the platform agreed to is looked after: what is still there then holds its object (engine.md §5). */

const asked = askedInEach(AT_ONCE);

/** What there is of the shop, by the plural of its objects. */
async function remote(): Promise<Readonly<Record<string, readonly string[]>>> {
  const { projects } = await asked.theatre.emulator.control.state.read({});
  return {
    edgefunctions: projects.flatMap(({ functions }) => functions.map(({ slug }) => slug)),
    secrets: projects.flatMap(({ secrets }) => secrets.filter(({ platform }) => !platform).map(({ name }) => name)),
  };
}

const projectRef = { name: "shop" };

it.each([
  {
    kind: "EdgeFunction",
    plural: "edgefunctions",
    spec: { projectRef, source: { inline: { files: { "index.ts": "// nothing" } } } },
    deleting: "functions.delete",
    remotely: ["x"],
  },
  {
    kind: "Secret",
    plural: "secrets",
    spec: { projectRef, from: [{ secretRef: { name: "values" } }] },
    deleting: "secrets.delete",
    remotely: ["A", "B"],
  },
])("of a $kind whose thing does not go at once", async ({ kind, plural, spec, deleting, remotely }) => {
  const life = await asked.withShop();
  const { kubernetes, emulator } = asked.theatre;
  const values = { name: "values", namespace: NAMESPACE };
  const stringData = { A: "1", B: "2" };
  kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata: values, stringData });
  const metadata = { name: "x", namespace: NAMESPACE };
  kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
  await life.settle(kind, "x");
  const fault = { kind: "status", status: 200, body: {}, phase: "before" } as const;
  await emulator.control.faults.add({ operation: deleting, count: 1, fault });
  kubernetes.delete(plural, NAMESPACE, "x");
  expect(await life.run(kind, "x")).toMatchObject({ kind: "waiting", reason: "Deleting" });
  expect((await remote())[plural]).toEqual(remotely);
  await life.settle(kind, "x");
  expect(kubernetes.get(plural, NAMESPACE, "x")).toBeUndefined();
  expect((await remote())[plural]).toEqual([]);
});
