import { describe, expect, it } from "vitest";
import { type KindName, least } from "../../../test/support/crds/manifest.ts";
import { projectKind } from "../project/kind.ts";
import { type SchemaNode, specSchema } from "../../../test/support/crds/schema-node.ts";

/** Every name of another object in every definition: what no object can be called is refused as it is applied, and waited for by nobody. */

/** The expression of a rule over a text alone. */
const MATCHES = /^self\.matches\((?<quote>['"])(?<form>.*)\k<quote>\)$/u;

function formsOf({ pattern, "x-kubernetes-validations": rules = [] }: SchemaNode): readonly RegExp[] {
  const ruled = rules.flatMap(({ rule }) => MATCHES.exec(rule)?.groups?.["form"] ?? []);
  return [...(pattern === undefined ? [] : [pattern]), ...ruled.map((form) => form.replaceAll("\\\\", "\\"))].map(
    (form) => new RegExp(form, "u"),
  );
}

/** `name` of what is called a reference or selects a key, and members that are called a name of a Secret. */
function namesIn(node: SchemaNode, path: string): readonly (readonly [string, SchemaNode])[] {
  const members = Object.entries(node.properties ?? {}).flatMap(([name, member]) => {
    const at = `${path}.${name}`;
    const isName = (name === "name" && path.endsWith("Ref")) || name === "secretName";
    return isName ? [[at, member] as const] : namesIn(member, at);
  });
  return [...members, ...(node.items === undefined ? [] : namesIn(node.items, path))];
}

const kinds = Object.keys(least) as readonly KindName[]; // the keys of a record over KindName
const names = kinds.flatMap((kind) =>
  namesIn(specSchema(kind), `${kind}.spec`).map(([path, node]) => ({ path, forms: formsOf(node) })),
);

const NONE = ["..", ".", "-", "a..b", "-a", "a-", ".a", "a.", "a.-b", "a-.b", "A", "a_b", "a/b", ""];
const SOME = ["a", "0", "a-b", "a--b", "a.b", "a-1.b--2.c", "x".repeat(253)];

describe("the name of another object", () => {
  it("is found in every definition", () => {
    expect(kinds.filter((kind) => !names.some(({ path }) => path.startsWith(`${kind}.`)))).toEqual([]);
    expect(names.length).toBeGreaterThan(100);
  });

  it.each(NONE)("is not %j", (name) => {
    expect(names.filter(({ forms }) => forms.every((form) => form.test(name))).map(({ path }) => path)).toEqual([]);
  });

  it.each(NONE)("is not %j for the operator either, of an object that was stored under other rules", (name) => {
    const read = projectKind.parse({
      apiVersion: "baas.dev/v1alpha1",
      kind: "Project",
      metadata: { name: "shop", namespace: "test", uid: "u", resourceVersion: "1" },
      spec: { organization: "acme", auth: { captcha: { secret: { secretKeyRef: { name } } } } },
    });
    const refused = read.ok ? (read.object.refused?.get("auth") ?? []) : [];
    expect(refused.map(({ path }) => path)).toContain("spec.auth.captcha.secret.secretKeyRef.name");
  });

  it.each(SOME.map((name) => ({ name, shown: name.slice(0, 20) })))("may be $shown", ({ name }) => {
    expect(names.filter(({ forms }) => !forms.every((form) => form.test(name))).map(({ path }) => path)).toEqual([]);
  });
});
