import { z } from "zod";
import type { Emulator } from "../../../src/emulator/emulator.ts";

/** The OAuth app of a garden's organization, and what its user consents to. */

const CALLBACK = "https://app.example.test/callback";
const issued = z.looseObject({ refresh_token: z.string() });

/** A garden, by its organization. */
interface Named {
  readonly organization: string;
}

/** A consent, and what it gave. */
export interface Consent {
  readonly grantId: string;
  readonly refreshToken: string;
}

export function clientIdOf({ organization }: Named): string {
  return `app-of-${organization}`;
}

export function clientSecretOf({ organization }: Named): string {
  return `secret-of-${organization}`;
}

export async function registerApp({ control }: Emulator, garden: Named): Promise<void> {
  const app = { clientId: clientIdOf(garden), clientSecret: clientSecretOf(garden), redirectUris: [CALLBACK] };
  await control.oauth.addApp(app);
}

/** The user lets the app act, as on the page that a browser sees. Past every fault, where there is none. */
export async function consent({ control, url }: Emulator, garden: Named, user: string): Promise<Consent> {
  const before = new Set((await control.oauth.grants()).map(({ id }) => id));
  const { code } = await control.oauth.approve({
    clientId: clientIdOf(garden),
    user,
    organization: garden.organization,
  });
  const grantId = (await control.oauth.grants()).find(({ id }) => !before.has(id))?.id ?? "";
  const fields = {
    client_id: clientIdOf(garden),
    client_secret: clientSecretOf(garden),
    grant_type: "authorization_code",
    code,
    redirect_uri: CALLBACK,
  };
  const answer = await fetch(`${url}/v1/oauth/token`, { method: "POST", body: new URLSearchParams(fields) });
  return { grantId, refreshToken: issued.parse(await answer.json()).refresh_token };
}
