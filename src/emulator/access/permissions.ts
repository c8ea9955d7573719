import type { Permissions } from "../../api/contract/operation.ts";

/**
 * Permissions of fine-grained tokens: one of the alternatives must be held as a whole (behaviour.md, Authentication 3; facts.md §6.10).
 */

/**
 * What would have to be added, in words: of each alternative the names that are not held, joined by "and", the alternatives by "or".
 * undefined: one alternative is held.
 */
export function missingPermissions(permissions: Permissions, held: HeldNames): string | undefined {
  if (permissions.length === 0) return undefined;
  const missing = permissions.map((alternative) => alternative.filter((name) => !holds(held, name)));
  if (missing.some((names) => names.length === 0)) return undefined;
  const several = missing.length > 1;
  const words = missing.map((names) =>
    several && names.length > 1 ? `(${names.join(" and ")})` : names.join(" and "),
  );
  return [...new Set(words)].join(" or ");
}

/** Names that are held, or who knows of each. */
type HeldNames = readonly string[] | ((name: string) => boolean);

function holds(held: HeldNames, name: string): boolean {
  return typeof held === "function" ? held(name) : held.includes(name);
}
