import { Dispatcher } from "undici";
import { afterEach, describe, expect, it } from "vitest";
import {
  startScriptedServer,
  type Reply,
  type ScriptedServer,
} from "../../../test/support/api-server/scripted-server.ts";
import { recordingMeter } from "../../../test/support/kube-server/recording-meter.ts";
import { ManualClock } from "../../base/manual-clock.ts";
import { silentMeter } from "../../base/meter.ts";
import { silentSpan, type SpanSpec, type Tracer } from "../../base/tracer.ts";
import { NoBudgetError } from "../pacing/no-budget-error.ts";
import { Pacer } from "../pacing/pacer.ts";
import { CredentialError } from "./credentials.ts";
import { OAuthRefresh } from "./oauth-refresh.ts";
import { requestToken } from "./token-endpoint.ts";

/** Answers that the emulator never gives. */

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

class BrokenDispatcher extends Dispatcher {
  override dispatch(): boolean {
    throw new TypeError("no dispatcher any more");
  }
}

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

describe("a request to the token endpoint", () => {
  const body = { grant_type: "refresh_token", client_id: "a", refresh_token: "r" } as const;

  it("is counted by operation and outcome, and a span, with whose trace it is sent", async () => {
    const meter = recordingMeter();
    const spans: SpanSpec[] = [];
    const span = { ...silentSpan, headers: { traceparent: "00-1" } };
    const tracer: Tracer = {
      root: (_, work) => work(silentSpan),
      child: (spec, work) => {
        spans.push(spec);
        return work(span);
      },
    };
    const server = await startScriptedServer((_, nth) => (nth === 1 ? "reset" : { status: 200, body: TOKENS }));
    servers.push(server);
    await requestToken({ baseUrl: server.url, random: () => 0, meter, tracer }, body);
    const sent = (outcome: string) => meter.counted("baas_api_requests_total", { operation: "oauth.token", outcome });
    expect([sent("lost"), sent("200")]).toEqual([1, 1]);
    expect(meter.counted("baas_api_retries_total", { operation: "oauth.token", cause: "lost" })).toBe(1);
    expect(spans).toMatchObject([{ name: "oauth.token", attributes: { "url.template": "/v1/oauth/token" } }]);
    expect(server.arrivals.at(-1)?.headers).toMatchObject({ traceparent: "00-1" });
  });

  it("counts against the address, whatever the app: no more are sent than the platform lets through", async () => {
    const server = await serverThat({ status: 200, body: TOKENS });
    const clock = new ManualClock();
    const random = (): number => 0;
    const pacer = new Pacer({ clock, random, meter: silentMeter });
    const options = { baseUrl: server.url, clock, random, pacer, maxWaitMs: 1000 };
    for (let n = 0; n < 120; n += 1) await requestToken(options, { ...body, client_id: `app-${n}` });
    await expect(requestToken(options, body)).rejects.toBeInstanceOf(NoBudgetError);
    expect(server.arrivals).toHaveLength(120);
    clock.advance(61_000);
    expect(await requestToken(options, body)).toMatchObject({ kind: "granted" });
    pacer.close(new Error("over"));
  });

  it("takes no slot of the address for ever, whatever went wrong", async () => {
    const clock = new ManualClock();
    const random = (): number => 0;
    const pacer = new Pacer({ clock, random, meter: silentMeter });
    const broken = { baseUrl: "http://127.0.0.1:1", dispatcher: new BrokenDispatcher(), clock, random, pacer };
    // More than may be in flight.
    for (let n = 0; n < 20; n += 1) {
      const asked = requestToken({ ...broken, maxWaitMs: 1000 }, body);
      const [told] = await Promise.allSettled([asked, clock.advanceAsync(2000)]);
      expect(told).toMatchObject({ reason: { message: "no dispatcher any more" } });
    }
    pacer.close(new Error("over"));
  });
});
