import fc from "fast-check";
import { z } from "zod";
import { AUTOMATIC } from "../../../src/resources/settings/automatic.ts";
import { durationPattern, formatDuration } from "../../../src/resources/duration.ts";
import { type SettingRow, settingsOf, valueAt } from "../../../src/resources/settings/setting.ts";
import { isTaken } from "./refused-draws.ts";

/** Values that a section's settings can be declared with, made from the section's schema: a setting that is added is tried without another line. */

/** A setting with its schema. */
export interface DeclaredSetting extends SettingRow {
  readonly schema: z.ZodType;
}

/** Every setting of a section with its schema. */
export function declaredSettings(section: z.ZodObject): readonly DeclaredSetting[] {
  return settingsOf(section).map((row) => ({ ...row, schema: schemaAt(section, row.path) }));
}

function schemaAt(section: z.ZodObject, path: string): z.ZodType {
  let at: z.ZodType = section;
  for (const name of path.split(".")) {
    const member: unknown = at instanceof z.ZodObject ? at.shape[name] : undefined;
    const inner: unknown = member instanceof z.ZodOptional ? member.unwrap() : member;
    if (!(inner instanceof z.ZodType)) throw new RangeError(`no ${path} in the section`);
    at = inner;
  }
  return at;
}

/** Where the values of secrets and documents lie: a key for each setting. */
export const VALUES = "values";

export function keyOf({ path }: Pick<SettingRow, "path">): string {
  return path;
}

/** What the setting can be declared as. */
export function valuesOf(setting: DeclaredSetting): fc.Arbitrary<unknown> {
  const reference = { name: VALUES, key: keyOf(setting) };
  const { schema } = setting;
  switch (setting.source) {
    case "secret":
      return fc.constant({ secretKeyRef: reference });
    case "document":
      return fc.oneof(fc.record({ inline: someText }), fc.constant({ configMapKeyRef: reference }));
    case "spec":
      return setting.problem === undefined ? valuesOfSchema(schema) : takeable(setting);
    default:
      return setting.source satisfies never;
  }
}

/** Words of ours for null. */
const NULLS: readonly unknown[] = [AUTOMATIC, "None", "", []];

/** What the setting is declared as where the API is to have null; undefined: no word of it is. */
export function wordForNull(row: SettingRow): unknown {
  return NULLS.find((word) => {
    try {
      return row.encode(word) === null;
    } catch (error) {
      if (error instanceof z.ZodError) return false;
      throw error;
    }
  });
}

/** What the platform takes of what the schema does: few texts of a measure are within the bounds of its setting. */
function takeable(setting: DeclaredSetting): fc.Arbitrary<unknown> {
  const units = fc.constantFrom("B", "kB", "MB", "GB", "Ki", "Mi", "ms", "s", "m", "min", "h");
  const measures = fc.tuple(fc.integer({ min: 1, max: 4096 }), units).map((parts) => parts.join(""));
  return fc
    .oneof(measures, valuesOfSchema(setting.schema))
    .filter((value) => isTaken(setting.schema, value) && setting.problem?.(value) === undefined);
}

/** What a schema takes that is no object with settings. */
export function valuesOfSchema(schema: z.ZodType): fc.Arbitrary<unknown> {
  if (schema instanceof z.ZodLiteral) return fc.constantFrom(...schema.values);
  const node = nodeSchema.parse(z.toJSONSchema(schema, { target: "openapi-3.0", io: "input" }));
  return fromNode(node).filter((value) => isTaken(schema, value));
}

const someText = fc.string({ minLength: 1, maxLength: 40 });

interface Node {
  readonly type?: string | undefined;
  readonly enum?: readonly string[] | undefined;
  readonly format?: string | undefined;
  readonly pattern?: string | undefined;
  readonly minLength?: number | undefined;
  readonly minimum?: number | undefined;
  readonly maximum?: number | undefined;
  readonly items?: Node | undefined;
  readonly properties?: Readonly<Record<string, Node>> | undefined;
  readonly "x-kubernetes-list-map-keys"?: readonly string[] | undefined;
  readonly "x-kubernetes-int-or-string"?: boolean | undefined;
  readonly "x-kubernetes-validations"?: readonly { readonly rule: string }[] | undefined;
}

