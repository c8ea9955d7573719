import { z } from "zod";
import { durationPattern } from "../../src/resources/duration.ts";
import type { StructuralSchema } from "./structural.ts";

/** What a structural schema says, in Markdown: fields, their types and their rules. Knows no kind. */

/** A field below the schema that was asked about. */
interface Field {
  /** As people write it: `from[].secretRef.name`; `[]` stands for each item, `.*` for each value of a map. */
  readonly path: string;
  readonly node: StructuralSchema;
  readonly required: boolean;
}

/** Text for a cell or a line: what Markdown or HTML would take for mark-up is written as itself. Code spans stay. */
export function escapeText(text: string): string {
  return text
    .split(/(`[^`]*`)/u)
    .map((part) => (part.startsWith("`") ? part.replaceAll("|", String.raw`\|`) : escapePlain(part)))
    .join("");
}

function escapePlain(text: string): string {
  return text.replaceAll(/[\\|*~]/gu, String.raw`\$&`).replaceAll("<", "&lt;");
}

export function code(text: string): string {
  return `\`${text.replaceAll("|", String.raw`\|`)}\``;
}

/** @param rows cells, escaped already */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |\n`;
  return line(head) + `|${"---|".repeat(head.length)}\n` + rows.map((cells) => line(cells)).join("");
}

const words = z.array(z.string()).default([]);

/** Every field, each before those inside it, in the order of the schema. */
export function fieldsOf(schema: StructuralSchema, prefix = ""): readonly Field[] {
  const required = words.parse(schema["required"]);
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, node]): readonly Field[] => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    return [{ path, node, required: required.includes(name) }, ...fieldsOf(node, path)];
  });
  const items = schema.items === undefined ? [] : fieldsOf(schema.items, `${prefix}[]`);
  const values = schema.additionalProperties === undefined ? [] : fieldsOf(schema.additionalProperties, `${prefix}.*`);
  return [...own, ...items, ...values];
}

const ruleSchema = z.array(z.object({ message: z.string(), fieldPath: z.string().default("") })).default([]);

interface FieldRule {
  /** The field that the apiserver names; "" for the schema itself. */
  readonly path: string;
  readonly message: string;
}

/** Every rule with its message, wherever it stands below the schema. */
export function rulesOf(schema: StructuralSchema, prefix = ""): readonly FieldRule[] {
  const own = ruleSchema
    .parse(schema["x-kubernetes-validations"])
    .map(({ message, fieldPath }) => ({ path: `${prefix}${fieldPath}`.replace(/^\./u, ""), message }));
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, node]) =>
    rulesOf(node, prefix === "" ? name : `${prefix}.${name}`),
  );
  const items = schema.items === undefined ? [] : rulesOf(schema.items, `${prefix}[]`);
  const values = schema.additionalProperties === undefined ? [] : rulesOf(schema.additionalProperties, `${prefix}.*`);
  return [...own, ...below, ...items, ...values];
}

const limit = z.number().optional();

/** "1 to 16 items", "up to 256 characters", "" where nothing is limited. */
function describeLimits(least: unknown, most: unknown, unit: string): string {
  const [from, to] = [limit.parse(least), limit.parse(most)];
  const suffix = unit === "" ? "" : ` ${unit}`;
  if (to === undefined) return from === undefined ? "" : `, at least ${from}${suffix}`;
  return from === undefined || from === 0 ? `, up to ${to}${suffix}` : `, ${from} to ${to}${suffix}`;
}

const constants = z.array(z.union([z.string(), z.boolean()])).default([]);

const listTypeSchema = z.enum(["set", "map", "atomic"]);

function describeList(node: StructuralSchema): string {
  const type = listTypeSchema.parse(node["x-kubernetes-list-type"]);
  const keys = words.parse(node["x-kubernetes-list-map-keys"]);
  const merged = { set: "set", map: `list by ${keys.join(", ")}`, atomic: "list" }[type];
  return `${merged} of ${describeType(node.items ?? {})}${describeLimits(node["minItems"], node["maxItems"], "items")}`;
}

/** The type of a field in a few words, its limits among them. */
export function describeType(node: StructuralSchema): string {
  const choices = constants.parse(node["enum"]);
  if (choices.length > 0) return choices.map((choice) => code(String(choice))).join(", ");
  if (node.type === "array") return describeList(node);
  if (node.additionalProperties !== undefined) {
    const most = describeLimits(undefined, node["maxProperties"], "entries");
    return `map of ${describeType(node.additionalProperties)}${most}`;
  }
  if (node["format"] === "date-time") return "time";
  if (node["pattern"] === durationPattern) return "duration";
  if (node.type === "string") return `string${describeLimits(node["minLength"], node["maxLength"], "characters")}`;
  if (node.type === "integer" || node.type === "number") {
    return `${node.type}${describeLimits(node["minimum"], node["maximum"], "")}`;
  }
  // Such a field has no type of its own.
  if (node["x-kubernetes-int-or-string"] === true) return "integer or string";
  return node.type ?? "";
}
