import fc from "fast-check";
import { edgeFunctionSpec } from "../../../src/resources/edge-function/spec.ts";
import { secretSpec } from "../../../src/resources/secret/spec.ts";
import { VALUES } from "./declared.ts";
import { accepted, type NotDrawn } from "./valid-specs.ts";
import type { Spec } from "./whole-spec.ts";

/** Specs of what lives in a project that a platform can carry out, drawn from the schema of the kind. */

const OF_BOTH: NotDrawn = {
  "projectRef.ref": { because: "is refused beside the name", test: "src/resources/references.test.ts" },
  branchRef: { because: "is refused beside projectRef", test: "src/resources/references.test.ts" },
  connectionRef: { because: "is refused beside the name of a Project", test: "src/resources/references.test.ts" },
};

/** What is not drawn of them. */
export const NOT_DRAWN_OF_CHILDREN: Readonly<Record<"EdgeFunction" | "Secret", NotDrawn>> = {
  EdgeFunction: {
    ...OF_BOTH,
    "source.artifactRef": {
      because: "needs a source of Flux, and who serves it",
      test: "test/e2e/function-from-flux.e2e.test.ts",
    },
  },
  Secret: OF_BOTH,
};

const PARENT = { projectRef: { name: "shop" } };
// Under Observe nothing is written.
const managementPolicy = fc.constant("Manage");

const FILES = { "index.ts": "// index", "lib/main.ts": "// main", "maps.json": "{}", "static/a.html": "<p>" };

const inline = fc.constant({ files: FILES });
const configMapRef = fc.constant({
  name: VALUES,
  keys: [{ key: "index.ts" }, { key: "main", path: "lib/main.ts" }, { key: "deno.json", path: "maps.json" }],
});

export const validFunctions: fc.Arbitrary<Spec> = accepted(edgeFunctionSpec, {
  notDrawn: NOT_DRAWN_OF_CHILDREN.EdgeFunction,
  given: { ...PARENT, source: { inline: { files: FILES } } },
  own: {
    managementPolicy,
    source: fc.oneof(fc.record({ inline }), fc.record({ configMapRef })),
    slug: fc.constantFrom("hello", "Hello_2"),
    entrypoint: fc.constantFrom("index.ts", "lib/main.ts"),
    importMap: fc.constant("maps.json"),
    inlineImportMap: fc.record(
      { imports: fc.constant({ a: "https://example.com/a.ts" }), scopes: fc.constant({ "./lib/": { b: "./c.ts" } }) },
      { requiredKeys: [] },
    ),
    staticPatterns: fc.constantFrom(["static/*.html"], ["./static/*", "lib/*.ts"]),
  },
});

const key = fc.constantFrom("ALPHA", "BETA", "GAMMA");
const keys = fc
  .uniqueArray(fc.record({ key, isOther: fc.boolean() }), { minLength: 1, maxLength: 3, selector: (one) => one.key })
  .map((all) => all.map((one) => (one.isOther ? { key: one.key, as: `of_${one.key}` } : { key: one.key })));
const from = fc
  .array(fc.record({ keys }, { requiredKeys: [] }), { minLength: 1, maxLength: 3 })
  // A name that two entries give is refused.
  .map((all) =>
    all.map((one, nth) => ({ ...one, secretRef: { name: VALUES }, ...(nth === 0 ? {} : { prefix: `P${nth}_` }) })),
  );

export const validSecrets: fc.Arbitrary<Spec> = accepted(secretSpec, {
  notDrawn: NOT_DRAWN_OF_CHILDREN.Secret,
  given: { ...PARENT, from: [{ secretRef: { name: VALUES } }] },
  own: { managementPolicy, from },
});
