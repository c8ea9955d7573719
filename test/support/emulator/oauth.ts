import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { type TokenResponse, tokenResponseSchema } from "../../../src/api/contract/oauth.ts";
import type { EmulatorOptions } from "../../../src/emulator/emulator.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest, type Received } from "./api.ts";

/** An OAuth app on an emulator, and the steps that many tests begin with. */

export const CLIENT = { client_id: "deployer", client_secret: "s3cr3t+/=%&:ü of deployer" } as const;
export const OTHER_CLIENT = { client_id: "other", client_secret: "secret of other" } as const;
export const CALLBACK = "https://app.example.test/callback?from=here";
export const SCOPES = ["organizations:read", "projects:read", "projects:write", "secrets:read"] as const;
export const REF = "abcdefghijklmnopqrst";

/** Two apps, two organizations of the owner, and a project in the first. */
export function emulatorWithApps(options: EmulatorOptions = {}): Promise<EmulatorUnderTest> {
  const { seed = {}, ...others } = options;
  return emulatorUnderTest({
    ...others,
    seed: {
      organizations: [
        { slug: "acme", name: "Acme", plan: "team", members: { owner: "Owner", dev: "Developer" } },
        { slug: "beta", name: "Beta", plan: "team", members: { owner: "Owner" } },
      ],
      projects: [{ name: "shop", ref: REF, organization: "acme" }],
      oauthApps: [
        {
          clientId: CLIENT.client_id,
          clientSecret: CLIENT.client_secret,
          name: "Deployer",
          redirectUris: [CALLBACK, "myapp:callback"],
          scopes: [...SCOPES],
        },
        { clientId: OTHER_CLIENT.client_id, clientSecret: OTHER_CLIENT.client_secret, redirectUris: [CALLBACK] },
      ],
      ...seed,
    },
  });
}

/** Asks the token endpoint with a form. */
export function askToken(
  { call }: EmulatorUnderTest,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return call("POST", "/v1/oauth/token", { token: null, body: new URLSearchParams(fields), headers });
}

/** A code as the consent of the owner gives it. */
export async function aCode(
  { control }: EmulatorUnderTest,
  consent: Partial<Parameters<EmulatorUnderTest["control"]["oauth"]["approve"]>[0]> = {},
): Promise<string> {
  const wanted = { clientId: CLIENT.client_id, user: "owner", organization: "acme", ...consent };
  return (await control.oauth.approve(wanted)).code;
}

/** Exchanges a new code. */
export async function someTokens(
  under: EmulatorUnderTest,
  consent: Parameters<typeof aCode>[1] = {},
): Promise<TokenResponse & { readonly refresh_token: string }> {
  const grant = { grant_type: "authorization_code", code: await aCode(under, consent), redirect_uri: CALLBACK };
  return tokensOf(await askToken(under, { ...CLIENT, ...grant }));
}

export function tokensOf(received: Received): TokenResponse & { readonly refresh_token: string } {
  const tokens = bodyAs(tokenResponseSchema, received);
  return { ...tokens, refresh_token: tokens.refresh_token ?? "" };
}

export function refresh(
  under: EmulatorUnderTest,
  refreshToken: string,
  more: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return askToken(under, { grant_type: "refresh_token", ...CLIENT, refresh_token: refreshToken, ...more });
}

export const ISSUER = "https://cluster.example.test";
export const SUBJECT = "system:serviceaccount:baas:operator";
export const AUDIENCE = "https://api.example.test";

interface AssertionOptions {
  readonly issuer?: string;
  readonly subject?: string;
  readonly audience?: string;
  /** seconds since the epoch; null: none */
  readonly expiresAt?: number | null;
  readonly issuedAt?: number;
}

/** A key of a cluster that signs assertions, and what an app's registration says of it. */
export async function aSigner(): Promise<{
  readonly jwks: { keys: ({ kty: string } & Record<string, unknown>)[] };
  readonly sign: (options?: AssertionOptions) => Promise<string>;
}> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = await exportJWK(publicKey);
  const key = { ...jwk, kty: jwk.kty ?? "", kid: "one", alg: "ES256" };
  return {
    jwks: { keys: [key] },
    sign: ({ issuer = ISSUER, subject = SUBJECT, audience = AUDIENCE, expiresAt, issuedAt } = {}) => {
      const made = new SignJWT({}).setProtectedHeader({ alg: "ES256", kid: "one" });
      made.setIssuer(issuer).setSubject(subject).setAudience(audience);
      if (issuedAt !== undefined) made.setIssuedAt(issuedAt);
      if (expiresAt !== null) made.setExpirationTime(expiresAt ?? Date.UTC(2026, 0, 1, 1) / 1000);
      return made.sign(privateKey);
    },
  };
}
