import { setImmediate as turn } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import type { ApiClient } from "../../src/api/client.ts";
import { PersonalToken } from "../../src/api/credentials/personal-token.ts";
import { isApiError } from "../../src/api/errors.ts";
import { TOKEN, emulatorUnderTest } from "../support/emulator/api.ts";
import type { EmulatorUnderTest } from "../support/emulator/api.ts";
import type { EmulatorOptions } from "../../src/emulator/emulator.ts";
import { sleep } from "../../src/base/abort.ts";
import { testClient } from "../support/api-server/test-client.ts";
import type { TestClientOptions } from "../support/api-server/test-client.ts";

/** What the client promises, on the emulator, which knows the limits and the lives of things but nothing of the client. */

const toEnd: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of toEnd.splice(0).toReversed()) await end();
});

async function start(
  options: TestClientOptions = {},
  emulator: EmulatorOptions = {},
): Promise<EmulatorUnderTest & { readonly client: ApiClient }> {
  const under = await emulatorUnderTest(emulator);
  const client = testClient(under.emulator.url, {
    clock: under.clock,
    credentials: new PersonalToken(TOKEN),
    limits: { deadlineMs: 600_000, attemptMs: 600_000 },
    ...options,
  });
  toEnd.push(
    async () => under[Symbol.asyncDispose](),
    () => client.close(),
  );
  return { ...under, client };
}

const body = { db_pass: "correct horse battery", name: "shop", organization_slug: "acme" } as const;

/** Lets driven time pass whenever nothing more happens by itself, until the work is done. */
async function drive<T>({ clock }: EmulatorUnderTest, work: Promise<T>, stepMs = 1000): Promise<T> {
  const ended = new AbortController();
  const end = work.finally(() => ended.abort());
  end.catch(() => undefined); // told by the return
  while (!ended.signal.aborted) {
    for (let quiet = 0; quiet < 40; quiet += 1) await turn();
    await clock.advanceAsync(stepMs);
  }
  return await end;
}

describe("rate limits", () => {
  test("400 reads of one project are answered over several windows, none of them with 429", async () => {
    const under = await start();
    const { ref } = await under.client.projects.create({ body });
    const reads = Array.from({ length: 400 }, () => under.client.projects.get({ ref }, { maxWaitMs: 600_000 }));
    const began = under.clock.monotonic();
    expect(await drive(under, Promise.all(reads))).toHaveLength(400);
    const { byStatus, byOperation } = await under.control.log.summary();
    expect(byStatus["429"] ?? 0).toBe(0);
    expect(byOperation["projects.get"]).toBe(400);
    expect(under.clock.monotonic() - began).toBeGreaterThan(3 * 60_000);
    expect(under.clock.monotonic() - began).toBeLessThan(4 * 60_000);
  });

  test("[K-30] 150 keys that come back when they are told are all served within a few windows, none refused", async () => {
    const under = await start();
    const { ref } = await under.client.projects.create({ body });
    const { clock } = under;
    let turnedAway = 0;
    const key = async (): Promise<void> => {
      for (let served = 0; served < 2;) {
        try {
          await under.client.functions.list({ ref }, { lane: "sync" });
          served += 1;
        } catch (error) {
          if (!isApiError(error, "BUDGET")) throw error;
          turnedAway += 1;
          await sleep(clock, error.retryAfterMs);
        }
      }
    };
    await drive(under, Promise.all(Array.from({ length: 150 }, key)));
    const { byStatus } = await under.control.log.summary();
    expect(byStatus["429"] ?? 0).toBe(0);
    // 300 requests, 110 a minute: two whole windows and the beginning of a third.
    expect(clock.monotonic()).toBeLessThan(130_000);
    expect(turnedAway).toBeLessThan(300);
  });

  test("somebody else with the same user spends too: as many 429 as were in flight, and every read succeeds", async () => {
    const under = await start();
    const { ref } = await under.client.projects.create({ body });
    await under.client.projects.get({ ref });
    await under.control.tokens.add({ token: "other", user: "owner" });
    const spend = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await under.call("GET", `/v1/projects/${ref}`, { token: "other" });
    };
    await spend(100);
    const reads = Array.from({ length: 60 }, () => under.client.projects.get({ ref }, { maxWaitMs: 600_000 }));
    expect(await drive(under, Promise.all(reads))).toHaveLength(60);
    const { byStatus } = await under.control.log.summary();
    expect(byStatus["429"] ?? 0).toBeLessThanOrEqual(16);
  });
});

