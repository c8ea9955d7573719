import type { Operation } from "../../api/contract/operation.ts";

/**
 * Scopes of OAuth tokens: all that the operation lists (behaviour.md, Authentication 2 and 3).
 *
 * Where the catalogue lists none, the documents say neither that any app may call the operation nor that none may. A token is "limited to
 * approved scopes", and what no scope covers nobody approved: such an operation is open to apps where it only reads, as the profile, and
 * closed where it changes something, as add-ons that cost money. A token for which nobody approved anything reads nothing either.
 */

/** What the token lacks, in words; undefined: nothing. */
export function missingScopes(
  { scopes, retry }: Pick<Operation, "scopes" | "retry">,
  held: readonly string[],
): string | undefined {
  if (scopes.length === 0 && held.length === 0) return "any scope: none was approved for it";
  if (scopes.length === 0) return retry === "read" ? undefined : "any scope for this: no scope covers it";
  const missing = scopes.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return undefined;
  return `the scope${missing.length === 1 ? "" : "s"} ${missing.join(" and ")}`;
}
