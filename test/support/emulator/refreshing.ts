import { inspect } from "node:util";
import { afterEach, expect } from "vitest";
import type { ApiClient } from "../../../src/api/client.ts";
import { CredentialError } from "../../../src/api/credentials/credentials.ts";
import { OAuthRefresh, type OAuthRefreshOptions } from "../../../src/api/credentials/oauth-refresh.ts";
import { testClient } from "../api-server/test-client.ts";
import type { EmulatorUnderTest } from "./api.ts";
import { CLIENT, someTokens } from "./oauth.ts";

/** OAuth refresh against the emulator: rotation, reuse detection and expiry are the server's own. */

export const never = new AbortController().signal;

const clients: ApiClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

export interface Bench {
  readonly under: EmulatorUnderTest;
  readonly credentials: OAuthRefresh;
  /** what was stored, oldest first; the first one is what the app began with */
  readonly stored: string[];
  readonly client: ApiClient;
  /** how many token requests arrived */
  readonly exchanges: () => Promise<number>;
}

/** A credential that keeps its refresh token in `stored` and reads it there. */
export async function bench(under: EmulatorUnderTest, options: Partial<OAuthRefreshOptions> = {}): Promise<Bench> {
  const stored = [(await someTokens(under)).refresh_token];
  await under.control.log.clear();
  const credentials = new OAuthRefresh({
    baseUrl: under.emulator.url,
    clientId: CLIENT.client_id,
    clientSecret: CLIENT.client_secret,
    refreshToken: () => Promise.resolve(stored.at(-1) ?? ""),
    store: (refreshToken) => Promise.resolve(void stored.push(refreshToken)),
    clock: under.clock,
    random: () => 0,
    ...options,
  });
  const client = testClient(under.emulator.url, { clock: under.clock, credentials });
  clients.push(client);
  const exchanges = async () => (await under.control.log.read({ operation: "oauth.token" })).entries.length;
  return { under, credentials, stored, client, exchanges };
}

/** The words of the error with which the credential gives no token, which must hold no secret. */
export async function refusal({ credentials, stored }: Bench): Promise<string> {
  const error: unknown = await credentials.token(never).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CredentialError)) throw new Error("expected a CredentialError", { cause: error });
  const shown = inspect({ error, credentials }, { depth: 10, showHidden: true });
  for (const secret of [...stored, CLIENT.client_secret]) expect(shown).not.toContain(secret);
  return error.message;
}
