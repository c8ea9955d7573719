import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { testClient } from "../../../test/support/api-server/test-client.ts";
import { TOKEN, type EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import {
  aCode,
  askToken,
  CALLBACK,
  CLIENT,
  emulatorWithApps,
  refresh,
  REF,
  someTokens,
  tokensOf,
} from "../../../test/support/emulator/oauth.ts";

type Client = ReturnType<typeof testClient>;

const clients: Client[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

function clientOf({ emulator, clock }: EmulatorUnderTest, token: string): Client {
  const credentials = { token: () => Promise.resolve(token), onRejected: () => undefined };
  const client = testClient(emulator.url, { clock, credentials });
  clients.push(client);
  return client;
}

describe("the typed client", () => {
  it("gets tokens for a code, refreshes them and revokes them, without a token of its own", async () => {
    await using under = await emulatorWithApps();
    const { oauth } = clientOf(under, "no token at all");
    const code = await aCode(under);
    const first = await oauth.token({
      body: { ...CLIENT, grant_type: "authorization_code", code, redirect_uri: CALLBACK },
    });
    expect(await clientOf(under, first.access_token).projects.get({ ref: REF })).toMatchObject({ name: "shop" });
    const second = await oauth.token({
      body: { ...CLIENT, grant_type: "refresh_token", refresh_token: first.refresh_token ?? "" },
    });
    await oauth.revoke({ body: { ...CLIENT, refresh_token: second.refresh_token ?? "" } });
    for (const { access_token: token } of [first, second]) {
      await expect(clientOf(under, token).projects.get({ ref: REF })).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    }
    const { entries } = await under.control.log.read({ operation: "oauth.token" });
    expect(new Set(entries.map(({ identity }) => identity))).toEqual(new Set(["address:127.0.0.1"]));
  });

  it("gets the refusal in words that hold no secret", async () => {
    await using under = await emulatorWithApps();
    const { oauth } = clientOf(under, TOKEN);
    const body = { ...CLIENT, client_secret: "a wrong one", grant_type: "refresh_token", refresh_token: "r" } as const;
    await expect(oauth.token({ body })).rejects.toMatchObject({
      status: 401,
      message: "client_id or client_secret: wrong or missing",
    });
  });
});

describe("what was granted", () => {
  it("is there again after a restart, and so is what was used already", async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "baas-oauth-"));
    folders.push(dataDir);
    let first;
    let code;
    {
      await using under = await emulatorWithApps({ dataDir });
      code = await aCode(under);
      const grant = { ...CLIENT, grant_type: "authorization_code", code, redirect_uri: CALLBACK };
      first = tokensOf(await askToken(under, grant));
      await someTokens(under);
    }
    await using under = await emulatorWithApps({ dataDir });
    const second = tokensOf(await refresh(under, first.refresh_token));
    const status = async (token: string) => (await under.call("GET", "/v1/profile", { token })).status;
    expect([await status(first.access_token), await status(second.access_token)]).toEqual([200, 200]);
    const again = { ...CLIENT, grant_type: "authorization_code", code, redirect_uri: CALLBACK };
    expect((await askToken(under, again)).status).toBe(400);
    expect([await status(first.access_token), await status(second.access_token)]).toEqual([401, 401]);
    expect(await under.control.oauth.grants()).toHaveLength(1);
  });
});
