import { z } from "zod";

/**
 * src/resources/settings: what a project or branch can be configured to be, as optional sections of a spec. A setting is declared once, by a builder
 * of builders.ts: its schema and description make the CRD and the reference, and its `Setting` says where and how the Management API has it. Nothing
 * here reads or writes anything.
 *
 * This file: what a setting is, and the list of those of a section.
 */

/** A value as the Management API's JSON has it. */
export type Wire = string | number | boolean | null;

/** Where a setting's value comes from. */
export type SettingSource =
  /** the spec itself */
  | "spec"
  /** a key of a Secret that the spec names; read back as a digest or not at all */
  | "secret"
  /** the spec or a key of a ConfigMap that it names: long text */
  | "document";

/** How one setting of a spec is had by the Management API. */
export interface Setting {
  /** dotted path in the JSON of the section's endpoint, as `features.s3Protocol.enabled` */
  readonly wire: string;
  readonly source: SettingSource;
  /**
   * The declared value as a request carries it; of a secret or a document, the text that was read.
   *
   * @throws z.ZodError for what the schema would have refused
   */
  encode(declared: unknown): Wire;
  /** Whether an answer means the declared value, however the service writes it (engine.md §6: normalisation is no drift). */
  isSame(wanted: Wire, observed: unknown): boolean;
  /** Why no platform takes the declared value, though the schema does; undefined where one may. */
  problem?(declared: unknown): string | undefined;
}

/** A setting with its place in a spec's section. */
export interface SettingRow extends Setting {
  /** dotted path from the section, as `providers.github.clientId` */
  readonly path: string;
}

const registry = z.registry<Setting>();

/** Makes an optional member of a section of a schema and what the API has for it. Last of all: a schema derived from the result is none. */
export function setting<Schema extends z.ZodType>(schema: Schema, what: Setting): z.ZodOptional<Schema> {
  registry.add(schema, what);
  return schema.optional();
}

/** Settings that belong together. */
export function group<Shape extends z.ZodRawShape>(
  description: string,
  shape: Shape,
): z.ZodOptional<z.ZodObject<Shape, z.core.$strip>> {
  return z.object(shape).meta({ description }).optional();
}

/** Every setting of a section, in the order in which they are declared; members that are none (a mode) are left out. */
export function settingsOf(section: z.ZodObject): readonly SettingRow[] {
  return rowsOf(section, "");
}

function rowsOf(object: z.ZodObject, prefix: string): readonly SettingRow[] {
  return Object.entries<unknown>(object.shape).flatMap(([name, member]): readonly SettingRow[] => {
    const schema = member instanceof z.ZodOptional ? member.unwrap() : member;
    if (!(schema instanceof z.ZodType)) return [];
    const path = `${prefix}${name}`;
    const what = registry.get(schema);
    if (what !== undefined) return [{ path, ...what }];
    return schema instanceof z.ZodObject ? rowsOf(schema, `${path}.`) : [];
  });
}

/** What stands at a dotted path of a JSON value; undefined where there is nothing. */
export function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const name of path.split(".")) {
    if (typeof at !== "object" || at === null) return undefined;
    at = Reflect.get(at, name);
  }
  return at;
}

/** Whether two wire values are the same; an unset text and an empty one are. */
export function isSameWire(wanted: Wire, observed: unknown): boolean {
  return wanted === observed || (isUnset(wanted) && isUnset(observed));
}

function isUnset(value: unknown): boolean {
  return value === null || value === undefined || value === "";
}
