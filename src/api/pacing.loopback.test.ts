import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import {
  TEST_CREATE,
  TEST_PROFILE,
  TEST_PROJECT,
  TEST_REF,
  failureOf,
  scriptedClients,
} from "../../test/support/api-server/test-client.ts";
import type { Reply } from "../../test/support/api-server/scripted-server.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { silentMeter } from "../base/meter.ts";
import type { Credentials } from "./credentials/credentials.ts";
import { PersonalToken } from "./credentials/personal-token.ts";
import { type ApiError, isApiError } from "./errors.ts";
import { Pacer } from "./pacing/pacer.ts";

const start = scriptedClients();
const ok = { status: 200, body: TEST_PROJECT } as const;
const read = { ref: TEST_REF } as const;

describe("a 429", () => {
  test("is not noticed by the caller: the request goes again when the scope opens, a create too", async () => {
    const clock = new ManualClock();
    const refused = {
      status: 429,
      headers: { "retry-after": "4" },
      body: { message: "ThrottlerException: Too Many Requests" },
    };
    const { client, calls } = await start((_, nth) => (nth < 2 ? refused : { status: 201, body: TEST_PROJECT }), {
      clock,
    });
    const created = client.projects.create(TEST_CREATE);
    await vi.waitFor(() => expect(calls()).toHaveLength(1));
    await untilTimer(clock, 4000);
    await clock.advanceAsync(3900);
    expect(calls()).toHaveLength(1);
    await clock.advanceAsync(2200);
    expect(await created).toMatchObject({ ref: TEST_REF });
    expect(calls()).toHaveLength(2);
  });

  test("that outlasts the call ends it with the time at which to come back, and nothing happened", async () => {
    const { client } = await start(() => ({
      status: 429,
      headers: { "x-ratelimit-limit": "120", "x-ratelimit-reset": "50" },
    }));
    const error = await failureOf(client.projects.create(TEST_CREATE));
    expect(error).toMatchObject({ code: "BUDGET", effect: "none", retryable: true });
    expect(error.retryAfterMs).toBeGreaterThan(49_000);
    expect(error.retryAfterMs).toBeLessThan(54_000);
  });
});

describe("who is told before a request is sent", () => {
  test("is told once, when it has leave, however often it is sent", async () => {
    const told: string[] = [];
    const { client, calls } = await start((_, nth) =>
      nth < 2 ? { status: 429, headers: { "retry-after": "1" } } : ok,
    );
    const beforeSending = async (): Promise<void> => {
      await turn();
      told.push(`after ${calls().length}`);
    };
    await client.projects.get(read, { beforeSending });
    expect(told).toEqual(["after 0"]);
    expect(calls()).toHaveLength(2);
  });

  test("is not told where it is turned away", async () => {
    const clock = new ManualClock();
    const { client } = await start(() => ok, { clock });
    await Promise.all(Array.from({ length: 120 }, () => client.projects.get(read, { maxWaitMs: 20_000 })));
    const beforeSending = vi.fn<() => Promise<void>>(() => Promise.resolve());
    const error = await failureOf(client.projects.get(read, { maxWaitMs: 0, beforeSending }));
    expect(error).toMatchObject({ code: "BUDGET", effect: "none" });
    expect(beforeSending).not.toHaveBeenCalled();
  });

  test("ends the call with what it fails with: nothing is sent, and no budget is spent", async () => {
    const { client, calls } = await start(() => ok);
    const failure = new Error("it could not be recorded");
    const beforeSending = (): Promise<void> => Promise.reject(failure);
    for (let n = 0; n < 150; n += 1) {
      await expect(client.projects.get(read, { maxWaitMs: 0, beforeSending })).rejects.toBe(failure);
    }
    expect(calls()).toHaveLength(0);
    await client.projects.get(read, { maxWaitMs: 0 });
    expect(calls()).toHaveLength(1);
  });
});

