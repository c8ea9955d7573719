import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { crds } from "./crds.ts";
import type { StructuralSchema } from "./structural.ts";

const schemaNode = z.custom<StructuralSchema>((value) => typeof value === "object" && value !== null);

/** The part of a definition that these tests look at; reading it is already a check of its shape. */
const definitionSchema = z.object({
  apiVersion: z.literal("apiextensions.k8s.io/v1"),
  metadata: z.strictObject({ name: z.string() }),
  spec: z.object({
    group: z.literal("baas.dev"),
    names: z.object({
      kind: z.string(),
      plural: z.string(),
      shortNames: z.array(z.string()),
      categories: z.array(z.string()),
    }),
    scope: z.enum(["Namespaced", "Cluster"]),
    versions: z.tuple([
      z.object({
        name: z.literal("v1alpha1"),
        served: z.literal(true),
        storage: z.literal(true),
        schema: z.object({ openAPIV3Schema: schemaNode }),
        subresources: z.object({ status: z.strictObject({}) }),
        additionalPrinterColumns: z.array(z.looseObject({ name: z.string(), jsonPath: z.string() })),
        selectableFields: z.array(z.object({ jsonPath: z.string() })).optional(),
      }),
    ]),
  }),
});

const files = [...(await crds.files())].map(([path, text]) => ({
  path,
  text,
  definition: definitionSchema.parse(parse(text)),
}));
const byKind = new Map(files.map((file) => [file.definition.spec.names.kind, file]));

function rootOf(kind: string): StructuralSchema {
  const file = byKind.get(kind);
  if (file === undefined) throw new Error(`no definition of ${kind}`);
  return file.definition.spec.versions[0].schema.openAPIV3Schema;
}

/** The schema at a path such as `spec.region.code`. */
function at(kind: string, path: string): StructuralSchema {
  return path.split(".").reduce((node, name) => {
    const next = node.properties?.[name];
    if (next === undefined) throw new Error(`${kind} has no ${path}`);
    return next;
  }, rootOf(kind));
}

interface Visited {
  readonly path: string;
  readonly node: StructuralSchema;
}

function pathOf({ path }: Visited): string {
  return path;
}

function visit(node: StructuralSchema, path: string): readonly Visited[] {
  const children = Object.entries(node.properties ?? {}).flatMap(([name, child]) => visit(child, `${path}.${name}`));
  const items = node.items === undefined ? [] : visit(node.items, `${path}[]`);
  const values = node.additionalProperties === undefined ? [] : visit(node.additionalProperties, `${path}{}`);
  return [{ path, node }, ...children, ...items, ...values];
}

const fields = files.flatMap(({ definition }) =>
  visit(definition.spec.versions[0].schema.openAPIV3Schema, definition.spec.names.kind),
);

