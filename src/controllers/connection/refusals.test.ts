import { describe, expect, it } from "vitest";
import { CredentialError, type CredentialFault } from "../../api/credentials/credentials.ts";
import { classify } from "../../runtime/outcome.ts";
import type { Credential } from "./credential.ts";
import { explainCredential, notAccepted } from "./refusals.ts";

interface Row {
  readonly why: string;
  readonly kind?: Credential["kind"];
  readonly fault: CredentialFault;
  readonly oauthError?: string;
  readonly answerLost?: boolean;
  readonly says: string;
  /** ends of the message */
  readonly todo?: string;
  /** looked at again by itself, milliseconds; null: only when a Secret changes */
  readonly recheckMs?: number | null;
}

const rows: readonly Row[] = [
  {
    why: "the consent is over",
    fault: "refused",
    oauthError: "invalid_grant",
    says: "terminal CredentialRevoked",
    todo: "new refresh token into the Secret",
    recheckMs: null,
  },
  {
    why: "its replacement was lost",
    fault: "refused",
    oauthError: "invalid_grant",
    answerLost: true,
    says: "terminal RefreshTokenLost",
    todo: "new refresh token into the Secret",
    recheckMs: null,
  },
  {
    why: "somebody before the platform refuses, who says nothing of the token",
    fault: "refused",
    says: "terminal CredentialRevoked",
    todo: "new refresh token into the Secret",
    recheckMs: 60_000,
  },
  {
    why: "the platform does not know the app",
    fault: "refused",
    oauthError: "invalid_client",
    says: "terminal CredentialInvalid",
    recheckMs: 600_000,
  },
  {
    why: "the app does not trust the operator",
    kind: "workloadIdentity",
    fault: "refused",
    oauthError: "invalid_grant",
    says: "terminal AssertionRefused",
    recheckMs: 60_000,
  },
  {
    why: "the plan does not have it",
    kind: "workloadIdentity",
    fault: "refused",
    oauthError: "unauthorized_client",
    says: "terminal AssertionRefused",
    recheckMs: 60_000,
  },
  {
    why: "the app of an assertion is unknown",
    kind: "workloadIdentity",
    fault: "refused",
    oauthError: "invalid_client",
    says: "terminal CredentialInvalid",
    recheckMs: 600_000,
  },
  {
    why: "what lies in the Secret is no token",
    kind: "token",
    fault: "unusable",
    says: "terminal CredentialInvalid",
    todo: "correct the Secret",
    recheckMs: null,
  },
  {
    why: "what lies in the file is no JWT",
    kind: "workloadIdentity",
    fault: "unusable",
    says: "terminal CredentialInvalid",
    recheckMs: 60_000,
  },
  {
    why: "the file is not there",
    kind: "workloadIdentity",
    fault: "missing",
    says: "terminal CredentialMissing",
    recheckMs: 60_000,
  },
  { why: "the platform does not answer", fault: "unavailable", says: "transient ServerUnavailable" },
  { why: "the Secret cannot be written", fault: "unstored", says: "transient CredentialNotStored" },
];

describe("a credential that gives no token", () => {
  it.each(rows)("is $says, since $why", ({ kind = "oauth", says, todo = "the message", recheckMs, ...facts }) => {
    const error = explainCredential(kind, new CredentialError("the message", facts));
    const seen = classify(error);
    expect(`${seen.kind} ${"reason" in seen ? seen.reason : ""}`).toBe(says);
    expect(error.message.endsWith(todo)).toBe(true);
    expect(seen.kind === "terminal" ? (seen.recheckAfterMs ?? null) : undefined).toBe(recheckMs);
  });
});

describe("an access token that the platform does not accept", () => {
  it.each([
    { kind: "token", says: "put a valid one into the Secret", recheckMs: 600_000 },
    { kind: "oauth", says: "that it gave the app", recheckMs: 60_000 },
    { kind: "workloadIdentity", says: "that it gave the app", recheckMs: 60_000 },
  ] as const)("of a credential of kind $kind is tried again by itself", ({ kind, says, recheckMs }) => {
    expect(classify(notAccepted(kind, new Error("401")))).toMatchObject({
      kind: "terminal",
      reason: "CredentialInvalid",
      message: expect.stringContaining(says),
      recheckAfterMs: recheckMs,
    });
  });
});
