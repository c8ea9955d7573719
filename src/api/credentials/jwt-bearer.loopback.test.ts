import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { testClient } from "../../../test/support/api-server/test-client.ts";
import type { EmulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aSigner, AUDIENCE, emulatorWithApps, ISSUER, REF, SUBJECT } from "../../../test/support/emulator/oauth.ts";
import type { ApiClient } from "../client.ts";
import { CredentialError } from "./credentials.ts";
import { assertionFile, JwtBearer, type JwtBearerOptions } from "./jwt-bearer.ts";

const never = new AbortController().signal;
const signer = await aSigner();

let folder = "";
const clients: ApiClient[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-assertion-"));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await rm(folder, { recursive: true, force: true });
});

/** An app that trusts the signer, and a credential that reads its assertion from a file. */
async function bench(options: Partial<JwtBearerOptions> = {}) {
  const under: EmulatorUnderTest = await emulatorWithApps();
  const jwtBearer = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks: signer.jwks };
  await under.control.oauth.addApp({
    clientId: "workload",
    clientSecret: "not used",
    jwtBearer: { ...jwtBearer, user: "owner", organization: "acme" },
  });
  const file = join(folder, "token");
  await writeFile(file, `${await signer.sign()}\n`);
  const credentials = new JwtBearer({
    baseUrl: under.emulator.url,
    clientId: "workload",
    assertion: assertionFile(file),
    clock: under.clock,
    random: () => 0,
    ...options,
  });
  const client = testClient(under.emulator.url, { clock: under.clock, credentials });
  clients.push(client);
  const exchanges = async () => (await under.control.log.read({ operation: "oauth.token" })).entries.length;
  return { under, credentials, client, file, exchanges, [Symbol.asyncDispose]: () => under[Symbol.asyncDispose]() };
}

async function refusal(credentials: JwtBearer): Promise<string> {
  const error: unknown = await credentials.token(never).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof CredentialError)) throw new Error("expected a CredentialError", { cause: error });
  expect(inspect({ error, credentials }, { depth: 10, showHidden: true })).not.toMatch(/eyJ/);
  return error.message;
}

const REFUSED =
  "the platform gives no access token (invalid_grant): check what the app trusts (issuer, subject, audience, key) and " +
  "that the assertion is not expired";

describe("access by assertions", () => {
  it("works: one exchange serves all calls until its token ends, and the calls are the app's", async () => {
    await using made = await bench();
    const { client, under, exchanges, file } = made;
    const ten = () => Promise.all(Array.from({ length: 10 }, () => client.projects.get({ ref: REF })));
    expect((await ten()).map(({ name }) => name)).toContain("shop");
    await ten();
    expect(await exchanges()).toBe(1);
    const { entries } = await under.control.log.read({ operation: "projects.get" });
    expect([...new Set(entries.map(({ identity }) => identity))]).toEqual(["app:workload"]);
    under.clock.advance(3_600_000);
    await writeFile(file, await signer.sign({ expiresAt: under.clock.now() / 1000 + 600 }));
    await ten();
    expect(await exchanges()).toBe(2);
  });

  it("is refused in words, not asked for again with the same assertion, and works at once with another", async () => {
    await using made = await bench();
    const { credentials, client, file, exchanges } = made;
    await writeFile(file, await signer.sign({ audience: "https://kubernetes.default.svc" }));
    expect([await refusal(credentials), await refusal(credentials), await exchanges()]).toEqual([REFUSED, REFUSED, 1]);
    await writeFile(file, await signer.sign());
    expect(await client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
  });

  it("is asked for again with a refused assertion after a minute: what the app trusts may have been mended", async () => {
    await using made = await bench({ scope: "storage:read" });
    const { credentials, under, exchanges } = made;
    await under.control.organizations.patch({ slug: "acme", plan: "pro" });
    expect(await refusal(credentials)).toContain("(unauthorized_client)");
    await under.control.organizations.patch({ slug: "acme", plan: "team" });
    under.clock.advance(60_000);
    expect(await credentials.token(never)).not.toBe("");
    expect(await exchanges()).toBe(2);
  });

  it("loses nothing with an answer: the exchange is made again", async () => {
    await using made = await bench({ clock: systemClock });
    await made.under.control.faults.add({ operation: "oauth.token", fault: { kind: "reset", phase: "after" } });
    expect(await made.client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
  });

  it("is renewed when the platform rejects the token", async () => {
    await using made = await bench();
    const { credentials, client, under } = made;
    await under.control.tokens.revoke({ token: await credentials.token(never) });
    expect(await client.projects.get({ ref: REF })).toMatchObject({ name: "shop" });
  });

  it.each([
    { assertion: () => Promise.reject(new TypeError("eyJ")), says: "the assertion could not be read (TypeError)" },
    { assertion: assertionFile("/nowhere/token"), says: "the assertion could not be read (ENOENT)" },
    { assertion: () => Promise.resolve("a personal token"), says: "the assertion is no signed JWT" },
    { assertion: () => Promise.resolve(""), says: "the assertion is no signed JWT" },
  ])("asks nobody without an assertion: $says", async ({ assertion, says }) => {
    await using made = await bench({ assertion });
    expect([await refusal(made.credentials), await made.exchanges()]).toEqual([says, 0]);
  });
});
