import { z } from "zod";
import { isCounted } from "./fields.ts";

/** Lists of a status hold as much as the apiserver takes, which refuses a status as a whole for one item too many. */

/** How much of one list was left out. */
export interface LeftOut {
  /** dotted path in the status, of whatever item: `requests[].run.steps` */
  readonly list: string;
  readonly items: number;
}

export interface Bounded {
  readonly bounded: unknown;
  readonly leftOut: readonly LeftOut[];
}

/**
 * A status of which no list is longer than its schema says; the very same where none was. What is beyond is left out, from the end; lists of
 * findings say in their last item how many that are. Pure.
 */
export function withinBounds(schema: unknown, value: unknown, path = ""): Bounded {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return withinBounds(schema.unwrap(), value, path);
  }
  if (schema instanceof z.ZodObject && isObject(value)) return ofObject(schema, value, path);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return ofList(schema, value, path);
  return { bounded: value, leftOut: [] };
}

/** As `withinBounds`, of a whole status. */
export function boundedStatus(
  schema: z.ZodObject,
  status: object,
): { readonly status: object; readonly leftOut: readonly LeftOut[] } {
  const { bounded, leftOut } = withinBounds(schema, status);
  return { status: isObject(bounded) ? bounded : status, leftOut };
}

function ofObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, path: string): Bounded {
  const changed: Record<string, unknown> = {};
  const leftOut: LeftOut[] = [];
  for (const [name, member] of Object.entries<unknown>(schema.shape)) {
    const part = withinBounds(member, value[name], path === "" ? name : `${path}.${name}`);
    leftOut.push(...part.leftOut);
    if (part.bounded !== value[name]) changed[name] = part.bounded;
  }
  return { bounded: Object.keys(changed).length === 0 ? value : { ...value, ...changed }, leftOut };
}

function ofList(schema: z.ZodArray, value: readonly unknown[], path: string): Bounded {
  const { maxItems: most = Infinity } = schema.meta() ?? {};
  const counts = isCounted(schema);
  const kept = typeof most === "number" && value.length > most ? value.slice(0, counts ? most - 1 : most) : value;
  const parts = kept.map((item) => withinBounds(schema.element, item, `${path}[]`));
  const inner = parts.flatMap(({ leftOut }) => leftOut);
  const items = value.length - kept.length;
  if (items === 0 && inner.length === 0) return { bounded: value, leftOut: [] };
  const bounded = parts.map((part) => part.bounded);
  if (items > 0 && counts) bounded.push(`and ${items} more`);
  return { bounded, leftOut: items === 0 ? inner : [...inner, { list: path, items }] };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
