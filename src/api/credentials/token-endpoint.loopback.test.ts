import { afterEach, describe, expect, it } from "vitest";
import {
  startScriptedServer,
  type Reply,
  type ScriptedServer,
} from "../../../test/support/api-server/scripted-server.ts";
import { CredentialError } from "./credentials.ts";
import { OAuthRefresh } from "./oauth-refresh.ts";
import { requestToken } from "./token-endpoint.ts";

/** Answers that the emulator never gives. */

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function serverThat(reply: Reply): Promise<ScriptedServer> {
  const server = await startScriptedServer(() => reply);
  servers.push(server);
  return server;
}

const TOKENS = { access_token: "access", refresh_token: "next", expires_in: 3600, token_type: "Bearer" };
const ask = ({ url }: ScriptedServer) =>
  requestToken(
    { baseUrl: url, random: () => 0 },
    { grant_type: "refresh_token", client_id: "a b&", refresh_token: "r" },
  );

describe("the token endpoint", () => {
  it("is asked with a form and without a token", async () => {
    const server = await serverThat({ status: 200, body: TOKENS });
    await ask(server);
    const [arrival] = server.arrivals;
    expect([arrival?.method, arrival?.url, arrival?.body.toString()]).toEqual([
      "POST",
      "/v1/oauth/token",
      "grant_type=refresh_token&client_id=a%20b%26&refresh_token=r",
    ]);
    expect(arrival?.headers).toMatchObject({ "content-type": "application/x-www-form-urlencoded" });
    expect(arrival?.headers).not.toHaveProperty("authorization");
  });

  it.each([
    { answer: { status: 200, body: TOKENS }, lease: { token: "access", lifetimeMs: 3_600_000 }, refreshToken: "next" },
    { answer: { status: 201, body: TOKENS }, lease: { token: "access", lifetimeMs: 3_600_000 }, refreshToken: "next" },
    {
      answer: { status: 200, body: { ...TOKENS, refresh_token: undefined, token_type: "bearer", more: 1 } },
      lease: { token: "access", lifetimeMs: 3_600_000 },
      refreshToken: undefined,
    },
    { answer: { status: 200, body: { ...TOKENS, expires_in: "soon" } }, lease: undefined, refreshToken: "next" },
    { answer: { status: 200, body: { ...TOKENS, access_token: "two words" } }, lease: undefined, refreshToken: "next" },
    { answer: { status: 200, body: { refresh_token: "next" } }, lease: undefined, refreshToken: "next" },
  ])("gives what can be read of $answer.body", async ({ answer, lease, refreshToken }) => {
    expect(await ask(await serverThat(answer))).toMatchObject({ lease, refreshToken });
  });

  it.each([
    { reply: { status: 200, body: { ok: true } }, says: "is not what the contract says", times: 4 },
    { reply: { status: 200, body: "<html>" }, says: "is not what the contract says", times: 4 },
    { reply: "reset", says: "the connection to the platform broke", times: 4 },
    { reply: { status: 503 }, says: "the platform answered 503", times: 4 },
    { reply: { status: 500, body: { error: "invalid_grant" } }, says: "the platform answered 500", times: 1 },
    { reply: { status: 404, body: { message: "Cannot POST" } }, says: "the platform answered 404", times: 1 },
    { reply: { status: 302, headers: { location: "/login" } }, says: "the platform answered 302", times: 1 },
    { reply: { status: 400, body: { message: "secret r" } }, says: "gives no access token (status 400)", times: 1 },
    { reply: { status: 400, body: { error: "secret r!" } }, says: "gives no access token (status 400)", times: 1 },
    {
      reply: { status: 403, body: { error: "access_denied" } },
      says: "gives no access token (access_denied)",
      times: 1,
    },
  ] as const)("is given up after $times of $reply: $says", async ({ reply, says, times }) => {
    const server = await serverThat(reply);
    const error: unknown = await ask(server).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CredentialError);
    expect(error).toMatchObject({ message: expect.stringContaining(says) });
    expect(error).not.toHaveProperty("cause"); // which could quote what was sent
    expect(server.arrivals).toHaveLength(times);
  });

  it("is told from a server that is not there, of which nothing was lost", async () => {
    const server = await serverThat("silence");
    await server.stop();
    await expect(ask(server)).rejects.toMatchObject({
      fault: "unavailable",
      answerLost: false,
      message: expect.stringContaining("no connection to the platform (ECONNREFUSED)"),
    });
  });
});

it("a refresh token is stored even where nothing else of its answer can be used", async () => {
  const server = await serverThat({ status: 200, body: { ...TOKENS, expires_in: null } });
  const stored: string[] = [];
  const credentials = new OAuthRefresh({
    baseUrl: server.url,
    clientId: "a",
    clientSecret: "s",
    refreshToken: "first",
    store: (refreshToken) => Promise.resolve(void stored.push(refreshToken)),
  });
  const never = new AbortController().signal;
  await expect(credentials.token(never)).rejects.toThrow("the platform's answer is not what the contract says");
  expect([stored, server.arrivals.length]).toEqual([["next"], 1]);
});
