import { expect } from "vitest";
import { type EffectsOf, type Scene, SHOP } from "./scene.ts";

const CALLBACK = "https://app.example.test/callback";
const APP = { client_id: "app", client_secret: "app-secret" } as const;
const ASKED = { client_id: APP.client_id, response_type: "code", redirect_uri: CALLBACK } as const;
const TO_A_PROGRAM =
  "a program is answered 204 and nothing begins, which no operation shows: a browser gets a page instead (test/browser)";

async function register({ control }: Scene): Promise<void> {
  await control.oauth.addApp({
    clientId: APP.client_id,
    clientSecret: APP.client_secret,
    redirectUris: [CALLBACK],
    scopes: ["projects:read"],
  });
}

/** Tokens for the owner's consent. */
async function consented(scene: Scene) {
  await register(scene);
  const { code } = await scene.control.oauth.approve({ clientId: "app", user: "owner", organization: "acme" });
  const grant = { grant_type: "authorization_code", code, redirect_uri: CALLBACK } as const;
  return scene.client.oauth.token({ body: { ...APP, ...grant } });
}

export const oauth: EffectsOf<"oauth"> = {
  authorize: {
    because: TO_A_PROGRAM,
    proof: async (scene) => {
      await expect(scene.client.oauth.authorize(ASKED)).rejects.toMatchObject({ status: 400 });
      await register(scene);
      const narrowed = { ...ASKED, scope: "projects:read", organization_slug: "acme" };
      expect(await scene.client.oauth.authorize(narrowed)).toBeUndefined();
      expect(await scene.control.oauth.grants()).toEqual([]);
    },
  },
  authorizeProjectClaim: {
    because: TO_A_PROGRAM,
    proof: async (scene) => {
      await register(scene);
      const claim = { ...ASKED, project_ref: SHOP };
      expect(await scene.client.oauth.authorizeProjectClaim(claim)).toBeUndefined();
      expect(await scene.control.oauth.grants()).toEqual([]);
      const nobodys = { ...claim, project_ref: "z".repeat(20) };
      await expect(scene.client.oauth.authorizeProjectClaim(nobodys)).rejects.toMatchObject({ status: 404 });
    },
  },
  token: async (scene) => {
    const tokens = await consented(scene);
    expect(tokens).toMatchObject({ expires_in: 3600, token_type: "Bearer" });
    const app = scene.as(tokens.access_token);
    expect(await app.projects.get({ ref: SHOP })).toMatchObject({ name: "shop" });
    await expect(app.secrets.list({ ref: SHOP })).rejects.toMatchObject({ status: 403 });
  },
  revoke: async (scene) => {
    const { access_token, refresh_token } = await consented(scene);
    await scene.client.oauth.revoke({ body: { ...APP, refresh_token: refresh_token ?? "" } });
    await expect(scene.as(access_token).projects.get({ ref: SHOP })).rejects.toMatchObject({ status: 401 });
    const again = { ...APP, grant_type: "refresh_token", refresh_token: refresh_token ?? "" } as const;
    await expect(scene.client.oauth.token({ body: again })).rejects.toMatchObject({ status: 400 });
  },
};
