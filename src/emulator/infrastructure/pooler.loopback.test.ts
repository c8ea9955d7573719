import { describe, expect, it } from "vitest";
import type { SeedInput } from "../state/seed.ts";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { A_WHILE, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const PATH = `/v1/projects/${REF}/config/database/pooler`;

const shop = { name: "shop", ref: REF, region: "eu-west-1" } as const;
const seed: SeedInput = { projects: [shop] };

describe("the pooler of a project", () => {
  it("is one for the primary database, in transaction mode, with no sizes of its own", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await client.pooler.get({ ref: REF })).toEqual([
      {
        identifier: REF,
        database_type: "PRIMARY",
        is_using_scram_auth: true,
        db_user: `postgres.${REF}`,
        db_host: "aws-0-eu-west-1.pooler.emulator.test",
        db_port: 6543,
        db_name: "postgres",
        connection_string: `postgresql://postgres.${REF}:[YOUR-PASSWORD]@aws-0-eu-west-1.pooler.emulator.test:6543/postgres`,
        connectionString: `postgresql://postgres.${REF}:[YOUR-PASSWORD]@aws-0-eu-west-1.pooler.emulator.test:6543/postgres`,
        default_pool_size: null,
        max_client_conn: null,
        pool_mode: "transaction",
      },
    ]);
  });

  it("is one more for each read replica that is up, all with the same settings", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    await client.pooler.update({ ref: REF, body: { default_pool_size: 40 } });
    await client.readReplicas.setup({ ref: REF, body: { read_replica_region: "us-west-1" } });
    expect(await client.pooler.get({ ref: REF })).toHaveLength(1);
    under.clock.advance(A_WHILE);
    const poolers = await client.pooler.get({ ref: REF });
    expect(poolers.map((one) => [one.database_type, one.db_host, one.default_pool_size])).toEqual([
      ["PRIMARY", "aws-0-eu-west-1.pooler.emulator.test", 40],
      ["READ_REPLICA", "aws-0-us-west-1.pooler.emulator.test", 40],
    ]);
    await client.readReplicas.remove({ ref: REF, body: { database_identifier: poolers[1]?.identifier ?? "" } });
    expect(await client.pooler.get({ ref: REF })).toHaveLength(1);
  });

  it("keeps what a PATCH leaves out, and takes null for the size that follows from the compute size", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    expect(await client.pooler.update({ ref: REF, body: { pool_mode: "session" } })).toEqual({
      default_pool_size: null,
      pool_mode: "session",
    });
    expect(await client.pooler.update({ ref: REF, body: { default_pool_size: 0 } })).toEqual({
      default_pool_size: 0,
      pool_mode: "session",
    });
    expect(await client.pooler.get({ ref: REF })).toMatchObject([{ default_pool_size: 0, pool_mode: "session" }]);
    await client.pooler.update({ ref: REF, body: { default_pool_size: null } });
    expect(await client.pooler.get({ ref: REF })).toMatchObject([{ default_pool_size: null, pool_mode: "session" }]);
  });

  it.each([
    { why: "more than 3000 connections", body: { default_pool_size: 3001 }, says: "3000" },
    { why: "fewer than none", body: { default_pool_size: -1 }, says: "default_pool_size" },
    {
      why: "the mode that only the dedicated pooler has",
      body: { pool_mode: "statement" },
      says: "'transaction' | 'session'",
    },
    { why: "a field that cannot be set", body: { max_client_conn: 100 }, says: "max_client_conn" },
  ])("is refused $why", async ({ body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const refused = await under.call("PATCH", PATH, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", PATH)).json).toMatchObject([{ default_pool_size: null, pool_mode: "transaction" }]);
  });
});

describe("the dedicated pooler", () => {
  it("has the sizes of the compute size until one is set", async () => {
    await using under = await emulatorUnderTest({
      seed: { projects: [{ ...shop, instanceSize: "xlarge" }] },
    });
    await using client = typedClient(under);
    expect(await client.pooler.getPgbouncer({ ref: REF })).toMatchObject({
      default_pool_size: 20,
      max_client_conn: 1000,
      pool_mode: "transaction",
      connection_string: `postgresql://postgres:[YOUR-PASSWORD]@db.${REF}.emulator.test:6543/postgres`,
    });
    await client.pooler.update({ ref: REF, body: { default_pool_size: 99 } });
    expect(await client.pooler.getPgbouncer({ ref: REF })).toMatchObject({ default_pool_size: 99 });
  });
});
