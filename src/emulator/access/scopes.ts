import { isOpenToApps, type Operation } from "../../api/contract/operation.ts";

/**
 * Scopes of OAuth tokens: all that the operation lists (behaviour.md, Authentication 2 and 3). Where the catalogue lists none, `isOpenToApps` decides; a token
 * for which nobody approved anything reads nothing either.
 */

/** What the token lacks, in words; undefined: nothing. */
export function missingScopes(
  operation: Pick<Operation, "apps" | "scopes" | "retry">,
  held: readonly string[],
): string | undefined {
  const { scopes } = operation;
  if (scopes.length === 0 && held.length === 0) return "any scope: none was approved for it";
  if (scopes.length === 0) return isOpenToApps(operation) ? undefined : "any scope for this: no scope covers it";
  const missing = scopes.filter((scope) => !held.includes(scope));
  if (missing.length === 0) return undefined;
  return `the scope${missing.length === 1 ? "" : "s"} ${missing.join(" and ")}`;
}
