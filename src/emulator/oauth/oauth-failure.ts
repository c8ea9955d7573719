import { ApiFailure } from "../failure.ts";

/** Error codes of RFC 6749 §4.1.2.1 and §5.2. */
export type OAuthError =
  | "access_denied"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type";

/** A refusal in the words of the service and, beside them, in the fields of RFC 6749 §5.2, which libraries read. */
export function oauthFailure(error: OAuthError, message: string): ApiFailure {
  const fields = { error, error_description: describable(message) };
  if (error !== "invalid_client") return new ApiFailure(400, message, fields);
  return new ApiFailure(401, message, fields, { "www-authenticate": 'Basic realm="oauth"' });
}

/** "MUST NOT include characters outside the set" (RFC 6749 §4.1.2.1 and §5.2): a refusal may quote any. */
export function describable(message: string): string {
  return message.replaceAll(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/gu, "?");
}
