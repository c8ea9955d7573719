/** What is said of a key that no schema knows: which ones it does. */

interface KeyIssue {
  readonly code?: string | undefined;
  readonly keys?: readonly unknown[] | undefined;
  /** the schema that raised it */
  readonly inst?: unknown;
}

/**
 * For the `error` option of a zod parse: names the keys that an object may have where one has others. Other issues keep their words.
 *
 * Without zod's types, since nothing that everybody may import depends on a package.
 */
export function nameKnownKeys({ code, keys = [], inst }: KeyIssue): string | undefined {
  if (code !== "unrecognized_keys") return undefined;
  const known = Object.keys(shapeOf(inst));
  const written = keys.map((key) => JSON.stringify(key)).join(", ");
  const words = keys.length === 1 ? `Unrecognized key: ${written}` : `Unrecognized keys: ${written}`;
  return `${words}; ${known.length === 0 ? "none is known" : `known: ${known.join(", ")}`}`;
}

function shapeOf(schema: unknown): object {
  if (typeof schema !== "object" || schema === null || !("shape" in schema)) return {};
  return typeof schema.shape === "object" && schema.shape !== null ? schema.shape : {};
}
