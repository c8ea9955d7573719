import { ACCESS_TOKEN_MS, type Challenge, CODE_MS, type OAuthGrant, type OAuthScope } from "./oauth-state.ts";
import { newCredential, newId, sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";

/**
 * The family of a grant: the code, and every access and refresh token that came from it. It lives and dies with the grant's row, so that
 * a code or refresh token that is used twice takes all of it along (RFC 6749 §4.1.2, RFC 9700 §4.14.2).
 */

/** @returns the grant's id */
export function newGrant(world: World, grant: Omit<OAuthGrant, "createdAtMs">): string {
  const grantId = newId();
  world.oauthGrants.set(grantId, { ...grant, createdAtMs: world.clock.now() });
  return grantId;
}

/** @returns the code, which is kept as a digest only */
export function issueCode(
  world: World,
  grantId: string,
  { redirectUri, challenge }: { readonly redirectUri: string; readonly challenge?: Challenge | undefined },
): string {
  const code = newCredential();
  world.oauthCodes.set(sha256(code), {
    grantId,
    redirectUri,
    ...(challenge === undefined ? {} : { challenge }),
    expiresAtMs: world.clock.now() + CODE_MS,
    used: false,
  });
  return code;
}

/** As the token endpoint answers them. */
export interface IssuedTokens {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly token_type: "Bearer";
}

/** A new access token and the refresh token that replaces whatever was before. */
export function issueTokens(
  world: World,
  { grantId, grant }: { readonly grantId: string; readonly grant: OAuthGrant },
  scopes: readonly OAuthScope[],
): IssuedTokens {
  const nowMs = world.clock.now();
  forgetExpired(world, grantId, nowMs);
  const [accessToken, refreshToken] = [newCredential(), newCredential()];
  world.tokens.set(sha256(accessToken), {
    kind: "oauth",
    userId: grant.userId,
    grantId,
    scopes,
    expiresAtMs: nowMs + ACCESS_TOKEN_MS,
  });
  world.refreshTokens.set(sha256(refreshToken), { grantId, used: false });
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    expires_in: ACCESS_TOKEN_MS / 1000,
    token_type: "Bearer",
  };
}

/** Makes void all that was issued for a grant. */
export function revokeGrant(world: World, grantId: string): void {
  world.oauthGrants.delete(grantId);
  for (const table of [world.oauthCodes, world.refreshTokens]) {
    for (const [key, row] of table.rows()) if (row.grantId === grantId) table.delete(key);
  }
  for (const [key, token] of world.tokens.rows()) {
    if (token.kind === "oauth" && token.grantId === grantId) world.tokens.delete(key);
  }
}

/** Ends every access token now, as its time would; what it was issued for stays. @returns how many held until now */
export function expireAccessTokens(world: World): number {
  const nowMs = world.clock.now();
  const holding = [...world.tokens.rows()].flatMap(([key, token]) =>
    token.kind === "oauth" && token.expiresAtMs > nowMs ? [{ key, token }] : [],
  );
  for (const { key, token } of holding) world.tokens.set(key, { ...token, expiresAtMs: nowMs });
  return holding.length;
}

function forgetExpired(world: World, grantId: string, nowMs: number): void {
  for (const [key, token] of world.tokens.rows()) {
    if (token.kind === "oauth" && token.grantId === grantId && token.expiresAtMs <= nowMs) world.tokens.delete(key);
  }
}
