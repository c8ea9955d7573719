/** JSON that somebody else wrote: nothing is known of it. */

/** What JSON may hold half of a character as. */
const HALF = /\\u[dD][89a-fA-F]/;

/**
 * The value that a text or its bytes in UTF-8 stand for; undefined where they are no JSON, which has none. Half of a character in a text or a name is
 * U+FFFD, as Kubernetes keeps it, or what was kept would never be what was answered.
 */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    const text = typeof json === "string" ? json : new TextDecoder().decode(json);
    return HALF.test(text) ? JSON.parse(text, wholeCharacters) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of what may be an object; undefined where it is none or has no such field. */
export function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}

function wholeCharacters(_: string, value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), member]));
}
