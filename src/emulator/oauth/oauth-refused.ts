import { oauth } from "../../api/contract/oauth.ts";
import type { Operation } from "../../api/contract/operation.ts";
import type { CustomReply } from "../http/answer.ts";
import type { World } from "../state/world.ts";
import { acceptsPage, appReturningTo, backWith } from "./oauth-authorize.ts";
import { codeOf, isPlainRefusal } from "./oauth-parameters.ts";

/**
 * Requests for an authorization that are not as the contract declares them. The handler never sees these; the app that sent the browser has
 * to learn of them all the same, as of any other error (RFC 6749 §4.1.2.1).
 */

const ASKING: ReadonlySet<string> = new Set([oauth.authorize.id, oauth.authorizeProjectClaim.id]);

interface RefusedQuery {
  /** what was sent, without what the operation ignores */
  readonly query: Readonly<Record<string, unknown>>;
  /** the Accept header, lower case */
  readonly accept: string;
  /** what the schemas said */
  readonly error: unknown;
}

/**
 * Sends a browser back to the app with the error, where the app and the redirect URI are known to belong together.
 *
 * @throws the error as it is for every other operation and caller; ApiFailure 400 for an unknown app or a redirect URI that is not its own
 */
export function refusedAuthorization(
  world: World,
  { id }: Operation,
  { query, accept, error }: RefusedQuery,
): CustomReply {
  if (!ASKING.has(id) || !acceptsPage(accept) || !isPlainRefusal(error)) throw error;
  const { client_id, redirect_uri, state } = query;
  // left out, or said more than once, so that neither is known to be valid
  if (typeof client_id !== "string" || typeof redirect_uri !== "string") throw error;
  appReturningTo(world, { client_id, redirect_uri });
  const { message } = error;
  return backWith({ error: codeOf(message), message }, redirect_uri, typeof state === "string" ? state : undefined);
}
