import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterEach, describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import type { Arrival, Reply, ScriptedServer } from "../../test/support/api-server/scripted-server.ts";
import { startScriptedServer } from "../../test/support/api-server/scripted-server.ts";
import {
  TEST_CREATE,
  TEST_PROFILE,
  TEST_PROJECT,
  TEST_REF,
  failureOf,
} from "../../test/support/api-server/test-client.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { ClientCalls } from "./client-calls.ts";
import { createClient } from "./client.ts";
import { noParams, noQuery, response, secret } from "./contract/fields.ts";
import { operation } from "./contract/operation.ts";
import { profile } from "./contract/organizations.ts";
import { projects } from "./contract/projects.ts";
import { PersonalToken } from "./credentials/personal-token.ts";

const servers: ScriptedServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

async function start(script: (arrival: Arrival, nth: number) => Reply): Promise<ScriptedServer> {
  const server = await startScriptedServer(script);
  servers.push(server);
  return server;
}

const known = ({ url }: Arrival): Reply => ({ status: 200, body: url === "/v1/profile" ? TEST_PROFILE : TEST_PROJECT });

describe("a client outside Kubernetes", () => {
  test("needs a base URL and a token", async () => {
    const { url, arrivals } = await start(known);
    const client = createClient({ baseUrl: url, token: "t0ken" });
    expect(await client.projects.get({ ref: TEST_REF })).toEqual(TEST_PROJECT);
    expect(arrivals.map(({ headers }) => headers.authorization)).toEqual(["Bearer t0ken", "Bearer t0ken"]);
    await client.close();
  });

  test("sends no trace context, unless it is given a tracer", async () => {
    const { url, arrivals } = await start(known);
    const client = createClient({ baseUrl: url, token: "t0ken" });
    await client.projects.get({ ref: TEST_REF });
    await client.close();
    const names = arrivals.flatMap(({ headers }) => Object.keys(headers));
    expect(names).toContain("authorization");
    expect(names.filter((name) => ["traceparent", "tracestate", "baggage"].includes(name))).toEqual([]);
  });

  test("or a base URL and credentials; both or none is refused, by types and by itself", async () => {
    const { url } = await start(known);
    const credentials = new PersonalToken("t0ken");
    const client = createClient({ baseUrl: url, credentials });
    expect(await client.identity()).toMatchObject({ username: "ada" });
    await client.close();
    const words = "createClient: give exactly one of token and credentials";
    // @ts-expect-error neither
    expect(() => createClient({ baseUrl: url })).toThrow(words);
    // @ts-expect-error both
    expect(() => createClient({ baseUrl: url, token: "t0ken", credentials })).toThrow(words);
  });

  test("keeps its program alive while a call waits, and no longer", async () => {
    const { url } = await start((arrival, nth) => (nth === 1 ? { status: 503 } : known(arrival)));
    const program = `
      import { createClient } from ${JSON.stringify(new URL("client.ts", import.meta.url).href)};
      const client = createClient({ baseUrl: ${JSON.stringify(url)}, token: "t" });
      console.log((await client.projects.get({ ref: ${JSON.stringify(TEST_REF)} })).name);`;
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 30_000,
    });
    expect(stdout).toBe("shop\n");
  });

  test("waits for budget as long as the call may take, and is told at once when that is not enough", async () => {
    const clock = new ManualClock();
    const { url } = await start(known);
    const client = createClient({ baseUrl: url, token: "t", clock });
    for (let n = 0; n < 120; n += 1) await client.projects.get({ ref: TEST_REF });
    expect(await failureOf(client.projects.get({ ref: TEST_REF }))).toMatchObject({ code: "BUDGET" });
    const patient = client.projects.get({ ref: TEST_REF }, { deadlineMs: 120_000 });
    await clock.advanceAsync(61_000);
    expect(await patient).toEqual(TEST_PROJECT);
    await client.close();
  });
});

describe("an operation that takes no token", () => {
  const exchange = operation({
    id: "oauth.token",
    summary: "",
    method: "POST",
    path: "/v1/oauth/token",
    params: noParams,
    query: noQuery,
    body: { encoding: "form", schema: z.strictObject({ refresh_token: secret(z.string()) }) },
    success: { kind: "json", status: 200, schema: response({ access_token: z.string() }) },
    errors: [400, 401, 429],
    scopes: [],
    permissions: [],
    limitScope: "identity",
    stability: "beta",
    access: "public",
    retry: "once",
  });
  const input = { body: { refresh_token: "r3fresh-me" } };
  const never = {
    token: () => Promise.reject(new Error("nobody may ask")),
    onRejected: () => undefined,
  };

  test("is sent without one, and whose it would be is not asked", async () => {
    const { url, arrivals } = await start(() => ({ status: 201, body: { access_token: "new" } }));
    const calls = new ClientCalls({ baseUrl: url, credentials: never });
    expect(await calls.call(exchange, input, {})).toEqual({ access_token: "new" });
    expect(arrivals.map((one) => [one.url, one.headers.authorization, String(one.body)])).toEqual([
      ["/v1/oauth/token", undefined, "refresh_token=r3fresh-me"],
    ]);
    await calls.close();
  });

  test("spends the address's budget, which is no user's", async () => {
    const { url } = await start(({ url: path }) =>
      path === "/v1/oauth/token"
        ? { status: 400, body: { message: "invalid r3fresh-me" } }
        : { status: 200, body: TEST_PROFILE },
    );
    const calls = new ClientCalls({ baseUrl: url, token: "t", clock: new ManualClock() });
    for (let n = 0; n < 120; n += 1) {
      expect(await failureOf(calls.call(exchange, input, {}))).toMatchObject({ message: "invalid [redacted]" });
    }
    expect(await failureOf(calls.call(exchange, input, {}))).toMatchObject({ code: "BUDGET" });
    expect(await calls.call(profile.get, {}, {})).toEqual(TEST_PROFILE);
    await calls.close();
  });

  test("has no second thoughts about a 401", async () => {
    const { url, arrivals } = await start(() => ({ status: 401, body: { message: "Invalid refresh token" } }));
    const calls = new ClientCalls({ baseUrl: url, credentials: never });
    expect(await failureOf(calls.call(exchange, input, {}))).toMatchObject({
      code: "UNAUTHORIZED",
      message: "Invalid refresh token",
    });
    expect(arrivals).toHaveLength(1);
    await calls.close();
  });
});

