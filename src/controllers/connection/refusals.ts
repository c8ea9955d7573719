import type { CredentialError } from "../../api/credentials/credentials.ts";
import type { Reason } from "../../resources/conditions.ts";
import { type ReconcileError, terminal } from "../shared/failures.ts";
import { TransientError } from "../../runtime/outcome.ts";
import type { Credential } from "./credential.ts";

/** How soon a look is due at what is put right where no watch sees it, milliseconds: the kubelet's file, what an app trusts. */
const UNSEEN_RECHECK_MS = 60_000;
/** The same for an app's registration; each look there is a use of the refresh token, with its record. */
const CLIENT_RECHECK_MS = 600_000;
/** The same for a token that a user put into a Secret, whose change wakes the connection, milliseconds. */
const TOKEN_RECHECK_MS = 600_000;

/**
 * What it means for a connection that its credential gives no token: who must do what, or that it passes.
 *
 * - CredentialMissing: nothing to make it from
 * - CredentialInvalid: what it is made from cannot be it, or the platform does not know the app
 * - CredentialRevoked: the user's consent is over. RefreshTokenLost: it is over because a replacement never arrived or was not stored
 * - AssertionRefused: the app does not trust the operator's ServiceAccount token
 */
export function explainCredential(kind: Credential["kind"], error: CredentialError): ReconcileError {
  const { fault, message } = error;
  const unseen = { cause: error, recheckAfterMs: UNSEEN_RECHECK_MS };
  switch (fault) {
    case "missing":
      return terminal("CredentialMissing", message, unseen);
    case "unusable":
      if (kind === "workloadIdentity") return terminal("CredentialInvalid", message, unseen);
      return terminal("CredentialInvalid", `${message}; correct the Secret`, { cause: error });
    case "refused":
      return refused(kind, error);
    case "unavailable":
      return new TransientError("ServerUnavailable" satisfies Reason, message, { cause: error });
    case "unstored":
      return new TransientError("CredentialNotStored" satisfies Reason, message, { cause: error });
    default:
      return fault satisfies never;
  }
}

function refused(kind: Credential["kind"], error: CredentialError): ReconcileError {
  const { message, oauthError, answerLost } = error;
  if (oauthError === "invalid_client") {
    return terminal("CredentialInvalid", message, { cause: error, recheckAfterMs: CLIENT_RECHECK_MS });
  }
  if (kind === "workloadIdentity") {
    return terminal("AssertionRefused", message, { cause: error, recheckAfterMs: UNSEEN_RECHECK_MS });
  }
  const todo = `${message} and put the new refresh token into the Secret`;
  // Only this is a verdict on the token itself (RFC 6749, 5.2): all else may be the word of something in between, and pass.
  const unsure = oauthError === "invalid_grant" ? {} : { recheckAfterMs: UNSEEN_RECHECK_MS };
  return terminal(answerLost ? "RefreshTokenLost" : "CredentialRevoked", todo, { cause: error, ...unsure });
}

/**
 * What it means for a connection that the platform does not accept the access token it is shown: CredentialInvalid. Looked at again by itself, for
 * the platform may have been wrong, and an app's own token is in no Secret that somebody could put right; a user's token seldom, for it is the Secret
 * that is wrong nearly always.
 */
export function notAccepted(kind: Credential["kind"], cause: Error): ReconcileError {
  const what = kind === "token" ? "token: put a valid one into the Secret" : "access token that it gave the app";
  const recheckAfterMs = kind === "token" ? TOKEN_RECHECK_MS : UNSEEN_RECHECK_MS;
  return terminal("CredentialInvalid", `the Management API does not accept the ${what}`, { cause, recheckAfterMs });
}
