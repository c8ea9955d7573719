import { describe, expect, test } from "vitest";
import { failureOf, scriptedClients, TEST_PROJECT, TEST_REF } from "../../test/support/api-server/test-client.ts";
import { type ApiClient, createClient } from "./client.ts";
import type { Credentials } from "./credentials/credentials.ts";

/** What JavaScript hands in where no type is asked. */

const start = scriptedClients();
const ok = { status: 200, body: TEST_PROJECT };
type Untyped = (input?: unknown, options?: unknown) => Promise<unknown>;

/** Half of a surrogate pair: no text, though a string. */
const HALF = "\ud800";

describe("an input that cannot be sent is refused before anything is, with INVALID_REQUEST", () => {
  const ref = { ref: TEST_REF };
  const get = ({ projects }: ApiClient) => projects.get as Untyped;
  const identity =
    (client: ApiClient): Untyped =>
    (options) =>
      client.identity(options as undefined);
  const search = ({ organizations }: ApiClient) => organizations.listProjects as Untyped;
  test.each<{ name: string; of?: (client: ApiClient) => Untyped; args: readonly unknown[]; says: string }>([
    { name: "null", args: [null], says: "expected an object with the parameters" },
    { name: "a number", args: [5], says: "expected an object with the parameters" },
    { name: "text", args: ["x"], says: "expected an object with the parameters" },
    {
      name: "a getter that throws",
      args: [Object.defineProperty({}, "ref", { enumerable: true, get: () => expect.fail("a reason of its own") })],
      says: "the input cannot be read",
    },
    { name: "half of a surrogate pair", of: search, args: [{ slug: "acme", search: HALF }], says: "no Unicode" },
    { name: "no options at all", args: [ref, null], says: "options: expected an object, received null" },
    { name: "a lane that is none", args: [ref, { lane: "fast" }], says: "options.lane: expected one of" },
    {
      name: "an option that is none",
      args: [ref, { deadline: 5 }],
      says: 'options: Unrecognized key: "deadline"; near: deadlineMs; known: signal, lane, deadlineMs, maxWaitMs, beforeSending, retry, parentRef',
    },
    {
      name: "a wait that is no number",
      args: [ref, { maxWaitMs: "5" }],
      says: "options.maxWaitMs: expected a number",
    },
    { name: "no options of identity", of: identity, args: [null], says: "options: expected an object, received null" },
    { name: "no signal of identity", of: identity, args: [{ signal: 5 }], says: "options.signal: expected an Abort" },
    { name: "no number", args: [ref, { deadlineMs: Number.NaN }], says: "options.deadlineMs: expected a number" },
    { name: "no signal", args: [ref, { signal: "stop" }], says: "options.signal: expected an AbortSignal" },
    { name: "no way to repeat", args: [ref, { retry: "always" }], says: "options.retry: expected one of" },
  ])("$name", async ({ of = get, args, says }) => {
    const { client, calls } = await start(() => ok);
    const error = await failureOf(of(client)(...args));
    expect(error).toMatchObject({ code: "INVALID_REQUEST", effect: "none" });
    expect(error.message).toContain(says);
    expect(calls()).toEqual([]);
  });

  test("but not a secret with half of a surrogate pair, which JSON can hold, and which a refusal does not repeat", async () => {
    const value = `${HALF}hunter2hunter2`;
    const { client } = await start(() => ({ status: 400, body: { message: `no: ${value}` } }));
    const error = await failureOf(client.secrets.create({ ref: TEST_REF, body: [{ name: "A", value }] }));
    expect(error).toMatchObject({ code: "BAD_REQUEST", message: "no: [redacted]" });
  });
});