describe("an answer without a body", () => {
  const count = operation({
    ...projects.get,
    id: "actions.count",
    method: "HEAD",
    path: "/v1/projects/{ref}/actions",
    success: { kind: "count", status: 200 },
  });

  test.each([
    { why: "the count stands in a header", headers: { "x-total-count": "42" }, gives: { count: 42 } },
    {
      why: "the length is that of the body that a GET would have",
      headers: { "x-total-count": "7", "content-length": "99999999" },
      gives: { count: 7 },
    },
  ])("gives the count: $why", async ({ headers, gives }) => {
    const { url, arrivals } = await start((arrival) =>
      arrival.method === "HEAD" ? { status: 200, headers } : known(arrival),
    );
    const calls = new ClientCalls({ baseUrl: url, token: "t" });
    expect(await calls.call(count, { ref: TEST_REF }, {})).toEqual(gives);
    expect(arrivals.at(-1)?.method).toBe("HEAD");
    await calls.close();
  });

  test.each([
    { why: "no count", reply: { status: 200 }, code: "UNEXPECTED_RESPONSE" },
    {
      why: "a count that is none",
      reply: { status: 200, headers: { "x-total-count": "-1" } },
      code: "UNEXPECTED_RESPONSE",
    },
    { why: "a refusal, which has no words", reply: { status: 403 }, code: "FORBIDDEN" },
  ])("is told of: $why", async ({ reply, code }) => {
    const { url } = await start((arrival) => (arrival.method === "HEAD" ? reply : known(arrival)));
    const calls = new ClientCalls({ baseUrl: url, token: "t" });
    expect(await failureOf(calls.call(count, { ref: TEST_REF }, {}))).toMatchObject({ code });
    await calls.close();
  });
});

describe("what a caller knows better of one call", () => {
  test("a write that may be repeated is, and one that may not is not by default", async () => {
    const { url, arrivals } = await start((arrival, nth) =>
      arrival.method === "POST" && nth % 2 === 1 ? { status: 503 } : known(arrival),
    );
    const client = createClient({ baseUrl: url, token: "t" });
    expect(client.facts("projects.create").retry).toBe("once");
    expect(await failureOf(client.projects.create(TEST_CREATE))).toMatchObject({
      code: "UNAVAILABLE",
      effect: "unknown",
    });
    await client.projects.create(TEST_CREATE); // the second arrival
    expect(await client.projects.create(TEST_CREATE, { retry: "idempotent" })).toEqual(TEST_PROJECT);
    expect(arrivals.filter(({ method }) => method === "POST")).toHaveLength(4);
    await client.close();
  });
});

describe("a list in pages", () => {
  test("is read by the call itself, each page with the options that were given", async () => {
    const item = { ref: TEST_REF, region: "us-east-1", is_branch: false, status: "ACTIVE_HEALTHY" };
    const { url, arrivals } = await start((arrival) => {
      const offset = Number(new URL(arrival.url, "http://x").searchParams.get("offset") ?? 0);
      if (!arrival.url.includes("/projects")) return known(arrival);
      const pagination = { count: 3, limit: 2, offset };
      const list = [0, 1, 2].slice(offset, offset + 2).map((n) => ({ ...item, name: `p${n}` }));
      return { status: 200, body: { projects: list, pagination } };
    });
    const client = createClient({ baseUrl: url, token: "t" });
    const names: string[] = [];
    for await (const { name } of client.organizations.listProjects.each({ slug: "acme", limit: 2 })) names.push(name);
    expect(names).toEqual(["p0", "p1", "p2"]);
    const sizes: number[] = [];
    for await (const page of client.organizations.listProjects.pages({ slug: "acme", limit: 2 })) {
      expectTypeOf(page.pagination.count).toEqualTypeOf<number>();
      sizes.push(page.projects.length);
    }
    expect(sizes).toEqual([2, 1]);
    const ended = client.organizations.listProjects.each({ slug: "acme" }, { signal: AbortSignal.abort() });
    expect(await failureOf(ended.next())).toMatchObject({ code: "ABORTED" });
    expect(arrivals.filter((one) => one.url.includes("/projects")).map((one) => one.url)).toEqual([
      "/v1/organizations/acme/projects?limit=2",
      "/v1/organizations/acme/projects?offset=2&limit=2",
      "/v1/organizations/acme/projects?limit=2",
      "/v1/organizations/acme/projects?offset=2&limit=2",
    ]);
    await client.close();
  });

  test("is no method of what comes whole", () => {
    expectTypeOf<ReturnType<typeof createClient>["projects"]["list"]>().not.toHaveProperty("each");
  });
});
