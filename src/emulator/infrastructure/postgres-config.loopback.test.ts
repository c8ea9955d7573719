import { describe, expect, it } from "vitest";
import { type EmulatorUnderTest, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/config/database/postgres`;

const aShop = (): Promise<EmulatorUnderTest> =>
  emulatorUnderTest({ seed: { projects: [{ name: "shop", ref: REF }] }, timings: { restartingMs: 2000 } });

describe("the settings of a database", () => {
  it("[K-20] are none on a fresh project: only what it overrides is shown", async () => {
    await using under = await aShop();
    await using client = typedClient(under);
    expect(await client.postgresConfig.get({ ref: REF })).toEqual({});
  });

  it("[K-19] are replaced as a whole: what a PUT leaves out is no longer overridden", async () => {
    await using under = await aShop();
    await using client = typedClient(under);
    const first = { work_mem: "8MB", log_connections: true, "cron.log_statement": true, max_connections: 50 } as const;
    expect(await client.postgresConfig.replace({ ref: REF, body: first })).toEqual(first);
    expect(await client.postgresConfig.get({ ref: REF })).toEqual(first);
    const second = { session_replication_role: "replica", statement_timeout: "-1" } as const;
    await client.postgresConfig.replace({ ref: REF, body: second });
    expect(await client.postgresConfig.get({ ref: REF })).toEqual(second);
    await client.postgresConfig.replace({ ref: REF, body: {} });
    expect(await client.postgresConfig.get({ ref: REF })).toEqual({});
  });

  it("are kept as they are beyond the range of PostgreSQL, whose own value the sessions go on with", async () => {
    await using under = await aShop();
    const names = ["statement_timeout", "work_mem", "effective_cache_size", "logical_decoding_work_mem"];
    const query = `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(", ")}`;
    const shown = async () =>
      (await under.call("POST", `/v1/projects/${REF}/database/query`, { body: { query } })).json;
    const before = await shown();
    for (const body of [
      { statement_timeout: "9999999999d", work_mem: "1kB" },
      { statement_timeout: "-1.5ms", effective_cache_size: "-5", logical_decoding_work_mem: "99999999999999999GB" },
    ]) {
      expect((await under.call("PUT", PATH, { body })).json).toEqual(body);
      expect((await under.call("GET", PATH)).json).toEqual(body);
      expect(await shown()).toEqual(before);
    }
    expect((await under.call("PUT", PATH, { body: { work_mem: "64kB" } })).status).toBe(200);
    expect(await shown()).toMatchObject([{ work_mem: "64kB" }]);
  });

  it("keep restart_database for themselves: it is an order, not a setting", async () => {
    await using under = await aShop();
    await using client = typedClient(under);
    const body = { max_connections: 40, restart_database: false };
    expect(await client.postgresConfig.replace({ ref: REF, body })).toEqual({ max_connections: 40 });
  });

  it.each([
    { why: "[K-19] a setting that nobody knows", body: { max_connection: 10 }, says: "max_connection" },
    { why: "a number where the wire has text", body: { work_mem: 8 }, says: "work_mem" },
    { why: "a size with a unit that there is not", body: { work_mem: "8 megabytes" }, says: '"64MB"' },
    { why: "a duration with a unit that there is not", body: { statement_timeout: "5 minutes" }, says: '"60s"' },
    { why: "fewer connections than one", body: { max_connections: 0 }, says: "max_connections" },
    { why: "more connections than there can be", body: { max_connections: 262_144 }, says: "262143" },
    { why: "fewer locks than ten", body: { max_locks_per_transaction: 9 }, says: "max_locks_per_transaction" },
    { why: "more parallel workers than 1024", body: { max_parallel_workers: 1025 }, says: "max_parallel_workers" },
    { why: "more worker processes than there can be", body: { max_worker_processes: 262_144 }, says: "262143" },
    { why: "half a worker", body: { max_parallel_workers: 1.5 }, says: "max_parallel_workers" },
    {
      why: "a role that there is not",
      body: { session_replication_role: "leader" },
      says: "'origin' | 'replica' | 'local'",
    },
    { why: "null, which is no value here", body: { work_mem: null }, says: "work_mem" },
  ])("are refused for $why, and stay as they were", async ({ body, says }) => {
    await using under = await aShop();
    await under.call("PUT", PATH, { body: { work_mem: "4MB" } });
    const refused = await under.call("PUT", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", PATH)).json).toEqual({ work_mem: "4MB" });
  });
});

describe("a change of settings", () => {
  it.each([
    { why: "max_connections needs one", before: {}, body: { max_connections: 50 }, restarts: true },
    { why: "the end of an override that needs one", before: { shared_buffers: "1GB" }, body: {}, restarts: true },
    { why: "the same value again", before: { max_connections: 50 }, body: { max_connections: 50 }, restarts: false },
    { why: "work_mem is taken over at once", before: {}, body: { work_mem: "8MB" }, restarts: false },
    {
      why: "the caller wants none",
      before: {},
      body: { max_connections: 50, restart_database: false },
      restarts: false,
    },
    {
      why: "true is what is meant without a word",
      before: {},
      body: { max_connections: 50, restart_database: true },
      restarts: true,
    },
  ])("restarts the project: $restarts ($why)", async ({ before, body, restarts }) => {
    await using under = await aShop();
    await under.call("PUT", PATH, { body: { ...before, restart_database: false } });
    await under.call("PUT", PATH, { body });
    expect(await statusOf(under)).toBe(restarts ? "RESTARTING" : "ACTIVE_HEALTHY");
    under.clock.advance(2000);
    expect(await statusOf(under)).toBe("ACTIVE_HEALTHY");
  });

  it("restarts the read replicas with it", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF, readReplicas: [{ region: "us-west-1" }] }] },
    });
    await using client = typedClient(under);
    await client.postgresConfig.replace({ ref: REF, body: { max_connections: 50 } });
    const { projects } = await client.organizations.listProjects({ slug: "acme" });
    expect(projects[0]?.databases?.map(({ type, status }) => [type, status])).toEqual([
      ["PRIMARY", "RESTARTING"],
      ["READ_REPLICA", "RESTARTING"],
    ]);
  });

  it("is kept by a paused project, which starts with it", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ name: "shop", ref: REF, status: "INACTIVE" }] },
    });
    await under.call("PUT", PATH, { body: { max_connections: 50 } });
    expect(await statusOf(under)).toBe("INACTIVE");
    expect((await under.call("GET", PATH)).json).toEqual({ max_connections: 50 });
  });
});

async function statusOf({ control }: EmulatorUnderTest): Promise<string | undefined> {
  return (await control.state.read()).projects[0]?.status;
}
