/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether two JSON values are the same, key order aside; a key that is undefined counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => sameJson(a[key], b[key]));
}

/**
 * The JSON merge patch (RFC 7386) that turns `before` into `after`, or undefined when they are the same. Lists are replaced whole;
 * a key that is absent or undefined in `after` becomes null.
 */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const patch: Record<string, Json | undefined> = {};
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = before[key];
    const next = after[key];
    if (sameJson(old, next)) continue;
    if (next === undefined) patch[key] = null;
    else if (isObject(old) && isObject(next)) patch[key] = mergePatch(old, next);
    else patch[key] = next;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}