describe("every definition", () => {
  test("has a file of its own, named after its group and plural", () => {
    expect(files.map(({ path }) => path)).toEqual([
      "crds/baas.dev_connections.yaml",
      "crds/baas.dev_clusterconnections.yaml",
      "crds/baas.dev_projects.yaml",
      "crds/baas.dev_branches.yaml",
      "crds/baas.dev_edgefunctions.yaml",
      "crds/baas.dev_secrets.yaml",
    ]);
  });

  test.each(files)("$path is small enough for client-side apply", ({ text }) => {
    expect(Buffer.byteLength(text)).toBeLessThan(250 * 1024);
  });

  test("says first how it is written of what may be a number or text, which kubectl explain shows as <Object>", () => {
    const either = fields.filter(({ node }) => node["x-kubernetes-int-or-string"] === true);
    expect(either.length).toBeGreaterThan(20);
    const unsaid = either.filter(({ node }) => !/^A (size|duration|whole number)\b/u.test(node.description ?? ""));
    expect(unsaid.map(pathOf)).toEqual([]);
  });

  test("has words for every text that must match a pattern, which is nothing that people read", () => {
    const patterned = fields.filter(({ path, node }) => path.includes(".spec") && node["pattern"] !== undefined);
    const wordless = patterned.filter(
      ({ node }) => !JSON.stringify(node["x-kubernetes-validations"] ?? []).includes("self.matches("),
    );
    expect(wordless.map(pathOf)).toEqual([]);
  });

  test.each(files)("$path is in the category baas, and only ClusterConnection is cluster-scoped", ({ definition }) => {
    const { names, scope } = definition.spec;
    expect(names.categories).toEqual(["baas"]);
    expect(scope).toBe(names.kind === "ClusterConnection" ? "Cluster" : "Namespaced");
    expect(definition.metadata.name).toBe(`${names.plural}.baas.dev`);
  });

  test("no short name stands for two kinds", () => {
    const short = files.flatMap(({ definition }) => definition.spec.names.shortNames);
    expect(new Set(short).size).toBe(short.length);
    expect(short).toEqual(expect.arrayContaining(["bproj", "bbr", "bfn", "bsec"]));
  });

  test.each(files)("$path: a new object is not taken for a reconciled one", ({ definition }) => {
    expect(at(definition.spec.names.kind, "status")["default"]).toEqual({ observedGeneration: -1 });
  });

  test.each(files)("$path shows Ready, Reason and Age, in this order", ({ definition }) => {
    const names = definition.spec.versions[0].additionalPrinterColumns.map(({ name }) => name);
    expect(names.slice(0, 2)).toEqual(["Ready", "Reason"]);
    expect(names.slice(-2)).toEqual(["Age", "Message"]);
  });

  test.each(files)("$path: columns and selectable fields point at fields that exist", ({ definition }) => {
    const { kind } = definition.spec.names;
    const [version] = definition.spec.versions;
    const columns = version.additionalPrinterColumns.map(({ jsonPath }) => jsonPath);
    const simple = columns.filter((path) => !path.includes("[") && !path.startsWith(".metadata"));
    const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath);
    expect(simple.filter((path) => at(kind, path.slice(1)).type === undefined)).toEqual([]);
    expect(selectable.filter((path) => at(kind, path.slice(1)).type !== "string")).toEqual([]);
  });
});

