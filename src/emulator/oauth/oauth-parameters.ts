import { z } from "zod";
import { oauth } from "../../api/contract/oauth.ts";
import type { Operation } from "../../api/contract/operation.ts";
import { ApiFailure } from "../failure.ts";
import { type OAuthError, oauthFailure } from "./oauth-failure.ts";

/**
 * How OAuth differs from the rest of the API in what it takes and how it refuses. Its clients are libraries that nobody here wrote: they
 * send parameters of other servers (`nonce`, `prompt`, `audience`) and read `error`.
 */

/** The authorization and the token endpoint of RFC 6749; the others are the platform's own, and as strict as everything else. */
const TOLERANT: ReadonlySet<string> = new Set([oauth.authorize.id, oauth.token.id]);

/** "MUST ignore unrecognized request parameters", "without a value MUST be treated as if they were omitted" (RFC 6749 §3.1 and §3.2). */
export function withoutIgnored<V>(
  { id }: Operation,
  schema: z.ZodType,
  sent: Readonly<Record<string, V>>,
): Readonly<Record<string, V>> {
  if (!TOLERANT.has(id) || !(schema instanceof z.ZodObject)) return sent;
  return Object.fromEntries(
    Object.entries(sent).filter(([name, value]) => Object.hasOwn(schema.shape, name) && value !== ""),
  );
}

/** A request that the contract's schemas refuse is told by `error` too (RFC 6749 §4.1.2.1 and §5.2). */
export async function inOAuthWords<T>({ id }: Operation, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw id.startsWith("oauth.") && isPlainRefusal(error) ? oauthFailure(codeOf(error.message), error.message) : error;
  }
}

/** A 400 that has no words of OAuth yet. */
export function isPlainRefusal(error: unknown): error is ApiFailure {
  return error instanceof ApiFailure && error.status === 400 && Object.keys(error.fields).length === 0;
}

/** What RFC 6749 calls a refusal of the contract's schemas. */
export function codeOf(message: string): OAuthError {
  const unsupported = /^(grant_type|response_type): Invalid enum value.*, received '/.exec(message)?.[1];
  if (unsupported === undefined) return "invalid_request";
  return unsupported === "grant_type" ? "unsupported_grant_type" : "unsupported_response_type";
}
