import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EmulatorUnderTest } from "../../test/support/emulator/api.ts";
import {
  aSigner,
  AUDIENCE,
  CLIENT,
  emulatorWithApps,
  ISSUER,
  REF,
  someTokens,
  SUBJECT,
} from "../../test/support/emulator/oauth.ts";
import { recordingMeter } from "../../test/support/kube-server/recording-meter.ts";
import { Pacer } from "../api/pacing/pacer.ts";
import { silentLogger } from "../base/log.ts";
import type { Connected, Credential } from "../controllers/connection/credential.ts";
import { connector } from "./connector.ts";

/** What a connection hears of its client: that its credential is over, whoever found that out, and what its app may not do. */

const HOUR_MS = 3_600_000;

let under: EmulatorUnderTest;
let folder: string;
const open: Connected[] = [];

beforeEach(async () => {
  under = await emulatorWithApps();
  folder = await mkdtemp(join(tmpdir(), "baas-connector-"));
});

afterEach(async () => {
  for (const { client } of open.splice(0)) await client.close();
  await under[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

/** A client of a credential, and how often its connection was told of news. */
function connect(credential: Credential, missingScopes: readonly string[] = []) {
  const { clock, emulator } = under;
  const random = (): number => 0;
  const meter = recordingMeter();
  const pacer = new Pacer({ clock, random, meter });
  const settings = { pacer, clock, random, log: silentLogger, meter, mayStart: () => true };
  const told = { news: 0 };
  const onNews = (): void => void (told.news += 1);
  const made = connector({ settings, workloadIdentityTokenFile: join(folder, "token") });
  const connected = made({ baseUrl: emulator.url, credential, missingScopes, onNews });
  open.push(connected);
  return { ...connected, told, meter, pacer };
}

async function app(scopes?: readonly ("projects:read" | "organizations:read")[]): Promise<Credential> {
  const consent = scopes === undefined ? {} : { scopes: [...scopes] };
  let token = (await someTokens(under, consent)).refresh_token;
  const refreshTokens = {
    refreshToken: () => Promise.resolve(token),
    store: (next: string) => Promise.resolve(void (token = next)),
    begin: () => Promise.resolve(false),
    refused: () => Promise.resolve(),
  };
  const { client_id: clientId, client_secret: clientSecret } = CLIENT;
  return { kind: "oauth", clientId, clientSecret, origin: "seed", owner: "uid", refreshTokens };
}

async function revokeAll(): Promise<void> {
  for (const { id } of await under.control.oauth.grants()) await under.control.oauth.revokeGrant({ id });
}

describe("a connection is told", () => {
  it("that a refresh token is refused when an access token ended in its own time, which no 401 tells", async () => {
    const { client, told } = connect(await app());
    await client.projects.get({ ref: REF });
    await revokeAll();
    under.clock.advance(HOUR_MS);
    await expect(client.projects.get({ ref: REF })).rejects.toMatchObject({ code: "CREDENTIAL" });
    expect(told.news).toBe(1);
    const { entries } = await under.control.log.read({ operation: "projects.get" });
    expect(entries.map(({ status }) => status)).toEqual([200]);
  });

  it("that a token is rejected", async () => {
    const { client, told } = connect({ kind: "token", token: "nobody-knows-this" });
    await expect(client.organizations.list()).rejects.toMatchObject({ code: "UNAUTHORIZED" });
    expect(told.news).toBeGreaterThan(0);
  });

  it("nothing of a write that is answered 401 while the token is let in, and its access token is used on", async () => {
    await under.control.tokens.add({ token: "own", user: "owner" });
    for (const credential of [await app(), { kind: "token", token: "own" } as const]) {
      const { client, told } = connect(credential);
      await client.projects.get({ ref: REF });
      await under.control.log.clear();
      await under.control.faults.add({ operation: "projects.update", fault: { kind: "status", status: 401 } });
      const rename = { ref: REF, body: { name: "shop" } };
      await expect(client.projects.update(rename)).rejects.toMatchObject({ code: "REFUSED" });
      await client.projects.update(rename);
      expect(told.news).toBe(0);
      const { byOperation } = await under.control.log.summary();
      expect([byOperation["projects.update"], byOperation["oauth.token"]]).toEqual([2, undefined]);
    }
  });

  it("of each scope that is found to be missing, once, and when it is there after all", async () => {
    const lacking = connect(await app(["organizations:read"]));
    for (const _ of [1, 2]) {
      await expect(lacking.client.projects.get({ ref: REF })).rejects.toMatchObject({ code: "FORBIDDEN" });
    }
    expect([lacking.missingScopes(), lacking.told.news]).toEqual([["projects:read"], 1]);
    const whole = connect(await app(), ["projects:read"]);
    await whole.client.projects.get({ ref: REF });
    expect([whole.missingScopes(), whole.told.news]).toEqual([[], 1]);
  });

  it("of no scopes where a token has none", async () => {
    expect(connect({ kind: "token", token: "any" }, ["projects:read"]).missingScopes()).toBeUndefined();
  });
});

describe("the operator's ServiceAccount token", () => {
  it("is read anew for each exchange, since the kubelet replaces it in place; its absence is told and ends", async () => {
    const signer = await aSigner();
    const trust = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks: signer.jwks };
    const jwtBearer = { ...trust, user: "owner", organization: "acme" };
    await under.control.oauth.addApp({ clientId: "workload", clientSecret: "not shown", jwtBearer });
    const { client, told } = connect({ kind: "workloadIdentity", clientId: "workload", clientSecret: undefined });
    await expect(client.projects.get({ ref: REF })).rejects.toMatchObject({
      message: "the assertion could not be read (ENOENT)",
      cause: { fault: "missing" },
    });
    expect(told.news).toBe(1);
    for (const hours of [1, 2]) {
      await writeFile(join(folder, "token"), await signer.sign({ expiresAt: under.clock.now() / 1000 + 600 }));
      expect(await client.projects.get({ ref: REF }), `hour ${hours}`).toMatchObject({ name: "shop" });
      under.clock.advance(HOUR_MS);
    }
  });
});

it("counts what an app's token takes among the requests, and against the budget of the address", async () => {
  const { client, meter, pacer } = connect(await app());
  await client.projects.get({ ref: REF });
  expect(meter.counted("baas_api_requests_total", { operation: "oauth.token", outcome: "200" })).toBe(1);
  expect(pacer.size).toBe(2);
});
