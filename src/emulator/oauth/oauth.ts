import { oauth } from "../../api/contract/oauth.ts";
import { visibleMainProject } from "../access.ts";
import { authorize } from "../access/authorize.ts";
import { revokeGrant } from "./oauth-grants.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { authorization } from "./oauth-authorize.ts";
import { clientOf } from "./oauth-client.ts";
import { token } from "./oauth-token.ts";

/** The OAuth endpoints. What a browser shows its user between authorize and token is in oauth-consent.ts. */
export function oauthHandlers(world: World): SectionHandlers<"oauth"> {
  return {
    authorize: ({ query, accept }) => authorization(world, query, { accept }),
    authorizeProjectClaim: ({ query, accept, caller }) => {
      const { project_ref: ref, ...request } = query;
      const project = visibleMainProject(world, caller, ref);
      // the project stands in the query, where nobody else looks
      authorize(world, oauth.authorizeProjectClaim, { caller, scope: ref });
      return authorization(world, request, { accept, claimedRef: project.ref });
    },
    token: (request) => token(world, request),
    /** Says nothing of a token that it does not know, or that is another app's (RFC 7009 §2.2). */
    revoke: ({ body, basic }) => {
      const app = clientOf(world, body, { basic, secret: "required" });
      const grantId = world.refreshTokens.get(sha256(body.refresh_token))?.grantId;
      const grant = grantId === undefined ? undefined : world.oauthGrants.get(grantId);
      if (grantId !== undefined && grant?.clientId === app.clientId) revokeGrant(world, grantId);
      return undefined;
    },
  };
}
