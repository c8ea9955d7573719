import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { NAMESPACE, openTheatre, type Theatre } from "../../../test/support/controllers/life.ts";
import { AT_ONCE } from "../../../test/support/controllers/shop.ts";
import { WholeOperator } from "../../../test/support/controllers/whole-operator.ts";
import { branchKind } from "../../resources/branch/kind.ts";
import { edgeFunctionKind } from "../../resources/edge-function/kind.ts";
import { projectKind } from "../../resources/project/kind.ts";
import { secretKind } from "../../resources/secret/kind.ts";
import { findCondition } from "../shared/conditions.ts";

/** Functions and secrets that name the default branch live in the project itself, beside those that name the project (engine.md §4: one owner of each). */

let theatre: Theatre;
let operator: WholeOperator;

const kinds = {
  projects: projectKind,
  branches: branchKind,
  edgefunctions: edgeFunctionKind,
  secrets: secretKind,
} as const;
type Plural = keyof typeof kinds;

const OF_PROJECT = { projectRef: { name: "shop" } };
const OF_DEFAULT = { branchRef: { name: "main" } };
const MAIN = { ...OF_PROJECT, name: "main", adoptionPolicy: "IfNameMatches" };

beforeEach(async () => {
  theatre = await openTheatre(AT_ONCE);
  operator = await WholeOperator.start(theatre);
  put("projects", "shop", { organization: "acme" });
  await pass(60_000);
  put("branches", "preview", OF_PROJECT); // the first branch makes the default one
  await pass(60_000);
  put("branches", "main", MAIN);
  await pass(60_000);
  const { isDefault, ref } = branchKind.parseStatus(theatre.kubernetes.get("branches", NAMESPACE, "main"));
  if (isDefault !== true || ref !== refOf()) throw new Error("main is no default branch");
  for (const name of ["one", "other"]) {
    const metadata = { name: `values-${name}`, namespace: NAMESPACE };
    theatre.kubernetes.put("secrets", { apiVersion: "v1", kind: "Secret", metadata, stringData: { TOKEN: name } });
  }
});

afterEach(async () => {
  await operator[Symbol.asyncDispose]();
  await theatre[Symbol.asyncDispose]();
});

function put(plural: Plural, name: string, spec: object, more: object = {}): void {
  const { kind } = kinds[plural].type;
  const metadata = { name, namespace: NAMESPACE, ...more };
  theatre.kubernetes.put(plural, { apiVersion: "baas.dev/v1alpha1", kind, metadata, spec });
}

async function pass(ms: number): Promise<void> {
  operator.look();
  await operator.advance(ms);
}

function refOf(): string {
  return projectKind.parseStatus(theatre.kubernetes.get("projects", NAMESPACE, "shop")).ref ?? "";
}

function ready(plural: Plural, name: string): object | undefined {
  const { conditions } = kinds[plural].parseStatus(theatre.kubernetes.get(plural, NAMESPACE, name));
  return findCondition(conditions, "Ready");
}

async function writes(): Promise<readonly string[]> {
  const { entries } = await theatre.emulator.control.log.read({});
  return entries.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`);
}

const children = [
  {
    what: "function",
    plural: "edgefunctions",
    spec: (name: string) => ({ slug: "hello", source: { inline: { files: { "index.ts": name } } } }),
    path: "functions",
  },
  {
    what: "secret",
    plural: "secrets",
    spec: (name: string) => ({ from: [{ secretRef: { name: `values-${name}` }, keys: [{ key: "TOKEN" }] }] }),
    path: "secrets",
  },
] as const;

const orders = [
  { first: OF_PROJECT, second: OF_DEFAULT, who: "of the Project before one of the default branch" },
  { first: OF_DEFAULT, second: OF_PROJECT, who: "of the default branch before one of the Project" },
];

describe.each(children)("of two objects for one $what", ({ plural, spec, path }) => {
  it.each(orders)("the first has it, and the other is told: $who", async ({ first, second }) => {
    put(plural, "one", { ...spec("one"), ...first });
    await pass(60_000);
    expect(ready(plural, "one")).toMatchObject({ status: "True" });
    const before = await writes();
    expect(before.some((each) => each.includes(`${refOf()}/${path}`))).toBe(true);
    put(plural, "other", { ...spec("other"), ...second });
    await pass(60_000);
    const message = expect.stringMatching(/belongs to .*one in namespace/u);
    expect(ready(plural, "other")).toMatchObject({ status: "False", reason: "Conflict", message });
    for (let check = 0; check < 3; check += 1) await pass(7_200_000);
    expect(await writes()).toEqual(before);
    theatre.kubernetes.delete(plural, NAMESPACE, "other");
    await pass(60_000);
    expect(await writes(), "the deletion of who does not own it").toEqual(before);
  });

  it.each(orders)("the older goes first where neither has it yet: $who", async ({ first, second }) => {
    const annotations = { "baas.dev/paused": "true" };
    put(plural, "one", { ...spec("one"), ...first }, { annotations, creationTimestamp: "2025-01-01T00:00:00Z" });
    put(plural, "other", { ...spec("other"), ...second });
    await pass(60_000);
    expect(ready(plural, "other")).toMatchObject({ status: "False", reason: "Conflict" });
    expect((await writes()).filter((each) => each.includes(`${refOf()}/${path}`))).toEqual([]);
  });

  it("the other has it once the first has gone, and deletes it as its own", async () => {
    put(plural, "one", { ...spec("one"), ...OF_PROJECT });
    await pass(60_000);
    put(plural, "other", { ...spec("other"), ...OF_DEFAULT });
    await pass(60_000);
    theatre.kubernetes.delete(plural, NAMESPACE, "one");
    await pass(1_200_000);
    expect(ready(plural, "other")).toMatchObject({ status: "True" });
    theatre.kubernetes.delete(plural, NAMESPACE, "other");
    await pass(60_000);
    expect(theatre.kubernetes.get(plural, NAMESPACE, "other")).toBeUndefined();
    expect((await writes()).at(-1)).toMatch(new RegExp(`^DELETE .*${refOf()}/${path}`, "u"));
  });
});
