import { describe, expect, it } from "vitest";
import { authConfigRows } from "../../src/api/contract/auth-config-fields.ts";
import { parse } from "yaml";
import { conditionTypes, reasons } from "../../src/resources/conditions.ts";
import { durationPattern } from "../../src/resources/duration.ts";
import { kinds } from "../../src/resources/kinds.ts";
import { crds } from "./crds.ts";
import { describeType, escapeText, fieldsOf, rulesOf, table } from "./reference-schema.ts";
import { kindPage, reference } from "./reference.ts";
import type { StructuralSchema } from "./structural.ts";
import { toStructural } from "./structural.ts";

const files = await reference.files();

function page(name: string): string {
  return files.get(`docs/reference/${name}`) ?? "";
}

interface Described {
  readonly name: string;
  readonly words: string;
}

/** Every `name: {description}` below spec and status of a definition in crds/, found without the code under test. */
async function describedFields(plural: string): Promise<readonly Described[]> {
  const definition: unknown = parse((await crds.files()).get(`crds/baas.dev_${plural}.yaml`) ?? "");
  const found: Described[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    if (typeof node !== "object" || node === null) return;
    const name = path.at(-2) === "properties" && path.length > 8 ? path.at(-1) : undefined;
    if (name !== undefined && "description" in node) found.push({ name, words: String(node.description) });
    for (const [key, value] of Object.entries(node)) visit(value, [...path, key]);
  };
  visit(definition, []);
  return found;
}

describe("the pages", () => {
  it("are one for each kind, named after it, with the index, the conditions and the operations beside them", () => {
    const names = [
      "README.md",
      ...kinds.map(({ singular }) => `${singular}.md`),
      "conditions.md",
      "sections.md",
      "settings.md",
      "operations.md",
    ];
    expect([...files.keys()]).toEqual(names.map((name) => `docs/reference/${name}`));
  });

  it.each(kinds)("$type.kind: shows each field that its definition has, with its words", async (kind) => {
    const text = kindPage(kind);
    const described = await describedFields(kind.type.plural);
    const missing = described.filter(
      ({ name, words }) =>
        !text.split("\n").some((line) => line.includes(`${name}\` | `) && line.includes(escapeText(words))),
    );
    expect(missing).toEqual([]);
    expect(described.length).toBeGreaterThan(15);
  });

  it.each(kinds)("$type.kind: says every message with which the apiserver refuses a manifest", (kind) => {
    const messages = [...kind.validations, ...rulesOf(toStructural(kind.spec, "spec"))].map(({ message }) => message);
    const text = kindPage(kind);
    expect(messages.filter((message) => !text.includes(`${escapeText(message)}\n`))).toEqual([]);
    expect(messages.length).toBeGreaterThan(3);
  });

  it.each(kinds)("$type.kind: has tables whose rows are as wide as their heads", (kind) => {
    const tables = kindPage(kind).matchAll(/(?:^\|.*\n)+/gmu);
    for (const [rows] of tables) {
      const widths = rows
        .trim()
        .split("\n")
        .map((row) => row.split(/(?<!\\)\|/u).length);
      expect(new Set(widths).size).toBe(1);
    }
  });

  it.each(kinds)("$type.kind: say of which type each field is", (kind) => {
    const cells = kindPage(kind)
      .split("\n")
      .map((row) => row.split(/(?<!\\)\|/u).map((cell) => cell.trim()))
      .filter(({ length }) => length > 4);
    expect(cells.filter(([, field, type]) => field?.startsWith("`") === true && type === "")).toEqual([]);
    expect(cells.length).toBeGreaterThan(15);
  });

  it("name every condition type and reason", () => {
    const words = [...Object.values(conditionTypes), ...Object.values(reasons)];
    expect(words.filter((word) => !page("conditions.md").includes(`| \`${word}\` | `))).toEqual([]);
  });

  it("are found from the index", () => {
    expect(kinds.filter((kind) => !page("README.md").includes(`(${kind.singular}.md)`))).toEqual([]);
  });
});