describe("a client's options", () => {
  const good = { baseUrl: "http://127.0.0.1:1", token: "t0ken" };
  const make = createClient as (options?: unknown) => ApiClient;
  test.each<{ name: string; options: unknown; says: string }>([
    { name: "none", options: undefined, says: "createClient: is missing (an object)" },
    {
      name: "another spelling",
      options: { ...good, baseURL: "x" },
      says: 'Unrecognized key: "baseURL"; near: baseUrl',
    },
    {
      name: "a token that is none",
      options: { ...good, token: 5 },
      says: "token: expected a string, received a number",
    },
    { name: "no token", options: { ...good, token: "" }, says: "createClient: token: is empty: set the variable" },
    { name: "an unknown limit", options: { ...good, limits: { deadline: 5 } }, says: "limits: Unrecognized key" },
    {
      name: "a limit that is no number",
      options: { ...good, limits: { deadlineMs: "5s" } },
      says: "limits.deadlineMs: expected a number above 0",
    },
    { name: "no time at all", options: { ...good, limits: { attemptMs: 0 } }, says: "attemptMs: expected a number" },
    { name: "half a connection", options: { ...good, limits: { connections: 0.5 } }, says: "connections: " },
    {
      name: "a clock without a timer",
      options: { ...good, clock: { now: Date.now } },
      says: "clock: expected a Clock",
    },
    { name: "a console that has no child", options: { ...good, log: console }, says: "log: expected a Logger" },
    {
      name: "a proxy as text",
      options: { ...good, proxy: "http://p" },
      says: "proxy: expected an object, received a string",
    },
    {
      name: "credentials that are a token",
      options: { baseUrl: good.baseUrl, credentials: "hunter2" },
      says: "credentials: expected Credentials, with token, onRejected",
    },
  ])("are refused with TypeError at once: $name", ({ options, says }) => {
    expect(() => make(options)).toThrow(TypeError);
    expect(() => make(options)).toThrow(says);
    expect(() => make(options)).not.toThrow("hunter2");
  });

  test("and whatever their types allow is taken", async () => {
    const limits = { deadlineMs: Infinity, maxWaitMs: 0, connections: 1 };
    const proxy = { noProxy: "*" };
    const client = createClient({ ...good, limits, proxy, ca: "", userAgent: "mine", mayStart: () => true });
    await expect(client.close()).resolves.toBeUndefined();
  });
});

describe("a bundle that cannot be read breaks the sending off", () => {
  test.each<{ name: string; stream: () => unknown }>([
    { name: "it throws", stream: () => expect.fail("unreadable") },
    { name: "it gives no stream", stream: () => 5 },
    { name: "it gives something else than bytes", stream: () => [{}] },
  ])("$name", async ({ stream }) => {
    const { client } = await start(() => ok);
    const update = client.functions.update as Untyped;
    const error = await failureOf(update({ ref: TEST_REF, function_slug: "hello", body: { size: 3, stream } }));
    expect(error.code).toBe("CONNECTION_LOST");
  });
});

describe("a credential of the caller's own that gives no token is the credential's failure", () => {
  test.each<{ name: string; token: unknown }>([
    { name: "nothing", token: undefined },
    { name: "a number", token: 5 },
    { name: "empty text", token: "" },
    { name: "a line feed", token: "a\nb" },
    { name: "a letter that no header takes", token: "é€" },
  ])("$name", async ({ token }) => {
    const credentials = { token: () => Promise.resolve(token), onRejected: () => undefined, identity: "app" };
    const { client, calls } = await start(() => ok, { credentials: credentials as Credentials });
    const failures = [await failureOf(client.projects.get({ ref: TEST_REF })), await failureOf(client.identity())];
    expect(failures.map(({ code }) => code)).toEqual(["CREDENTIAL", "CREDENTIAL"]);
    expect(calls()).toEqual([]);
  });

  test("a throw where it is told of a rejection", async () => {
    const onRejected = (): void => expect.fail("it cannot bear it");
    const credentials = { token: () => Promise.resolve("t"), onRejected, identity: "app" };
    const { client } = await start(() => ({ status: 401 }), { credentials });
    expect((await failureOf(client.projects.get({ ref: TEST_REF }))).code).toBe("CREDENTIAL");
  });
});