const nodeSchema: z.ZodType<Node> = z.lazy(() =>
  z.object({
    type: z.string().optional(),
    enum: z.array(z.string()).optional(),
    format: z.string().optional(),
    pattern: z.string().optional(),
    minLength: z.number().optional(),
    minimum: z.number().optional(),
    maximum: z.number().optional(),
    items: nodeSchema.optional(),
    properties: z.record(z.string(), nodeSchema).optional(),
    "x-kubernetes-list-map-keys": z.array(z.string()).optional(),
    "x-kubernetes-int-or-string": z.boolean().optional(),
    "x-kubernetes-validations": z.array(z.object({ rule: z.string() })).optional(),
  }),
);

function fromNode(node: Node): fc.Arbitrary<unknown> {
  if (node["x-kubernetes-int-or-string"] === true) {
    const numbers = fc.constantFrom(-1, 0, 1, 587, 65_535, 1_048_576);
    return fc.oneof(numbers, numbers.map(String), textOf(node));
  }
  if (node.enum !== undefined) return fc.constantFrom(...node.enum);
  switch (node.type) {
    case "boolean":
      return fc.boolean();
    case "integer":
      return fc.integer({ min: node.minimum ?? 0, max: node.maximum ?? 2 ** 31 - 1 });
    case "number":
      return fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => Math.abs(value));
    case "array":
      return listOf(node);
    case "object":
      return fc.record(
        Object.fromEntries(Object.entries(node.properties ?? {}).map(([name, member]) => [name, fromNode(member)])),
      );
    case "string":
      return textOf(node);
    case undefined:
    default:
      throw new RangeError(`no values for ${JSON.stringify(node)}`);
  }
}

function listOf(node: Node): fc.Arbitrary<unknown> {
  const [key] = node["x-kubernetes-list-map-keys"] ?? [];
  const selector = (item: unknown): string => JSON.stringify(key === undefined ? item : valueAt(item, key));
  return fc.uniqueArray(fromNode(node.items ?? {}), { maxLength: 4, selector });
}

/** Ranges of addresses, however long. IPv4 within IPv6 would be two ways to write one. */
const v6 = fc.ipV6().filter((address) => !address.includes("."));
const cidrs = fc.oneof(
  fc.tuple(fc.ipV4(), fc.integer({ min: 1, max: 32 })).map((parts) => parts.join("/")),
  fc.tuple(v6, fc.integer({ min: 1, max: 128 })).map((parts) => parts.join("/")),
);

function textOf({ format, pattern, minLength = 0, ...node }: Node): fc.Arbitrary<string> {
  if (node["x-kubernetes-validations"]?.some(({ rule }) => rule.includes("isCIDR")) === true) return cidrs;
  if (format === "date-time") {
    const within = {
      min: new Date("2020-01-01T00:00:00Z"),
      max: new Date("2040-01-01T00:00:00Z"),
      noInvalidDate: true,
    };
    return fc.date(within).map((date) => date.toISOString());
  }
  if (pattern === durationPattern) return fc.nat({ max: 604_800 }).map((seconds) => formatDuration(seconds * 1000));
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern), { size: "small" });
  return fc.string({ minLength, maxLength: 40 });
}

/** A declared section with that value at that path. */
export function declaring(values: readonly (readonly [path: string, value: unknown])[]): Record<string, unknown> {
  const declared: Record<string, unknown> = {};
  for (const [path, value] of values) {
    const names = path.split(".");
    const last = names.pop() ?? path;
    let at = declared;
    for (const name of names) at = (at[name] ??= {}) as Record<string, unknown>; // made a line above, by this function alone
    at[last] = value;
  }
  return declared;
}

/** Sections with some of their settings declared, as their schema accepts them. */
export function declaredSections(section: z.ZodObject): fc.Arbitrary<Record<string, unknown>> {
  const each = declaredSettings(section).map((one) => valuesOf(one).map((value) => [one.path, value] as const));
  return fc
    .subarray(each)
    .chain((some) => fc.tuple(...some))
    .map(declaring)
    .filter((declared) => isTaken(section, declared));
}