describe("budget", () => {
  test("that is spent turns a call away at once; another scope goes on", async () => {
    const clock = new ManualClock();
    const { client, calls } = await start(() => ok, { clock });
    await Promise.all(Array.from({ length: 120 }, () => client.projects.get(read, { maxWaitMs: 20_000 })));
    const error = await failureOf(client.projects.get(read));
    expect(isApiError(error, "BUDGET") && error.retryAfterMs).toBeGreaterThan(59_000);
    await client.projects.get({ ref: "zyxwvutsrqponmlkjihg" });
    expect(calls()).toHaveLength(121);
    await clock.advanceAsync(61_000);
    await client.projects.get(read);
  });

  test.each<{ readonly how: string; readonly lost: Reply }>([
    { how: "whole", lost: "reset" },
    { how: "in part", lost: { truncated: '{"ref":' } },
  ])("is spent by a request whose answer is lost, which the server counted: $how", async ({ lost }) => {
    const clock = new ManualClock();
    const { client, calls } = await start(() => lost, { clock });
    const create = (): Promise<ApiError> => failureOf(client.projects.create(TEST_CREATE, { maxWaitMs: 20_000 }));
    const failed = await Promise.all(Array.from({ length: 120 }, create));
    expect(new Set(failed.map(({ effect }) => effect))).toEqual(new Set(["unknown"]));
    const error = await failureOf(client.projects.create(TEST_CREATE));
    expect(error).toMatchObject({ code: "BUDGET", effect: "none" });
    expect(error.retryAfterMs).toBeGreaterThan(59_000);
    expect(calls()).toHaveLength(120);
    await clock.advanceAsync(61_000);
    expect(await failureOf(client.projects.create(TEST_CREATE))).toMatchObject({ effect: "unknown" });
  });

  test("of a branch operation is the parent project's", async () => {
    const { client, calls } = await start(() => ({ status: 200, body: { message: "ok" } }), {
      clock: new ManualClock(),
    });
    const branch = { branch_id_or_ref: "zyxwvutsrqponmlkjihg" };
    await Promise.all(
      Array.from({ length: 120 }, () => client.branches.delete(branch, { parentRef: TEST_REF, maxWaitMs: 20_000 })),
    );
    expect(await failureOf(client.secrets.list(read))).toMatchObject({ code: "BUDGET" });
    expect(calls()).toHaveLength(120);
  });

  test("of a create is the organization's of its body", async () => {
    const { client } = await start(() => ({ status: 400, body: { message: "no" } }), { clock: new ManualClock() });
    await Promise.all(
      Array.from({ length: 120 }, () => failureOf(client.projects.create(TEST_CREATE, { maxWaitMs: 20_000 }))),
    );
    expect(await failureOf(client.organizations.get({ slug: "acme" }))).toMatchObject({ code: "BUDGET" });
  });

  test("is shared by two tokens of one user, and not by two users", async () => {
    const clock = new ManualClock();
    const pacer = new Pacer({ clock, random: () => 0, meter: silentMeter });
    const user = (name: string) => ({
      clock,
      pacer,
      profile: () => ({ status: 200, body: { ...TEST_PROFILE, auth_id: name } }),
    });
    const script = (): typeof ok => ok;
    const { client: first, server } = await start(script, { ...user("ada"), credentials: new PersonalToken("one") });
    const more = await start(script, { ...user("ada"), credentials: new PersonalToken("two"), baseUrl: server.url });
    const other = await start(script, { ...user("bob"), credentials: new PersonalToken("three") });
    await Promise.all(Array.from({ length: 60 }, () => first.projects.get(read, { maxWaitMs: 20_000 })));
    await Promise.all(Array.from({ length: 60 }, () => more.client.projects.get(read, { maxWaitMs: 20_000 })));
    expect(await failureOf(first.projects.get(read))).toMatchObject({ code: "BUDGET" });
    await other.client.projects.get(read);
  });

  test("is shared by all access tokens of an OAuth client, and not by two clients", async () => {
    const clock = new ManualClock();
    const pacer = new Pacer({ clock, random: () => 0, meter: silentMeter });
    const app = (identity: string): Credentials => {
      let nth = 0;
      return { identity, token: () => Promise.resolve(`${identity}-${(nth += 1)}`), onRejected: () => undefined };
    };
    const { client, calls, server } = await start(() => ok, { clock, pacer, credentials: app("deployer") });
    const other = await start(() => ok, { clock, pacer, credentials: app("auditor"), baseUrl: server.url });
    await Promise.all(Array.from({ length: 120 }, () => client.projects.get(read, { maxWaitMs: 20_000 })));
    expect(new Set(calls().map(({ headers }) => headers.authorization)).size).toBe(120);
    expect(await failureOf(client.projects.get(read))).toMatchObject({ code: "BUDGET" });
    await other.client.projects.get(read);
  });
});

