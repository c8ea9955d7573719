import { z } from "zod";
import { CODE_CHALLENGE_METHODS, OAUTH_SCOPES } from "../../api/contract/oauth.ts";

/**
 * What the emulated service remembers of OAuth: apps, what users granted them, and what was issued for that. Codes, tokens and secrets are
 * kept as SHA-256 digests, which are also the keys of their rows.
 */

/** How long they live, milliseconds; promises of the service, which `speed` does not shorten. Refresh tokens live until they are used. */
export const ACCESS_TOKEN_MS = 3_600_000;
export const CODE_MS = 600_000;
/** how long a user may think about consent */
export const REQUEST_MS = 600_000;

const scopes = z.array(z.enum(OAUTH_SCOPES)).readonly();
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** A public key set (RFC 7517 §5); what the keys are, the library that uses them knows. */
export const jwksSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).min(1) }).readonly();

/** Whose assertions an app may exchange, and for whom it then acts (RFC 7523). */
const jwtTrustSchema = z
  .strictObject({
    issuer: z.string(),
    subject: z.string(),
    audience: z.string(),
    jwks: jwksSchema,
    userId: z.string(),
    organizationSlug: z.string(),
  })
  .readonly();
export type JwtTrust = z.output<typeof jwtTrustSchema>;

/** Under its client id. */
const oauthAppSchema = z
  .strictObject({
    clientId: z.string(),
    secretDigest: z.string(),
    name: z.string(),
    redirectUris: z.array(z.string()).readonly(),
    /** the most that it may ask for */
    scopes,
    /** a selected partner, who may call the migration endpoints (facts.md §2, migrations) */
    partner: z.boolean(),
    jwtTrust: jwtTrustSchema.optional(),
  })
  .readonly();
export type OAuthApp = z.output<typeof oauthAppSchema>;

/** What a user allowed an app in an organization. When the row goes, everything that was issued for it is void. */
const oauthGrantSchema = z
  .strictObject({
    clientId: z.string(),
    userId: z.string(),
    organizationSlug: z.string(),
    scopes,
    /** what the app gets by its assertions, without any user's consent */
    standing: z.boolean(),
    createdAtMs: z.number(),
  })
  .readonly();
export type OAuthGrant = z.output<typeof oauthGrantSchema>;

const challengeSchema = z.strictObject({ value: z.string(), method: z.enum(CODE_CHALLENGE_METHODS) }).readonly();
export type Challenge = z.output<typeof challengeSchema>;

/** What an app asked of a browser's user, until the user answers. Under the digest of the id in the page's address. */
const oauthRequestSchema = z
  .strictObject({
    clientId: z.string(),
    redirectUri: z.string(),
    scopes,
    state: z.string().optional(),
    challenge: challengeSchema.optional(),
    /** asked for by the app; the user may then choose no other */
    organizationSlug: z.string().optional(),
    /** of a project that the user claims by approving */
    claimedRef: z.string().optional(),
    /** digest of what only the browser that was sent here has, in a cookie */
    browserDigest: z.string(),
    expiresAtMs: z.number(),
  })
  .readonly();
export type OAuthRequest = z.output<typeof oauthRequestSchema>;

/** Under the digest of the code. */
const oauthCodeSchema = z
  .strictObject({
    grantId: z.string(),
    redirectUri: z.string(),
    challenge: challengeSchema.optional(),
    expiresAtMs: z.number(),
    /** a second use is an attack (RFC 6749 §4.1.2) */
    used: z.boolean(),
  })
  .readonly();

/** Under the digest of the token. */
const refreshTokenSchema = z
  .strictObject({
    grantId: z.string(),
    /** replaced by another one: a second use means that one of the two users stole it (RFC 9700 §4.14.2) */
    used: z.boolean(),
  })
  .readonly();

/** The tables, as tables.ts makes them. */
export const oauthApps = { name: "oauthApps", row: oauthAppSchema } as const;
export const oauthGrants = { name: "oauthGrants", row: oauthGrantSchema } as const;
export const oauthRequests = { name: "oauthRequests", row: oauthRequestSchema } as const;
export const oauthCodes = { name: "oauthCodes", row: oauthCodeSchema } as const;
export const refreshTokens = { name: "refreshTokens", row: refreshTokenSchema } as const;
