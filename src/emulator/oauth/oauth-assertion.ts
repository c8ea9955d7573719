import type { errors as JoseErrors, JSONWebKeySet } from "jose";
import type { JwtTrust } from "./oauth-state.ts";
import { oauthFailure } from "./oauth-failure.ts";

/**
 * Signed assertions that an app exchanges for tokens (RFC 7523 §3), as the projected token of a Kubernetes ServiceAccount. The library that
 * checks them is loaded by the first one: most emulators never see one, and all of them shall start soon.
 */

/** Asymmetric ones only: with the others, whoever can check a signature can make one. */
const ALGORITHMS = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const CLOCK_TOLERANCE_SECONDS = 30;

/** Whether the assertion is what the app's registration trusts. Rejects with ApiFailure 400 that names the claim. */
export async function checkAssertion(trust: JwtTrust, assertion: string, nowMs: number): Promise<void> {
  const { createLocalJWKSet, errors, jwtVerify } = await import("jose");
  try {
    await jwtVerify(assertion, createLocalJWKSet(keySet(trust)), {
      algorithms: ALGORITHMS,
      issuer: trust.issuer,
      subject: trust.subject,
      audience: trust.audience,
      requiredClaims: ["iss", "sub", "aud", "exp"],
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      currentDate: new Date(nowMs),
    });
  } catch (error) {
    throw oauthFailure("invalid_grant", `assertion: ${reason(error, errors)}`);
  }
}

/** Rows say of a key that it has a type and leave the rest to the library, which refuses one that it cannot use. */
function keySet({ jwks }: JwtTrust): JSONWebKeySet {
  return { keys: jwks.keys.map((key) => ({ ...key })) };
}

function reason(error: unknown, errors: typeof JoseErrors): string {
  if (error instanceof errors.JWTExpired) return "expired";
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} is not what the app trusts`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return "the signature is wrong";
  if (error instanceof errors.JWKSNoMatchingKey) return "signed with a key that the app does not trust";
  return "no signed JWT that can be checked";
}
