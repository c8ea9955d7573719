/** JSON that somebody else wrote: nothing is known of it. */

/** The value that a text or its bytes in UTF-8 stand for; undefined where they are no JSON, which has none. */
export function parseJson(json: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof json === "string" ? json : new TextDecoder().decode(json));
  } catch {
    return undefined;
  }
}

/** A field of what may be an object; undefined where it is none or has no such field. */
export function member(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
