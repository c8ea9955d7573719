import { createHash } from "node:crypto";
import { isPlain } from "../../base/json-value.ts";

/**
 * Rows as JSON. Bytes are kept apart, under their hash, so that a row stays small however large an upload is and an upload is written
 * once however often its row changes.
 */

/** Where bytes go when a row is written: returns the name under which they are found again. */
export type PutBytes = (bytes: Uint8Array) => string;
/** Throws when there are none of that name. */
export type GetBytes = (name: string) => Uint8Array;

/** Stands for bytes in JSON; an object that has such a key by itself is wrapped in the other one. */
const BYTES = "$bytes";
const PLAIN = "$plain";

/** The name of bytes: their lower-case hex SHA-256. */
export function nameOfBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** @throws TypeError for what JSON cannot say: a row that would come back different is never written */
export function toPlain(value: unknown, put: PutBytes): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new TypeError(`a row holds ${value}, which JSON cannot say`);
    return value;
  }
  if (value instanceof Uint8Array) return { [BYTES]: put(value) };
  if (Array.isArray(value)) return value.map((item: unknown) => toPlain(item, put));
  if (typeof value === "object" && isPlain(value)) {
    const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
    const plain = Object.fromEntries(entries.map(([key, inner]) => [key, toPlain(inner, put)]));
    return Object.hasOwn(plain, BYTES) || Object.hasOwn(plain, PLAIN) ? { [PLAIN]: plain } : plain;
  }
  throw new TypeError(`a row holds a ${typeof value}, which JSON cannot say`);
}

/** The inverse of toPlain. */
export function fromPlain(value: unknown, get: GetBytes): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => fromPlain(item, get));
  if (BYTES in value && typeof value[BYTES] === "string") return get(value[BYTES]);
  const plain = PLAIN in value && typeof value[PLAIN] === "object" && value[PLAIN] !== null ? value[PLAIN] : value;
  return Object.fromEntries(
    Object.entries(plain).map(([key, inner]: [string, unknown]) => [key, fromPlain(inner, get)]),
  );
}
