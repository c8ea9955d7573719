import { createHash } from "node:crypto";
import { JWT_BEARER, type oauth } from "../../api/contract/oauth.ts";
import { type CustomReply, jsonReply } from "../http/answer.ts";
import { type IssuedTokens, issueTokens, newGrant, revokeGrant } from "./oauth-grants.ts";
import type { Challenge, JwtTrust, OAuthApp, OAuthGrant, OAuthScope } from "./oauth-state.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest } from "../handlers/handler.ts";
import { checkAssertion } from "./oauth-assertion.ts";
import { scopeNames } from "./oauth-authorize.ts";
import { clientOf } from "./oauth-client.ts";
import { oauthFailure } from "./oauth-failure.ts";

/** The token endpoint: a code, a refresh token or an assertion for an access token (behaviour.md, Authentication 5). */

type TokenExchangeRequest = HandlerRequest<(typeof oauth)["token"]>;
type Fields = TokenExchangeRequest["body"];

export async function token(world: World, { body, basic }: TokenExchangeRequest): Promise<CustomReply> {
  const tokens = await exchange(world, body, basic);
  return jsonReply(tokens, { "cache-control": "no-store", pragma: "no-cache" }); // RFC 6749 §5.1
}

async function exchange(world: World, body: Fields, basic: TokenExchangeRequest["basic"]): Promise<IssuedTokens> {
  switch (body.grant_type) {
    case "authorization_code":
      return byCode(world, clientOf(world, body, { basic, secret: "required" }), body);
    case "refresh_token":
      return byRefreshToken(world, clientOf(world, body, { basic, secret: "required" }), body);
    case JWT_BEARER:
      return await byAssertion(world, clientOf(world, body, { basic, secret: "optional" }), body);
    case undefined:
      throw oauthFailure("invalid_request", "grant_type: required");
    default:
      return body.grant_type satisfies never;
  }
}

function required(fields: Fields, name: "code" | "refresh_token" | "assertion"): string {
  const value = fields[name] ?? "";
  if (value === "") throw oauthFailure("invalid_request", `${name}: required with this grant_type`);
  return value;
}

/** The same words whatever is wrong with it: nobody learns which codes and tokens there are. */
const invalid = (what: "code" | "refresh_token") =>
  oauthFailure("invalid_grant", `${what}: unknown, expired, used already, revoked, or issued to another app`);

function byCode(world: World, app: OAuthApp, body: Fields): IssuedTokens {
  const digest = sha256(required(body, "code"));
  const code = world.oauthCodes.get(digest);
  const grant = code === undefined ? undefined : grantOf(world, app, code.grantId);
  if (code === undefined || grant === undefined) throw invalid("code");
  if (code.used) {
    revokeGrant(world, code.grantId);
    throw invalid("code");
  }
  if (world.clock.now() >= code.expiresAtMs) throw invalid("code");
  if (body.redirect_uri !== code.redirectUri) {
    throw oauthFailure("invalid_grant", "redirect_uri: not the one that the code was issued for");
  }
  checkVerifier(code.challenge, body.code_verifier);
  const scopes = narrowed(body.scope, grant.scopes);
  world.oauthCodes.set(digest, { ...code, used: true });
  return issueTokens(world, { grantId: code.grantId, grant }, scopes);
}

/** Every refresh token is good once; a second use means that two have it, and ends it for both (RFC 9700 §4.14.2). */
function byRefreshToken(world: World, app: OAuthApp, body: Fields): IssuedTokens {
  const digest = sha256(required(body, "refresh_token"));
  const known = world.refreshTokens.get(digest);
  const grant = known === undefined ? undefined : grantOf(world, app, known.grantId);
  if (known === undefined || grant === undefined) throw invalid("refresh_token");
  if (known.used) {
    revokeGrant(world, known.grantId);
    throw invalid("refresh_token");
  }
  const scopes = narrowed(body.scope, grant.scopes);
  world.refreshTokens.set(digest, { ...known, used: true });
  return issueTokens(world, { grantId: known.grantId, grant }, scopes);
}

