import { z } from "zod";
import { slugSchema } from "../../api/contract/fields.ts";
import { OAUTH_SCOPES } from "../../api/contract/oauth.ts";
import { revokeGrant } from "./oauth-grants.ts";
import { jwksSchema, type JwtTrust } from "./oauth-state.ts";
import { memberNamed } from "../organizations/member-named.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";

/** OAuth apps, which no operation of the API registers: they come from the seed and from control calls. */

/** RFC 6749 §3.1.2: absolute, without a fragment. */
const redirectUri = z
  .string()
  .refine((text) => URL.canParse(text) && !text.includes("#"), "a redirect URI is a whole URL without a fragment");

/** What a seed file and the control call `oauth.addApp` may say of an app. */
export const oauthAppSeedSchema = z.strictObject({
  clientId: z.string().min(1),
  clientSecret: z.string().min(1),
  /** default: the client id */
  name: z.string().min(1).optional(),
  /** compared character by character */
  redirectUris: z.array(redirectUri).default([]),
  /** the most that it may ask for; default: all there are */
  scopes: z.array(z.enum(OAUTH_SCOPES)).default([...OAUTH_SCOPES]),
  /** may call the migration endpoints */
  partner: z.boolean().default(false),
  /** whose signed assertions it may exchange (grant type jwt-bearer), and as whom it then acts */
  jwtBearer: z
    .strictObject({
      issuer: z.string().min(1),
      subject: z.string().min(1),
      audience: z.string().min(1),
      /** public keys */
      jwks: jwksSchema,
      /** username of a member of the organization */
      user: z.string().min(1),
      organization: slugSchema,
    })
    .optional(),
});
type AppSeed = z.output<typeof oauthAppSeedSchema>;

/** Registers an app, or replaces the one with its client id, whose grants stay. @throws SeedError */
export function addOAuthApp(world: World, app: AppSeed): void {
  const { clientId, clientSecret, name, redirectUris, scopes, partner } = app;
  const jwtTrust = trustOf(world, app);
  world.oauthApps.set(clientId, {
    clientId,
    secretDigest: sha256(clientSecret),
    name: name ?? clientId,
    redirectUris,
    scopes,
    partner,
    ...(jwtTrust === undefined ? {} : { jwtTrust }),
  });
}

const AT_TRUST = { organization: ["jwtBearer", "organization"], user: ["jwtBearer", "user"] };

function trustOf(world: World, { jwtBearer }: AppSeed): JwtTrust | undefined {
  if (jwtBearer === undefined) return undefined;
  const { user, organization, ...trust } = jwtBearer;
  const userId = memberNamed(world, { user, slug: organization }, AT_TRUST);
  return { ...trust, userId, organizationSlug: organization };
}

/** Makes an app unknown, with all that was granted to it. @returns whether there was one */
export function removeOAuthApp(world: World, clientId: string): boolean {
  for (const [grantId, grant] of world.oauthGrants.rows()) {
    if (grant.clientId === clientId) revokeGrant(world, grantId);
  }
  return world.oauthApps.delete(clientId);
}