describe("every field", () => {
  const named = fields.filter(({ path }) => !/(\[\]|\{\})$/.test(path) && !/^\w+\.metadata$/.test(path));

  test("has a description that ends as a sentence, for kubectl explain", () => {
    const without = named.filter(({ node }) => !/^.{10,}\.$/s.test(node.description ?? ""));
    expect(without.map(pathOf)).toEqual([]);
  });

  test("is structural: one type, and nothing that the apiserver refuses", () => {
    const refused = [
      "$ref",
      "anyOf",
      "allOf",
      "oneOf",
      "not",
      "const",
      "propertyNames",
      "definitions",
      "title",
      "examples",
    ];
    const isTyped = ({ node }: (typeof fields)[number]): boolean =>
      (node.type === undefined) === (node["x-kubernetes-int-or-string"] === true);
    const wrong = fields.filter((field) => !isTyped(field) || refused.some((key) => key in field.node));
    expect(wrong.map(pathOf)).toEqual([]);
    const both = fields.filter(({ node }) => node.properties !== undefined && node.additionalProperties !== undefined);
    expect(both.map(pathOf)).toEqual([]);
  });

  test("is bounded where people write it, so that rules over it stay affordable", () => {
    const spec = fields.filter(({ path }) => /^\w+\.spec\b/.test(path));
    const texts = spec.filter(({ node }) => node.type === "string" && node["enum"] === undefined);
    const unbounded = texts.filter(({ node }) => node["maxLength"] === undefined);
    const lists = spec.filter(({ node }) => node.type === "array" && node["maxItems"] === undefined);
    const maps = spec.filter(
      ({ node }) => node.additionalProperties !== undefined && node["maxProperties"] === undefined,
    );
    expect([...unbounded, ...lists, ...maps].map(pathOf)).toEqual([]);
  });

  test("of a list says how it is merged, and the keys of a map list are required", () => {
    const lists = fields.filter(({ node }) => node.type === "array");
    const kept = ["set", "map", "atomic"];
    expect(lists.filter(({ node }) => !kept.includes(String(node["x-kubernetes-list-type"]))).map(pathOf)).toEqual([]);

    const maps = lists.filter(({ node }) => node["x-kubernetes-list-type"] === "map");
    const words = z.array(z.string());
    const lacking = maps.filter(({ node }) => {
      const required = words.parse(node.items?.["required"]);
      return !words.parse(node["x-kubernetes-list-map-keys"]).every((key) => required.includes(key));
    });
    expect(lacking.map(pathOf)).toEqual([]);
  });

  test("with a rule has a message that says what to write, not what the rule is", () => {
    const rules = z.array(z.object({ rule: z.string(), message: z.string().min(20) }));
    const given = fields.flatMap(({ path, node }) =>
      rules.parse(node["x-kubernetes-validations"] ?? []).map((rule) => ({ path, ...rule })),
    );
    expect(given.length).toBeGreaterThan(50);
    expect(given.filter(({ message }) => /self\.|oldSelf|has\(/.test(message)).map(({ path }) => path)).toEqual([]);
  });

  test("with a pattern has a rule too, since the apiserver's own message is the bare expression", () => {
    const bare = fields.filter(
      ({ node }) => node["pattern"] !== undefined && node["x-kubernetes-validations"] === undefined,
    );
    expect(bare.map(pathOf)).toEqual([]);
  });
});

describe("the platform's limits (facts.md §2)", () => {
  test.each([
    { kind: "Project", path: "spec.name", limit: { maxLength: 256 } },
    { kind: "Project", path: "spec.ref", limit: { pattern: "^[a-z]{20}$" } },
    { kind: "Project", path: "spec.organization", limit: { pattern: "^[A-Za-z0-9_-]+$" } },
    { kind: "Project", path: "spec.region.group", limit: { enum: ["americas", "emea", "apac"] } },
    { kind: "Project", path: "spec.state", limit: { enum: ["Running", "Paused"] } },
    { kind: "Project", path: "spec.deletionPolicy", limit: { default: "Retain" } },
    { kind: "Project", path: "spec.provisioningTimeout", limit: { default: "30m" } },
    { kind: "Project", path: "spec.deletionTimeout", limit: { default: "15m" } },
    { kind: "Branch", path: "spec.name", limit: { minLength: 1 } },
    { kind: "EdgeFunction", path: "spec.slug", limit: { pattern: "^[A-Za-z][A-Za-z0-9_-]*$" } },
    { kind: "EdgeFunction", path: "spec.verifyJwt", limit: { default: true } },
    { kind: "EdgeFunction", path: "spec.entrypoint", limit: { default: "index.ts" } },
    { kind: "EdgeFunction", path: "spec.deletionPolicy", limit: { default: "Delete" } },
    { kind: "Secret", path: "spec.deletionPolicy", limit: { default: "Delete" } },
    { kind: "Connection", path: "spec.reservedSecretPrefix", limit: { default: "PLATFORM_" } },
  ])("$kind $path: $limit", ({ kind, path, limit }) => {
    expect(at(kind, path)).toMatchObject(limit);
  });

  test("regions and sizes are those of the platform; only a branch may be pico", () => {
    const words = (kind: string, path: string): readonly string[] => z.array(z.string()).parse(at(kind, path)["enum"]);
    expect(words("Project", "spec.region.code")).toHaveLength(18);
    expect(words("Branch", "spec.region.code")).toEqual(words("Project", "spec.region.code"));
    expect(words("Branch", "spec.instanceSize")).toEqual(["pico", ...words("Project", "spec.instanceSize")]);
  });

  test.each(["Project", "Branch", "EdgeFunction", "Secret"])(
    "%s: what a connection or the operator may set has no default (engine.md §6)",
    (kind) => {
      const inheritable = ["driftPolicy", "managementPolicy", "driftInterval"];
      expect(inheritable.map((name) => at(kind, `spec.${name}`)["default"])).toEqual([undefined, undefined, undefined]);
    },
  );

  test("a branch has no default for what would change an adopted one, nor for its deletion, which depends on it", () => {
    const dependent = ["persistent", "withData", "deletionPolicy"];
    expect(dependent.map((name) => at("Branch", `spec.${name}`)["default"])).toEqual([undefined, undefined, undefined]);
  });
});