describe("whose token it is", () => {
  test("is asked once, however many ask at the same time", async () => {
    const { client, server } = await start(() => ok);
    const identities = await Promise.all([
      client.identity(),
      client.identity(),
      client.projects.get(read),
      client.identity(),
    ]);
    expect(identities[0]).toEqual({ userId: "u1", username: "ada", email: "ada@example.com" });
    await client.identity();
    expect(server.arrivals.filter(({ url }) => url === "/v1/profile")).toHaveLength(1);
  });

  test("is not needed to go on: a look-up that fails or hangs holds a call up for three seconds at most", async () => {
    const clock = new ManualClock();
    const { client } = await start(() => ok, { clock, profile: () => "silence" });
    const first = client.projects.get(read);
    await untilTimer(clock, 3000);
    await clock.advanceAsync(3001);
    expect(await first).toMatchObject({ ref: TEST_REF });
    expect(await client.projects.get(read)).toMatchObject({ ref: TEST_REF });
    const failing = await start(() => ok, { profile: () => ({ status: 500 }) });
    expect(await failing.client.projects.get(read)).toMatchObject({ ref: TEST_REF });
    expect(await failureOf(failing.client.identity())).toMatchObject({ code: "SERVER_ERROR" });
  });

  test("a caller who leaves does not end the look-up for the others", async () => {
    const arrived = Promise.withResolvers<void>();
    const { client } = await start(() => ok, {
      profile: () => {
        arrived.resolve();
        return { status: 200, body: TEST_PROFILE };
      },
    });
    const stop = new AbortController();
    const leaving = failureOf(client.identity({ signal: stop.signal }));
    const staying = client.identity();
    stop.abort(new Error("gone"));
    expect(await leaving).toMatchObject({ code: "ABORTED", effect: "none" });
    expect(await staying).toMatchObject({ userId: "u1" });
  });
});

describe("a rejected token", () => {
  const rejected = { status: 401, body: { message: "Unauthorized" } } as const;

  test("is read anew and the call made again, even a create: a 401 proves that nothing happened", async () => {
    const tokens = ["old", "new"].values();
    const credentials = new PersonalToken(() => Promise.resolve(tokens.next().value ?? "none left"));
    const { client, calls } = await start(
      ({ headers }) => (headers.authorization === "Bearer new" ? { status: 201, body: TEST_PROJECT } : rejected),
      {
        credentials,
        profile: ({ headers }) =>
          headers.authorization === "Bearer new" ? { status: 200, body: TEST_PROFILE } : rejected,
      },
    );
    expect(await client.projects.create(TEST_CREATE)).toMatchObject({ ref: TEST_REF });
    expect(calls().map(({ headers }) => headers.authorization)).toEqual(["Bearer old", "Bearer new"]);
  });

  test("without another one ends the call", async () => {
    const { client, calls } = await start(() => rejected, { profile: () => rejected });
    expect(await failureOf(client.projects.get(read))).toMatchObject({ code: "UNAUTHORIZED", message: "Unauthorized" });
    expect(await failureOf(client.projects.create(TEST_CREATE))).toMatchObject({
      code: "UNAUTHORIZED",
      effect: "none",
    });
    expect(calls()).toHaveLength(2);
  });

  test("is told apart from a validation that answers 401 (facts.md §5): the platform accepts the token elsewhere", async () => {
    const { client } = await start(() => ({ status: 401, body: { message: "custom SMTP required" } }));
    const error = await failureOf(client.projects.create(TEST_CREATE));
    expect(error).toMatchObject({ code: "REFUSED", status: 401, message: "custom SMTP required" });
  });

  test("a credential that gives none sends nothing; its error text stays out of the message", async () => {
    const broken: Credentials = { token: () => Promise.reject(new Error("secret path")), onRejected: () => undefined };
    const { client, server } = await start(() => ok, { credentials: broken });
    const error = await failureOf(client.projects.get(read));
    expect(error).toMatchObject({ code: "CREDENTIAL", effect: "none", message: "the access token could not be read" });
    const empty = await start(() => ok, { credentials: new PersonalToken(" ") });
    expect((await failureOf(empty.client.identity())).message).toBe(
      "the access token is empty: expected the token alone, on one line",
    );
    expect([...server.arrivals, ...empty.server.arrivals]).toEqual([]);
  });
});

test("the platform's time is known after the first answer", async () => {
  const { client } = await start(() => ({ ...ok, headers: { date: "Sat, 01 Jun 2030 12:00:00 GMT" } }), {
    credentials: { token: () => Promise.resolve("t"), onRejected: () => undefined, identity: "oauth-client" },
  });
  expect(client.serverNow()).toBeUndefined();
  await client.projects.get(read);
  expect(Math.abs((client.serverNow() ?? 0) - Date.UTC(2030, 5, 1, 12))).toBeLessThan(2000);
});

/** Waits, in real time, until a timer that is due within `ms` of driven time is the next: whoever must wait does so. */
async function untilTimer(clock: ManualClock, ms: number): Promise<void> {
  await vi.waitFor(async () => {
    await turn();
    expect(clock.msToNextTimer()).toBeLessThanOrEqual(ms + 2000);
  });
}
