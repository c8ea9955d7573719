/** A value as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A key may be any word, also one that every object inherits. */
function valueOf(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether two JSON values are the same, key order aside; a key that is undefined counts as absent. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => sameJson(valueOf(a, key), valueOf(b, key)));
}

/**
 * The JSON merge patch (RFC 7386) that turns `before` into `after`, or undefined when they are the same. Lists are replaced whole;
 * a key that is absent or undefined in `after` becomes null.
 */
export function mergePatch(before: JsonObject, after: JsonObject): JsonObject | undefined {
  const changed: [string, Json][] = [];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const old = valueOf(before, key);
    const next = valueOf(after, key);
    if (!sameJson(old, next)) changed.push([key, patchOf(old, next)]);
  }
  return changed.length === 0 ? undefined : Object.fromEntries(changed);
}

function patchOf(old: Json | undefined, next: Json | undefined): Json {
  if (next === undefined) return null;
  return isObject(old) && isObject(next) ? (mergePatch(old, next) ?? {}) : next;
}

/** A value without the members of that name, at any depth. */
export function without(member: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => without(member, one));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => name !== member);
  return Object.fromEntries(members.map(([name, one]) => [name, without(member, one)]));
}
