import { z } from "zod";
import { isCounted, isTold } from "./fields.ts";

/**
 * A status holds as much as the apiserver takes, which refuses it as a whole for one item of a list too many, or for being too large: then nothing would
 * be written any more, and nothing would say so.
 */

/** Longest text of others, UTF-16 units. */
const LONGEST = 1024;
/** Where that is too much together, texts of others are cut to a half again and again, down to this: what would then be too large has no text to blame. */
const SHORTEST = 8;
/** Most bytes of a status as JSON: the object has 1.5 MiB in all. */
const MOST_BYTES = 512 * 1024;

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

interface At {
  /** dotted path in the status */
  readonly path: string;
  /** longest text of others, UTF-16 units */
  readonly longest: number;
}

/**
 * A status of which no list is longer than its schema says, and no text of others than `longest`; the very same where none was. What is beyond is left out,
 * from the end; lists of findings say in their last item how many that are. Pure.
 */
export function withinBounds(schema: unknown, value: unknown, at: At = { path: "", longest: LONGEST }): Bounded {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return withinBounds(schema.unwrap(), value, at);
  }
  if (schema instanceof z.ZodObject && isObject(value)) return ofObject(schema, value, at);
  if (schema instanceof z.ZodArray && Array.isArray(value)) return ofList(schema, value, at);
  if (schema instanceof z.ZodString && typeof value === "string" && isTold(schema) && value.length > at.longest) {
    return { bounded: value.slice(0, at.longest).toWellFormed(), leftOut: [] };
  }
  return { bounded: value, leftOut: [] };
}

/** As `withinBounds`, of a whole status, which is no larger than the apiserver takes whatever others tell. */
export function boundedStatus(
  schema: z.ZodObject,
  status: object,
): { readonly status: object; readonly leftOut: readonly LeftOut[] } {
  for (let longest = LONGEST; ; longest /= 2) {
    const { bounded, leftOut } = withinBounds(schema, status, { path: "", longest });
    if (longest <= SHORTEST || Buffer.byteLength(JSON.stringify(bounded)) <= MOST_BYTES) {
      return { status: isObject(bounded) ? bounded : status, leftOut };
    }
  }
}

function ofObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>, at: At): Bounded {
  const changed: Record<string, unknown> = {};
  const leftOut: LeftOut[] = [];
  for (const [name, member] of Object.entries<unknown>(schema.shape)) {
    const path = at.path === "" ? name : `${at.path}.${name}`;
    const part = withinBounds(member, value[name], { ...at, path });
    leftOut.push(...part.leftOut);
    if (part.bounded !== value[name]) changed[name] = part.bounded;
  }
  return { bounded: Object.keys(changed).length === 0 ? value : { ...value, ...changed }, leftOut };
}

function ofList(schema: z.ZodArray, value: readonly unknown[], at: At): Bounded {
  const { maxItems: most = Infinity } = schema.meta() ?? {};
  const counts = isCounted(schema);
  const kept = typeof most === "number" && value.length > most ? value.slice(0, counts ? most - 1 : most) : value;
  const parts = kept.map((item) => withinBounds(schema.element, item, { ...at, path: `${at.path}[]` }));
  const inner = parts.flatMap(({ leftOut }) => leftOut);
  const items = value.length - kept.length;
  if (items === 0 && parts.every(({ bounded }, n) => bounded === kept[n])) return { bounded: value, leftOut: [] };
  const bounded = parts.map((part) => part.bounded);
  if (items > 0 && counts) bounded.push(`and ${items} more`);
  return { bounded, leftOut: items === 0 ? inner : [...inner, { list: at.path, items }] };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
