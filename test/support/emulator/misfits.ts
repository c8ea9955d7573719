import type { z } from "zod";
import { withValue } from "./secret-paths.ts";

/** Bodies and queries that have at one place what its schema does not declare there: another structure, and in it a field of an unknown name. */

type Path = readonly (string | number)[];
type Kind = "list" | "names" | "object" | "single" | "anything";

const UNKNOWN = "UNKNOWN";
const ANY_KEY = "ANY_KEY";

/** A value that stands where its schema declares none such. */
export interface Misfit {
  readonly path: Path;
  readonly value: unknown;
}

/** @param canary stands in each of them, wherever nothing is declared */
export function misfitsOf(schema: z.core.$ZodType, canary: unknown): readonly Misfit[] {
  const kinds = new Map<string, { readonly path: Path; readonly are: Set<Kind> }>();
  for (const { path, kind } of placesOf(schema, [])) {
    const key = JSON.stringify(path);
    const known = kinds.get(key) ?? { path, are: new Set<Kind>() };
    kinds.set(key, { path, are: known.are.add(kind) });
  }
  return [...kinds.values()].flatMap(({ path, are }) => structuresFor(are, canary).map((value) => ({ path, value })));
}

/** Each of them by itself, and in a body that would go through otherwise. */
export function withMisfits(good: unknown, misfits: readonly Misfit[]): readonly unknown[] {
  return [undefined, good].flatMap((body) => misfits.map(({ path, value }) => withValue(body, path, value)));
}

/** What is of none of these kinds; of a list or of names, what is in it is a place of its own. */
function structuresFor(kinds: ReadonlySet<Kind>, canary: unknown): readonly unknown[] {
  const is = (...some: readonly Kind[]): boolean => some.some((kind) => kinds.has(kind));
  if (is("anything")) return [];
  const byName = { [UNKNOWN]: canary };
  return [
    ...(is("single") ? [] : [canary]),
    ...(is("names") ? [] : [byName, { [UNKNOWN]: [canary] }, { [UNKNOWN]: byName }, { "0": canary }]),
    ...(is("list") ? [] : [[byName], [[byName]], { [UNKNOWN]: [byName] }]),
    ...(is("list") ? [[[UNKNOWN, canary]]] : []),
    ...(is("list", "single") ? [] : [[canary], [[canary]], [[UNKNOWN, canary]]]),
  ];
}

function placesOf(schema: z.core.$ZodType, path: Path): readonly { readonly path: Path; readonly kind: Kind }[] {
  const within = (inner: z.core.$ZodType, key?: string | number): ReturnType<typeof placesOf> =>
    placesOf(inner, key === undefined ? path : [...path, key]);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === "object") {
    return [{ path, kind: "object" }, ...Object.entries(def.shape).flatMap(([key, field]) => within(field, key))];
  }
  if (def.type === "array") return [{ path, kind: "list" }, ...within(def.element, 0)];
  if (def.type === "record") return [{ path, kind: "names" }, ...within(def.valueType, ANY_KEY)];
  if (def.type === "union") return def.options.flatMap((option) => within(option));
  if (def.type === "intersection") return [def.left, def.right].flatMap((side) => within(side));
  if (def.type === "pipe") return [def.in, def.out].flatMap((side) => within(side));
  if ("innerType" in def) return within(def.innerType);
  return [{ path, kind: ANYTHING.has(def.type) ? "anything" : "single" }];
}

const ANYTHING: ReadonlySet<string> = new Set(["any", "unknown", "custom", "transform"]);