describe("lost answers", () => {
  test("[K-01] [K-40] a create whose answer is lost is not sent again; the project can be found by its name", async () => {
    const { client, control } = await start();
    await control.faults.add({ operation: "projects.create", fault: { kind: "reset", phase: "after" } });
    const failure: unknown = await client.projects.create({ body }).catch((error: unknown) => error);
    expect(isApiError(failure) && [failure.code, failure.effect]).toEqual(["CONNECTION_LOST", "unknown"]);
    const found = await client.organizations.listProjects({ slug: "acme", search: "shop" });
    expect(found.projects.map(({ name }) => name)).toEqual(["shop"]);
    expect((await control.log.summary()).byOperation["projects.create"]).toBe(1);
  });
});

describe("lists by offset", () => {
  test("give everything, page by page", async () => {
    const under = await start();
    for (let n = 0; n < 7; n += 1) await under.client.projects.create({ body: { ...body, name: `p${n}` } });
    const names: string[] = [];
    for await (const { name } of under.client.organizations.listProjects.each({ slug: "acme", limit: 3 })) {
      names.push(name);
    }
    expect(names.toSorted()).toEqual(["p0", "p1", "p2", "p3", "p4", "p5", "p6"]);
  });
});

describe("lists by cursor", () => {
  const names = ["ann", "bob", "cid", "dot", "eve"];
  const seed = {
    users: names.map((username) => ({ username, email: `${username}@example.test` })),
    organizations: [{ slug: "beta", members: Object.fromEntries(names.map((name) => [name, "Developer"] as const)) }],
    tokens: [{ token: "ann-token", user: "ann" }],
  };

  test.each([1, 2, 5, 100])("give everything in pages of %s, each item once", async (size) => {
    const under = await start({ credentials: new PersonalToken("ann-token") }, { seed });
    const { listMembers } = under.client.organizations;
    const found: string[] = [];
    for await (const { attributes } of listMembers.each({ slug: "beta", page: { size } })) {
      found.push(attributes.username);
    }
    expect(found.toSorted()).toEqual(names);
    expect((await under.control.log.summary()).byOperation["organizations.listMembers"]).toBe(Math.ceil(5 / size));
  });

  test("filter on every page", async () => {
    const under = await start({ credentials: new PersonalToken("ann-token") }, { seed });
    const roles: string[] = [];
    const filter = { scope: "organization" } as const;
    for await (const role of under.client.organizations.listRoles.each({ slug: "beta", filter, page: { size: 1 } })) {
      roles.push(role.attributes.name);
    }
    expect(roles).toEqual(["Owner", "Administrator", "Developer", "Read-only"]);
  });
});

describe("a list whose answers hold the next cursor", () => {
  test.each(["1", "3", undefined])("gives every snippet once, in pages of %s", async (limit) => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const under = await start(
      {},
      {
        seed: {
          projects: [{ name: "shop", organization: "acme" }],
          snippets: names.map((name) => ({ project: "shop", name, sql: "select 1" })),
        },
      },
    );
    const { list } = under.client.snippets;
    const query = { sort_by: "name", sort_order: "asc", ...(limit === undefined ? {} : { limit }) } as const;
    const found: string[] = [];
    for await (const { name } of list.each(query)) found.push(name);
    expect(found).toEqual(names);
    expect((await under.control.log.summary()).byOperation["snippets.list"]).toBe(Math.ceil(7 / Number(limit ?? 100)));
  });
});

describe("what takes no token", () => {
  test("is refused for what it says, not for whose client it is", async () => {
    const under = await start({ credentials: new PersonalToken("no-such-token") });
    const grant = { grant_type: "refresh_token", client_id: "nobody", client_secret: "x", refresh_token: "y" } as const;
    const failure: unknown = await under.client.oauth.token({ body: grant }).catch((error: unknown) => error);
    expect(isApiError(failure) && [failure.operation, failure.status]).toEqual(["oauth.token", 401]);
    const { byOperation } = await under.control.log.summary();
    expect(byOperation).toEqual({ "oauth.token": 1 });
  });
});

describe("a count", () => {
  test("of action runs is as many as their list has", async () => {
    const under = await start();
    const { ref } = await under.client.projects.create({ body });
    under.clock.advance(600_000);
    await under.client.branches.create({ ref, body: { branch_name: "main" } });
    await under.client.branches.create({ ref, body: { branch_name: "dev" } });
    const runs: string[] = [];
    for await (const { id } of under.client.actions.list.each({ ref })) runs.push(id);
    expect(runs.length).toBeGreaterThan(0);
    expect(await under.client.actions.count({ ref })).toEqual({ count: runs.length });
  });
});
