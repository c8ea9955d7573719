import { OAUTH_SCOPES } from "../../api/contract/oauth.ts";
import { type CustomReply, redirectReply } from "../http/answer.ts";
import { type Challenge, type OAuthApp, type OAuthRequest, type OAuthScope, REQUEST_MS } from "./oauth-state.ts";
import { newCredential, sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { describable, type OAuthError, oauthFailure } from "./oauth-failure.ts";

/**
 * Requests for an authorization. What is wrong with the app or with where the browser shall return to is answered on the spot, and never
 * by a redirect (RFC 6749 §3.1.2.4); everything else that is wrong goes back to the app with the browser, also what the contract's schemas
 * refuse (oauth-refused.ts). Any other caller learns the same as a plain refusal, and where nothing is wrong gets the catalogue's 204
 * (facts.md §6.14).
 */

/** What the query of either operation says. */
export interface AuthorizationQuery {
  readonly client_id: string;
  readonly response_type: string;
  readonly redirect_uri: string;
  readonly scope?: string | undefined;
  readonly state?: string | undefined;
  readonly response_mode?: string | undefined;
  readonly code_challenge?: string | undefined;
  readonly code_challenge_method?: Challenge["method"] | undefined;
  readonly organization_slug?: string | undefined;
}

/** Path of the consent page, which is no operation of the API. */
export const CONSENT_PATH = "/oauth/consent";
export const CONSENT_COOKIE = "consent";

/** @param claimedRef project that the user claims by consenting @param accept the Accept header, lower case */
export function authorization(
  world: World,
  query: AuthorizationQuery,
  { accept, claimedRef }: { readonly accept: string; readonly claimedRef?: string },
): CustomReply | undefined {
  const app = appReturningTo(world, query);
  const refusal = refusalOf(app, query);
  if (!acceptsPage(accept)) {
    if (refusal !== undefined) throw oauthFailure(refusal.error, refusal.message);
    return undefined;
  }
  const told = unservedOf(query) ?? refusal;
  return told === undefined
    ? toConsent(world, { app, query, claimedRef })
    : backWith(told, query.redirect_uri, query.state);
}

/** Whether a page is what the caller would like to see. */
export function acceptsPage(accept: string): boolean {
  return accept.split(",").some((range) => /^\s*text\/html\s*(;(?!\s*q=0(\.0*)?\s*$).*)?$/.test(range));
}

/** @throws ApiFailure 400 for an unknown app, or a redirect URI that is not one of its own, to the letter */
export function appReturningTo(world: World, query: Pick<AuthorizationQuery, "client_id" | "redirect_uri">): OAuthApp {
  const app = world.oauthApps.get(query.client_id);
  if (app === undefined) throw oauthFailure("unauthorized_client", "client_id: there is no such OAuth app");
  if (app.redirectUris.includes(query.redirect_uri)) return app;
  throw oauthFailure("invalid_request", "redirect_uri: not one of the app's registered redirect URIs");
}

interface OAuthRefusal {
  readonly error: OAuthError;
  readonly message: string;
}

/** A browser on its way back to the app, which learns from it what was wrong (RFC 6749 §4.1.2.1). */
export function backWith(
  { error, message }: OAuthRefusal,
  redirectUri: string,
  state: string | undefined,
): CustomReply {
  return redirectReply(returnTo(redirectUri, { error, error_description: describable(message), state }));
}

/**
 * What the contract takes, and says nowhere how a browser would bring the answer back: it names two more response types, and leaves modes open, but describes
 * the code flow alone.
 */
function unservedOf(query: AuthorizationQuery): OAuthRefusal | undefined {
  if (query.response_type !== "code") {
    return { error: "unsupported_response_type", message: "response_type: only code is supported" };
  }
  if (query.response_mode === undefined || query.response_mode === "query") return undefined;
  return { error: "invalid_request", message: "response_mode: only query is supported" };
}

function refusalOf(app: OAuthApp, query: AuthorizationQuery): OAuthRefusal | undefined {
  if (query.code_challenge_method !== undefined && query.code_challenge === undefined) {
    return { error: "invalid_request", message: "code_challenge: required with code_challenge_method" };
  }
  const foreign = scopeNames(query.scope).filter((name) => !app.scopes.some((scope) => scope === name));
  if (foreign.length === 0) return undefined;
  return { error: "invalid_scope", message: `scope: not among the app's scopes: ${foreign.join(", ").slice(0, 200)}` };
}

/** The names of a scope parameter, which has blanks between them. */
export function scopeNames(text: string | undefined): readonly string[] {
  return (text ?? "").split(" ").filter((name) => name !== "");
}

/** The scopes that a parameter names, of those that may be had; without one: all of them. */
function chosenScopes(text: string | undefined, available: readonly OAuthScope[]): readonly OAuthScope[] {
  const names = scopeNames(text);
  if (names.length === 0) return available;
  return OAUTH_SCOPES.filter((scope) => names.includes(scope) && available.includes(scope));
}

/** Remembers what is asked for until the user answers, and what only this browser has, so that no other page can answer for it. */
function toConsent(
  world: World,
  wanted: { readonly app: OAuthApp; readonly query: AuthorizationQuery; readonly claimedRef: string | undefined },
): CustomReply {
  forgetExpired(world);
  const [id, browser] = [newCredential(), newCredential()];
  world.oauthRequests.set(sha256(id), requestOf(world, wanted, browser));
  const path = `${CONSENT_PATH}/${id}`;
  const lifetime = `Max-Age=${REQUEST_MS / 1000}`;
  const cookie = `${CONSENT_COOKIE}=${browser}; Path=${path}; ${lifetime}; HttpOnly; SameSite=Strict`;
  return redirectReply(path, { "set-cookie": cookie, "cache-control": "no-store" });
}

function requestOf(
  world: World,
  {
    app,
    query,
    claimedRef,
  }: { readonly app: OAuthApp; readonly query: AuthorizationQuery; readonly claimedRef: string | undefined },
  browser: string,
): OAuthRequest {
  const { state, organization_slug: organizationSlug, redirect_uri: redirectUri } = query;
  const challenge = challengeOf(query);
  return {
    clientId: app.clientId,
    redirectUri,
    scopes: chosenScopes(query.scope, app.scopes),
    ...(state === undefined ? {} : { state }),
    ...(challenge === undefined ? {} : { challenge }),
    ...(organizationSlug === undefined ? {} : { organizationSlug }),
    ...(claimedRef === undefined ? {} : { claimedRef }),
    browserDigest: sha256(browser),
    expiresAtMs: world.clock.now() + REQUEST_MS,
  };
}

/** Without a method it is plain (RFC 7636 §4.3). */
function challengeOf(query: AuthorizationQuery): Challenge | undefined {
  const { code_challenge: value, code_challenge_method: method = "plain" } = query;
  return value === undefined ? undefined : { value, method };
}

function forgetExpired(world: World): void {
  for (const [key, { expiresAtMs }] of world.oauthRequests.rows()) {
    if (expiresAtMs <= world.clock.now()) world.oauthRequests.delete(key);
  }
}

/** An app's redirect URI with an answer in its query; what it has there already stays. */
export function returnTo(redirectUri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer)) if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
