import { timingSafeEqual } from "node:crypto";
import type { BasicCredentials } from "../access/basic.ts";
import type { OAuthApp } from "./oauth-state.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { oauthFailure } from "./oauth-failure.ts";

/** How an OAuth app says who it is: by fields of the body or by a Basic header, never by both (RFC 6749 §2.3.1). */

interface ClientFields {
  readonly client_id?: string | undefined;
  readonly client_secret?: string | undefined;
}

/**
 * The app that asks.
 * @param options.secret `optional`: an assertion proves who asks as well as a secret would; a wrong one is still refused
 * @throws ApiFailure 401 or 400
 */
export function clientOf(
  world: World,
  { client_id: id, client_secret: secret }: ClientFields,
  { basic, secret: needed }: { readonly basic: BasicCredentials | undefined; readonly secret: "required" | "optional" },
): OAuthApp {
  if (basic !== undefined && secret !== undefined) {
    throw oauthFailure("invalid_request", "client_secret: given in the body and in the Authorization header");
  }
  const known = basic === undefined ? inBody(world, id, secret) : inHeader(world, basic);
  if (known === undefined) throw oauthFailure("invalid_client", "client_id or client_secret: wrong or missing");
  if (id !== undefined && id !== known.app.clientId) {
    throw oauthFailure("invalid_request", "client_id: not the one of the Authorization header");
  }
  if (!known.proved && needed === "required") {
    throw oauthFailure("invalid_client", "client_id or client_secret: wrong or missing");
  }
  return known.app;
}

interface KnownClient {
  readonly app: OAuthApp;
  /** whether the secret was given */
  readonly proved: boolean;
}

function inBody(world: World, id: string | undefined, secret: string | undefined): KnownClient | undefined {
  const app = world.oauthApps.get(id ?? "");
  if (app === undefined || secret === undefined) return app && { app, proved: false };
  return isSecretOf(app, secret) ? { app, proved: true } : undefined;
}

/** Both parts are form-encoded by the RFC, and not by many clients: either is taken. */
function inHeader(world: World, { user, password }: BasicCredentials): KnownClient | undefined {
  const app = world.oauthApps.get(user) ?? world.oauthApps.get(decoded(user));
  if (app === undefined) return undefined;
  return isSecretOf(app, password) || isSecretOf(app, decoded(password)) ? { app, proved: true } : undefined;
}

function isSecretOf({ secretDigest }: OAuthApp, secret: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(secret)), Buffer.from(secretDigest));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}