describe("a type in a few words", () => {
  it.each<{ node: StructuralSchema; words: string }>([
    { node: { type: "boolean" }, words: "boolean" },
    { node: { type: "string", enum: ["a", "b"] }, words: "`a`, `b`" },
    { node: { type: "string", minLength: 1, maxLength: 9 }, words: "string, 1 to 9 characters" },
    { node: { type: "string", pattern: durationPattern, maxLength: 21 }, words: "duration" },
    { node: { type: "string", format: "date-time" }, words: "time" },
    { node: { type: "integer", minimum: 0 }, words: "integer, at least 0" },
    { node: { type: "number", minimum: 0 }, words: "number, at least 0" },
    { node: { "x-kubernetes-int-or-string": true }, words: "integer or string" },
    {
      node: { type: "array", "x-kubernetes-list-type": "set", maxItems: 3, items: { type: "string" } },
      words: "set of string, up to 3 items",
    },
    {
      node: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["key"],
        minItems: 1,
        maxItems: 3,
        items: { type: "object" },
      },
      words: "list by key of object, 1 to 3 items",
    },
    {
      node: { type: "object", additionalProperties: { type: "string" }, maxProperties: 2 },
      words: "map of string, up to 2 entries",
    },
  ])("$words", ({ node, words }) => {
    expect(describeType(node)).toBe(words);
  });
});

describe("fields and rules", () => {
  const rule = (message: string, fieldPath?: string): object => ({ message, ...(fieldPath && { fieldPath }) });
  const schema: StructuralSchema = {
    type: "object",
    required: ["list"],
    "x-kubernetes-validations": [rule("whole"), rule("at", ".list")],
    properties: {
      list: {
        type: "array",
        items: { properties: { inner: { type: "string", "x-kubernetes-validations": [rule("deep")] } } },
      },
      map: { type: "object", additionalProperties: { properties: { inner: { type: "string" } } } },
    },
  };

  it("have the paths that people write, items and values of maps marked", () => {
    const paths = fieldsOf(schema).map(({ path, required }) => ({ path, required }));
    expect(paths).toEqual([
      { path: "list", required: true },
      { path: "list[].inner", required: false },
      { path: "map", required: false },
      { path: "map.*.inner", required: false },
    ]);
    expect(rulesOf(schema)).toEqual([
      { path: "", message: "whole" },
      { path: "list", message: "at" },
      { path: "list[].inner", message: "deep" },
    ]);
  });
});

describe("Markdown", () => {
  it.each([
    { text: "<name>-suffix", escaped: "&lt;name>-suffix", why: "HTML would hide it" },
    { text: "a | b", escaped: String.raw`a \| b`, why: "it would end the cell" },
    { text: '["*"] or `a*b`', escaped: String.raw`["\*"] or ` + "`a*b`", why: "stars mean emphasis, but not in code" },
    { text: String.raw`[ \ `, escaped: String.raw`[ \\ `, why: "a backslash escapes" },
  ])("$text is escaped: $why", ({ text, escaped }) => {
    expect(escapeText(text)).toBe(escaped);
  });

  it("lays out a table", () => {
    expect(table(["A", "B"], [["1", "2"]])).toBe("| A | B |\n|---|---|\n| 1 | 2 |\n");
  });
});

describe("the page of sections", () => {
  it("has a row for each field that cannot be read back, and all of them in one table", () => {
    const [, after = ""] = page("sections.md").split("## What cannot be read back\n");
    const [rows = ""] = after.split("\n## ");
    const fields = [...rows.matchAll(/^\| `(spec\.[^`]+)` \|/gmu)].map(([, field]) => field);
    expect(fields).toEqual(["spec.databasePassword", "spec.database.webhooksEnabled"]);
  });

  it("says what of a refusal hangs on something, and that any other one is asked for again every hour", () => {
    const [, after = ""] = page("sections.md").split("## What the plan refuses\n");
    const [gated = "", passing = ""] = after.split("\n## ", 1)[0]?.trim().split("\n\n") ?? [];
    expect(gated).toMatch(/is not asked for again until its spec, .* the version of the database change\.$/u);
    expect(passing).toMatch(/^Any other refusal, .*plan that the token may not read, .*every hour/u);
    expect(passing).toContain("baas.dev/reconcile-at");
  });

  it("names each field of auth that the platform answers and does not take", () => {
    const [, lacking = ""] = page("sections.md").split("## What the platform's API lacks\n");
    const marked = authConfigRows.flatMap(([name, { responseOnly }]) => (responseOnly === true ? [name] : []));
    expect(marked).toHaveLength(3);
    expect(marked.filter((name) => !lacking.includes(name))).toEqual([]);
  });
});
