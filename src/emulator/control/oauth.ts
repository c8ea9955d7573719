import { z } from "zod";
import { knownInWords } from "../../base/near.ts";
import { CODE_CHALLENGE_METHODS, OAUTH_SCOPES } from "../../api/contract/oauth.ts";
import { badRequest } from "../failure.ts";
import { addOAuthApp, oauthAppSeedSchema, removeOAuthApp } from "../oauth/oauth-apps.ts";
import { memberNamed } from "../organizations/member-named.ts";
import { expireAccessTokens, issueCode, newGrant, revokeGrant } from "../oauth/oauth-grants.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations, nothing } from "./call.ts";
import { notThere } from "./not-there.ts";

/** Control calls about OAuth apps, which no operation registers, and a user's consent, for which nobody needs a browser in a test. */

const grantView = z.object({
  id: z.string(),
  clientId: z.string(),
  user: z.string(),
  organization: z.string(),
  scopes: z.array(z.string()),
});

export const oauthCalls = {
  oauth: {
    addApp: call({
      summary: "Register an OAuth app, or replace the one of this client id",
      input: oauthAppSeedSchema,
      output: done,
    }),
    removeApp: call({
      summary: "Make an OAuth app unknown, with all that was granted to it",
      input: z.strictObject({ clientId: z.string() }),
      output: z.object({ removed: z.boolean() }),
    }),
    approve: call({
      summary: "Consent as a user would on the page that a browser sees; the code is for the token endpoint",
      input: z.strictObject({
        clientId: z.string(),
        /** username of a member of the organization */
        user: z.string(),
        organization: z.string(),
        /** default: the first one that is registered */
        redirectUri: z.string().optional(),
        /** default: all that the app may have */
        scopes: z.array(z.enum(OAUTH_SCOPES)).optional(),
        codeChallenge: z.string().optional(),
        codeChallengeMethod: z.enum(CODE_CHALLENGE_METHODS).default("plain"),
      }),
      output: z.object({ code: z.string(), redirectUri: z.string() }),
    }),
    grants: call({ summary: "What users granted to apps", input: nothing, output: z.array(grantView) }),
    revokeGrant: call({
      summary: "Take a grant back, as a user does in the dashboard: everything issued for it is void",
      input: z.strictObject({ id: z.string() }),
      output: z.object({ revoked: z.boolean() }),
    }),
    expireTokens: call({
      summary: "End every access token of every grant before its time; refresh tokens stay",
      input: nothing,
      output: z.object({ expired: z.number() }),
    }),
  },
} as const;

export function oauthControl(world: World): Implementations<typeof oauthCalls> {
  return {
    oauth: {
      addApp: (app) => addOAuthApp(world, app),
      removeApp: ({ clientId }) => ({ removed: removeOAuthApp(world, clientId) }),
      approve: (input) => approve(world, input),
      grants: () =>
        [...world.oauthGrants.rows()].map(([id, { clientId, userId, organizationSlug, scopes }]) => ({
          id,
          clientId,
          user: world.users.get(userId)?.username ?? userId,
          organization: organizationSlug,
          scopes: [...scopes],
        })),
      revokeGrant: ({ id }) => {
        const revoked = world.oauthGrants.has(id);
        revokeGrant(world, id);
        return { revoked };
      },
      expireTokens: () => ({ expired: expireAccessTokens(world) }),
    },
  };
}

const AT_INPUT = { organization: ["organization"], user: ["user"] };

type Approve = (typeof oauthCalls)["oauth"]["approve"];

function approve(world: World, input: z.output<Approve["input"]>): z.output<Approve["output"]> {
  const { clientId, organization, codeChallenge, codeChallengeMethod } = input;
  const app = world.oauthApps.get(clientId);
  if (app === undefined) throw notThere("OAuth app", clientId, world.oauthApps.keys());
  const userId = memberNamed(world, { user: input.user, slug: organization }, AT_INPUT);
  const redirectUri = input.redirectUri ?? app.redirectUris[0] ?? "";
  if (!app.redirectUris.includes(redirectUri)) {
    throw badRequest(`redirectUri: none of the app's${knownInWords([redirectUri], app.redirectUris)}`);
  }
  const { scopes = app.scopes } = input;
  const grant = { clientId, userId, organizationSlug: organization, scopes, standing: false };
  const challenge = codeChallenge === undefined ? undefined : { value: codeChallenge, method: codeChallengeMethod };
  return { code: issueCode(world, newGrant(world, grant), { redirectUri, challenge }), redirectUri };
}
