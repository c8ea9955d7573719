import type { OAuthError } from "../../../src/emulator/oauth/oauth-failure.ts";
import { aSigner, AUDIENCE, ISSUER, SUBJECT } from "../../support/emulator/oauth.ts";
import { allOfThem, onPlan, OTHER, type Refusal } from "../../support/emulator/refusal.ts";

/** Consents, codes and tokens. */

/** The words also in the fields of RFC 6749 §5.2, which libraries read. */
const inOAuth = (error: OAuthError, says: string) => ({ says, beside: { error, error_description: says } });

/** A code of the owner's consent, as CODE. */
const consented =
  (pkce: { readonly codeChallenge?: string } = {}): NonNullable<Refusal["given"]> =>
  async ({ control }) => {
    const consent = { clientId: "app", user: "owner", organization: "acme" };
    const { code } = await control.oauth.approve({ ...consent, scopes: ["projects:read"], ...pkce });
    return { CODE: code };
  };
const exchange = (changes: Readonly<Record<string, string>>) =>
  new URLSearchParams({
    grant_type: "authorization_code",
    client_id: "app",
    client_secret: "app-secret",
    code: "CODE",
    redirect_uri: "https://app.example.test/callback",
    ...changes,
  });

const GUESSED = { client_id: "app", client_secret: "guessed", refresh_token: "any" };

/** An app that a cluster's assertions stand for, with one of them as ASSERTION. */
const workload: NonNullable<Refusal["given"]> = async ({ control }) => {
  const { jwks, sign } = await aSigner();
  const trust = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks, user: "owner", organization: "acme" };
  await control.oauth.addApp({ clientId: "workload", clientSecret: "any", jwtBearer: trust });
  return { ASSERTION: await sign() };
};

export const OAUTH_REFUSALS: readonly Refusal[] = [
  {
    id: "oauth.authorize",
    status: 400,
    because: "no such app is registered",
    query: "client_id=nobody&response_type=code&redirect_uri=https://app.example.test/callback",
    ...inOAuth("unauthorized_client", "client_id: there is no such OAuth app"),
  },
  {
    id: "oauth.authorizeProjectClaim",
    status: 400,
    because: "the app never said that it returns there",
    query: `project_ref=${OTHER}&client_id=app&response_type=code&redirect_uri=https://elsewhere.test`,
    ...inOAuth("invalid_request", "redirect_uri: not one of the app's registered redirect URIs"),
  },
  {
    id: "oauth.authorizeProjectClaim",
    status: 404,
    because: "there is no such project",
    query: `project_ref=${"z".repeat(20)}&client_id=app&response_type=code&redirect_uri=https://app.example.test/callback`,
    says: "Project not found",
  },
  {
    id: "oauth.token",
    status: 400,
    because: "nobody was given this code",
    body: exchange({ code: "made-up" }),
    ...inOAuth("invalid_grant", "code: unknown, expired, used already, revoked, or issued to another app"),
  },
  {
    id: "oauth.token",
    status: 400,
    because: "it asks for a scope that was not granted, and the code is good all the same",
    given: consented(),
    body: exchange({ scope: "secrets:write" }),
    ...inOAuth("invalid_scope", "scope: not granted: secrets:write"),
  },
  {
    id: "oauth.token",
    status: 400,
    because: "the verifier is that of another code",
    given: consented({ codeChallenge: "c".repeat(43) }),
    body: exchange({ code_verifier: "v".repeat(43) }),
    ...inOAuth("invalid_grant", "code_verifier: not the one of the code_challenge"),
  },
  {
    id: "oauth.token",
    status: 400,
    because: "the code was issued for another address",
    given: consented(),
    body: exchange({ redirect_uri: "https://app.example.test/other" }),
    ...inOAuth("invalid_grant", "redirect_uri: not the one that the code was issued for"),
  },
  {
    id: "oauth.token",
    status: 401,
    because: "the app does not know its own secret",
    body: new URLSearchParams({ ...GUESSED, grant_type: "refresh_token" }),
    ...inOAuth("invalid_client", "client_id or client_secret: wrong or missing"),
  },
  {
    id: "oauth.revoke",
    status: 401,
    because: "the app does not know its own secret",
    body: GUESSED,
    ...inOAuth("invalid_client", "client_id or client_secret: wrong or missing"),
  },
  {
    id: "oauth.revoke",
    status: 400,
    because: "it is not said what to revoke",
    body: { client_id: "app", client_secret: "app-secret" },
    ...inOAuth("invalid_request", "refresh_token: Invalid input: expected string, received undefined"),
  },
  {
    id: "oauth.token",
    status: 400,
    of: ["the last is beta and for Team and Enterprise plans"],
    because: "the plan has no exchange of assertions",
    given: allOfThem(workload, onPlan("pro")),
    body: new URLSearchParams({
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      client_id: "workload",
      assertion: "ASSERTION",
    }),
    ...inOAuth("unauthorized_client", "the grant type jwt-bearer needs the plan Team or Enterprise"),
  },
];
