import { readFile } from "node:fs/promises";
import type { Pair } from "yaml";
import { isMap, isScalar, parseDocument } from "yaml";
import { z } from "zod";
import { connectionDefinitions } from "./chart-connection.ts";

/**
 * What the chart says about its values, written once: the comments in values.yaml become the descriptions in values.schema.json and the
 * table in README.md. Types and patterns stay hand-written in the schema, but for those of the ClusterConnection.
 */

const folder = "deploy/helm/baas-operator";
const repository = new URL("../../", import.meta.url);

/** A value of the chart, in the order of values.yaml. */
export interface ChartValue {
  readonly path: string;
  readonly description: string;
  /** Undefined for a group of values. */
  readonly default?: string;
}

interface SchemaNode {
  description?: string | undefined;
  readonly properties?: Readonly<Record<string, SchemaNode>> | undefined;
}

const schemaNode: z.ZodType<SchemaNode> = z.object({
  description: z.string().optional(),
  get properties() {
    return z.record(z.string(), schemaNode).optional();
  },
});

function isSchemaNode(value: unknown): value is SchemaNode {
  return schemaNode.safeParse(value).success;
}

/** The schema itself, not a copy: what this file does not know keeps its place. */
function parseSchema(schemaJson: string): SchemaNode {
  const schema: unknown = JSON.parse(schemaJson);
  if (!isSchemaNode(schema)) throw new Error("values.schema.json is expected to be a schema with properties");
  return schema;
}

/** The paragraph of a comment that is next to the key. */
function lastParagraph(comment: string | null | undefined): string {
  const paragraph = (comment ?? "").split(/\n\s*\n/u).at(-1) ?? "";
  return paragraph
    .split(/\s*\n\s*/u)
    .join(" ")
    .trim();
}

function commentOf(pair: Pair, first: string | null | undefined): string {
  const own = isScalar(pair.key) ? pair.key.commentBefore : undefined;
  return lastParagraph(own ?? first);
}

function readGroup(node: unknown, schema: SchemaNode, prefix: string): readonly ChartValue[] {
  if (!isMap(node)) throw new Error(`values.yaml: ${prefix} is expected to be a map`);
  return node.items.flatMap((pair, index): readonly ChartValue[] => {
    const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
    const path = `${prefix}${key}`;
    const child = schema.properties?.[key];
    if (child === undefined) throw new Error(`values.schema.json has no ${path}`);
    const description = commentOf(pair, index === 0 ? node.commentBefore : undefined);
    if (description === "") throw new Error(`values.yaml: ${path} has no comment`);
    if (child.properties !== undefined) return [{ path, description }, ...readGroup(pair.value, child, `${path}.`)];
    return [{ path, description, default: JSON.stringify(pair.value) }];
  });
}

/**
 * The values of a chart with their comments.
 *
 * @throws Error when a value has no comment or the schema does not know it
 */
export function readValues(valuesYaml: string, schemaJson: string): readonly ChartValue[] {
  const document = parseDocument(valuesYaml);
  const first = document.contents?.commentBefore ?? document.commentBefore;
  const root = document.contents;
  if (isMap(root)) root.commentBefore = first ?? null;
  return readGroup(root, parseSchema(schemaJson), "");
}

/** The schema with the values' descriptions; everything else as it was. */
export function describeSchema(schemaJson: string, values: readonly ChartValue[]): string {
  const schema = parseSchema(schemaJson);
  for (const { path, description } of values) {
    let node: SchemaNode = schema;
    for (const key of path.split(".")) node = node.properties?.[key] ?? node;
    node.description = description;
  }
  return `${JSON.stringify(schema, null, 2)}\n`;
}

const tableStart = "<!-- values -->\n";
const tableEnd = "<!-- /values -->\n";

const withDefinitions = z.looseObject({ definitions: z.looseObject({}) });

/** The schema with definitions of the ones given replaced or added. */
function defineIn(schemaJson: string, definitions: Readonly<Record<string, unknown>>): string {
  const schema = withDefinitions.parse(JSON.parse(schemaJson));
  return `${JSON.stringify({ ...schema, definitions: { ...schema.definitions, ...definitions } }, null, 2)}\n`;
}

/** The README with its table of values made anew, between two marks. */
export function describeReadme(readme: string, values: readonly ChartValue[]): string {
  const [before, rest] = readme.split(tableStart);
  const after = rest?.split(tableEnd)[1];
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${tableStart.trim()} marks`);
  const cell = (text: string): string => text.replaceAll("|", String.raw`\|`);
  const rows = values
    .filter((value) => value.default !== undefined)
    .map((value) => `| \`${value.path}\` | ${cell(value.description)} | \`${cell(value.default ?? "")}\` |`);
  return [
    before,
    tableStart,
    ["| Value | Meaning | Default |", "|---|---|---|", ...rows, ""].join("\n"),
    tableEnd,
    after,
  ].join("");
}

async function read(name: string): Promise<string> {
  return readFile(new URL(`${folder}/${name}`, repository), "utf8");
}

/** A generator of files, as tools/generate.ts runs them: paths are relative to the repository. */
export const chartValues = {
  name: "chart-values",
  files: async (): Promise<ReadonlyMap<string, string>> => {
    const [yaml, schema, readme] = await Promise.all(["values.yaml", "values.schema.json", "README.md"].map(read));
    if (yaml === undefined || schema === undefined || readme === undefined) throw new Error("the chart is incomplete");
    const values = readValues(yaml, schema);
    return new Map([
      [`${folder}/values.schema.json`, defineIn(describeSchema(schema, values), connectionDefinitions())],
      [`${folder}/README.md`, describeReadme(readme, values)],
    ]);
  },
};