/** "beta and for Team and Enterprise plans" (behaviour.md, Authentication 5) */
const JWT_PLANS: ReadonlySet<string> = new Set(["team", "enterprise", "platform"]);

async function byAssertion(world: World, app: OAuthApp, body: Fields): Promise<IssuedTokens> {
  const { jwtTrust: trust } = app;
  if (trust === undefined) throw oauthFailure("unauthorized_client", "the app is not registered for assertions");
  await checkAssertion(trust, required(body, "assertion"), world.clock.now());
  // while that took its time, the app may have been removed or its plan changed: everything else is looked at now
  if (world.oauthApps.get(app.clientId) !== app) throw oauthFailure("invalid_client", "client_id: no such app");
  if (!JWT_PLANS.has(world.organizations.get(trust.organizationSlug)?.plan ?? "free")) {
    throw oauthFailure("unauthorized_client", "the grant type jwt-bearer needs the plan Team or Enterprise");
  }
  const scopes = narrowed(body.scope, app.scopes);
  return issueTokens(world, standingGrant(world, app, trust), scopes);
}

/** All that an app gets by assertions is one family: an exchange leaves a refresh token behind, as any does, and no grant. */
function standingGrant(world: World, app: OAuthApp, trust: JwtTrust): { grantId: string; grant: OAuthGrant } {
  const { clientId, scopes } = app;
  const { userId, organizationSlug } = trust;
  for (const [grantId, grant] of world.oauthGrants.rows()) {
    if (grant.standing && grant.clientId === clientId) {
      const current = { ...grant, userId, organizationSlug, scopes };
      world.oauthGrants.set(grantId, current);
      return { grantId, grant: current };
    }
  }
  const wanted = { clientId, userId, organizationSlug, scopes, standing: true };
  return { grantId: newGrant(world, wanted), grant: { ...wanted, createdAtMs: world.clock.now() } };
}

function grantOf(world: World, app: OAuthApp, grantId: string): OAuthGrant | undefined {
  const grant = world.oauthGrants.get(grantId);
  return grant?.clientId === app.clientId ? grant : undefined;
}

/** @throws ApiFailure 400 for a scope that was not granted (RFC 6749 §6) */
function narrowed(wanted: string | undefined, granted: readonly OAuthScope[]): readonly OAuthScope[] {
  const names = scopeNames(wanted);
  const foreign = names.filter((name) => !granted.some((scope) => scope === name));
  if (foreign.length > 0) throw oauthFailure("invalid_scope", `scope: not granted: ${foreign.join(", ").slice(0, 99)}`);
  return names.length === 0 ? granted : granted.filter((scope) => names.includes(scope));
}

/**
 * PKCE (RFC 7636 §4.6). A verifier for a code without a challenge is refused too: somebody removed the challenge (RFC 9700 §2.1.1).
 * @throws ApiFailure 400
 */
function checkVerifier(challenge: Challenge | undefined, verifier: string | undefined): void {
  if (challenge === undefined && verifier === undefined) return;
  if (challenge === undefined || verifier === undefined || !matches(challenge, verifier)) {
    throw oauthFailure("invalid_grant", "code_verifier: not the one of the code_challenge");
  }
}

/** `sha256` is named beside `S256` and not described: its challenge is taken in base64url, as that of S256, and in hex. */
function matches({ method, value }: Challenge, verifier: string): boolean {
  const hash = createHash("sha256").update(verifier);
  switch (method) {
    case "plain":
      return value === verifier;
    case "S256":
      return value === hash.digest("base64url");
    case "sha256": {
      const digest = hash.digest();
      return value === digest.toString("base64url") || value === digest.toString("hex");
    }
    default:
      return method satisfies never;
  }
}
