import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { CONTROL_PATH, callsByName } from "../../src/emulator/control/calls.ts";
import { JWT_BEARER } from "../../src/api/contract/oauth.ts";
import { allTables } from "../../src/emulator/state/tables.ts";
import { type EmulatorUnderTest, emulatorUnderTest, type Received } from "../support/emulator/api.ts";
import { account, answer, consent } from "../support/emulator/consent.ts";
import { EVERY_CALL, everyCallSeed } from "../support/emulator/every-call.ts";
import { EVERY_CONTROL_CALL } from "../support/emulator/every-control-call.ts";
import {
  aSigner,
  askToken,
  AUDIENCE,
  CALLBACK,
  CLIENT,
  emulatorWithApps,
  ISSUER,
  refresh,
  someTokens,
  SUBJECT,
} from "../support/emulator/oauth.ts";
import { play } from "../support/emulator/play.ts";
import { changedTables, rowsOf } from "../support/emulator/rows.ts";
import { emptyWorld, rowsIfEndedNow } from "../support/emulator/saved-rows.ts";

/** After each thing that can be done: what a start would load is what is held, every row of every table. */

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-save-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** The tables that had a row when they were compared. */
const filled = new Set<string>();

/** @returns the tables that a start would have otherwise */
async function lost(under: EmulatorUnderTest): Promise<readonly string[]> {
  await under.emulator.idle();
  const held = rowsOf(under.world);
  for (const [name, rows] of Object.entries(held)) {
    if (rows.length > 0) filled.add(name);
  }
  return changedTables(held, await rowsIfEndedNow(folder));
}

describe("what is loaded is what is held", () => {
  it("after one call of each operation that succeeds", async () => {
    await using under = await emulatorUnderTest({
      seed: everyCallSeed,
      dataDir: folder,
      timings: { signingKeyRestMs: 60_000 },
      limits: { requestsPerMinute: 0 },
    });
    const wrong: unknown[] = [];
    expect(await lost(under)).toEqual([]);
    await play(under, EVERY_CALL, async ({ operation: { id, success, retry }, received: { status, text } }) => {
      expect([id, status, text]).toEqual([id, success.status, text]);
      if (retry === "read") return; // what it made at a first look is seen with the next one
      const tables = await lost(under);
      if (tables.length > 0) wrong.push([id, tables]);
    });
    expect(wrong).toEqual([]);
  });

  it("after each exchange of OAuth", async () => {
    await using under = await emulatorWithApps({ dataDir: folder });
    const is = async (step: string, status: number, received: Received): Promise<void> => {
      expect([step, received.status, await lost(under)]).toEqual([step, status, []]);
    };
    const { sign, jwks } = await aSigner();
    const trust = { issuer: ISSUER, subject: SUBJECT, audience: AUDIENCE, jwks, user: "owner", organization: "acme" };
    await under.control.oauth.addApp({ clientId: "cluster", clientSecret: "secret of it", jwtBearer: trust });
    const { refresh_token: first } = await someTokens(under);
    await is("a refresh", 200, await refresh(under, first));
    const asked = await consent(under);
    await is("the page of consent", 200, asked.page);
    const fields = { decision: "approve", account: account(asked.page, "Acme, as owner (Owner)") };
    const approved = await answer(under, asked, fields);
    await is("the consent", 303, approved);
    await is("another page, denied", 303, await answer(under, await consent(under), { decision: "deny" }));
    const code = new URL(approved.headers["location"] ?? "").searchParams.get("code") ?? "";
    const exchange = { grant_type: "authorization_code", code, redirect_uri: CALLBACK, ...CLIENT };
    await is("a code", 200, await askToken(under, exchange));
    await is("a code once more, which ends all that came of it", 400, await askToken(under, exchange));
    const byKey = { grant_type: JWT_BEARER, client_id: "cluster", assertion: await sign() };
    await is("an assertion", 200, await askToken(under, byKey));
    await is("an assertion once more", 200, await askToken(under, byKey));
    await is("a refresh token once more, which ends its family", 400, await refresh(under, first));
    const { refresh_token: last } = await someTokens(under);
    const revoked = await under.call("POST", "/v1/oauth/revoke", { body: { ...CLIENT, refresh_token: last } });
    await is("a revocation", 204, revoked);
  });

  it("after each control call, whichever calls there are", async () => {
    await using under = await emulatorUnderTest({ dataDir: folder, limits: { requestsPerMinute: 0 } });
    await under.control.oauth.addApp({ clientId: "other", clientSecret: "secret of other" });
    const wrong: unknown[] = [];
    for (const [name, input] of EVERY_CONTROL_CALL) {
      const body = typeof input === "function" ? await input(under) : input;
      const { status, text } = await under.call("POST", `${CONTROL_PATH}/${name}`, { token: null, body });
      const tables = await lost(under);
      if (status !== 200 || tables.length > 0) wrong.push([name, status, text, tables]);
    }
    expect(wrong).toEqual([]);
    expect(new Set(EVERY_CONTROL_CALL.map(([name]) => name))).toEqual(new Set(callsByName.keys()));
  });

  it("with rows in every table that there is, at one time or another of these", () => {
    expect([...filled].toSorted()).toEqual(
      allTables(emptyWorld().tables)
        .map(({ name }) => name)
        .toSorted(),
    );
  });
});
