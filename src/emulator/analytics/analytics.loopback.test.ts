import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { apiCountsSchema, logQueryResultSchema } from "../../api/contract/analytics.ts";
import { functionSchema } from "../../api/contract/functions.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest, TOKEN } from "../../../test/support/emulator/api.ts";
import { aProject, deploy, message } from "../../../test/support/emulator/scenario.ts";
import { typedClient } from "../../../test/support/emulator/typed-client.ts";

const REF = "abcdefghijklmnopqrst";
const endpoint = (name: string, query: Readonly<Record<string, string>> = {}, ref = REF): string =>
  `/v1/projects/${ref}/analytics/endpoints/${name}?${new URLSearchParams(query).toString()}`;

const listed = z.looseObject({ event_message: z.string(), source: z.string(), timestamp: z.string(), id: z.uuid() });

async function messages({ call }: EmulatorUnderTest, path: string): Promise<readonly string[]> {
  const { result } = bodyAs(logQueryResultSchema, await call("GET", path));
  return z
    .array(listed)
    .parse(result)
    .map(({ source, event_message: text }) => `${source}: ${text}`);
}

const HOUR = 3_600_000;
const seed = { projects: [{ name: "shop", ref: REF }] };

describe("a project's logs", () => {
  it("without a query are what was asked about the project in the last minute, newest first", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.call("GET", `/v1/projects/${REF}`);
    under.clock.advance(30_000);
    await under.call("PATCH", `/v1/projects/${REF}/config/auth`, { body: { site_url: 7 } });
    await under.call("GET", "/v1/profile"); // about no project
    const both = [
      `auth_logs: authConfig.update 400`,
      `edge_logs: PATCH | 400 | /v1/projects/${REF}/config/auth`,
      `edge_logs: GET | 200 | /v1/projects/${REF}`,
    ];
    expect(await messages(under, endpoint("logs"))).toEqual(both);
    expect(await messages(under, endpoint("logs.all"))).toEqual([
      `edge_logs: GET | 200 | /v1/projects/${REF}/analytics/endpoints/logs`,
      ...both.slice(1),
    ]);
    under.clock.advance(45_000);
    expect(await messages(under, endpoint("logs.all"))).not.toContain(both[2]);
    under.clock.advance(60_001);
    expect(await messages(under, endpoint("logs"))).toEqual([]);
  });

  it("of a range are those of the minutes that it is rounded to", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.call("GET", `/v1/projects/${REF}`); // at 00:00:00
    under.clock.advance(90_000);
    await under.call("GET", `/v1/projects/${REF}/secrets`); // at 00:01:30
    under.clock.advance(HOUR);
    const range = (start: string, end: string) => ({
      iso_timestamp_start: `2026-01-01T00:${start}Z`,
      iso_timestamp_end: `2026-01-01T00:${end}Z`,
    });
    expect(await messages(under, endpoint("logs", range("00:00", "01:00")))).toHaveLength(1);
    expect(await messages(under, endpoint("logs", range("00:29", "01:30")))).toHaveLength(2);
    expect(await messages(under, endpoint("logs", range("00:31", "02:00")))).toHaveLength(1);
    expect(await messages(under, endpoint("logs", range("02:00", "10:00")))).toEqual([]);
  });

  it("are of one project, and hold no secret of any request", async () => {
    await using under = await emulatorUnderTest({ seed });
    const other = await aProject(under, "other");
    await under.call("PATCH", `/v1/projects/${REF}/database/password`, { body: { password: "hunter2-canary" } });
    await under.call("GET", `/v1/projects/${REF}?access_token=hunter2-canary`);
    expect(await messages(under, endpoint("logs", {}, other))).toEqual([]);
    const shown = (await under.call("GET", endpoint("logs"))).text;
    expect(shown).toContain(`PATCH | 200 | /v1/projects/${REF}/database/password`);
    expect(shown).not.toContain("hunter2");
  });
});

describe("SQL that never came to the database", () => {
  const QUERY = `/v1/projects/${REF}/database/query`;
  const body = { query: "select 'canary'" };

  it.each<{ readonly why: string; readonly ask: (under: EmulatorUnderTest) => Promise<unknown> }>([
    { why: "whose token is nobody's", ask: (under) => under.call("POST", QUERY, { body, token: "nobody" }) },
    {
      why: "that a fault met before",
      ask: async (under) => {
        await under.control.faults.add({ operation: "database.query", fault: { kind: "status", status: 503 } });
        await under.call("POST", QUERY, { body });
      },
    },
    {
      why: "of a project that does not run",
      ask: async (under) => {
        await under.control.projects.force({ ref: REF, status: "INACTIVE" });
        await under.call("POST", QUERY, { body });
      },
    },
  ])("is in no log: $why", async ({ ask }) => {
    await using under = await emulatorUnderTest({ seed });
    await ask(under);
    const lines = await messages(under, endpoint("logs"));
    expect(lines).toContainEqual(expect.stringMatching(/^postgres_logs: database\.query \d+$/u));
    expect(lines.filter((line) => line.includes("statement"))).toEqual([]);
  });

  it("is there where the database refused it", async () => {
    await using under = await emulatorUnderTest({ seed });
    expect((await under.call("POST", QUERY, { body: { query: "select nothing" } })).status).toBe(400);
    expect(await messages(under, endpoint("logs"))).toContain("postgres_logs: statement: select nothing");
  });
});

describe("a query over the logs", () => {
  let under: EmulatorUnderTest;

  beforeAll(async () => {
    under = await emulatorUnderTest({ seed });
    await under.call("POST", `/v1/projects/${REF}/database/query`, { body: { query: "select 41 + 1" } });
    await under.call("GET", `/v1/projects/${REF}`);
  });
  afterAll(() => under[Symbol.asyncDispose]());

  it("runs through the typed client, as SQL of the dialect or as LQL", async () => {
    await using client = typedClient(under);
    const sql = "select event_message from logs where source = 'postgres_logs'";
    expect(await client.analytics.logs({ ref: REF, sql })).toEqual({
      result: [{ event_message: "statement: select 41 + 1" }],
    });
    const lql = await client.analytics.logs({ ref: REF, sql: `source:edge_logs request.method:POST` });
    expect(lql.result).toMatchObject([{ event_message: `POST | 201 | /v1/projects/${REF}/database/query` }]);
    const nested =
      "select count(*) as n from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as response " +
      "where response.status_code = 201";
    expect(await client.analytics.allLogs({ ref: REF, sql: nested })).toEqual({ result: [{ n: 1 }] });
  });

  it("sees its range only", async () => {
    const sql = "select count(*) as n from edge_logs";
    const range = { iso_timestamp_start: "2025-12-31T23:00:00Z", iso_timestamp_end: "2025-12-31T23:30:00Z" };
    expect((await under.call("GET", endpoint("logs", { sql, ...range }))).json).toEqual({ result: [{ n: 0 }] });
  });

  it.each([
    { name: "logs", sql: "select colour from logs", says: 'column "colour" does not exist' },
    { name: "logs.all", sql: "select * from nowhere", says: 'relation "nowhere" does not exist' },
    { name: "logs", sql: "with x as (insert into logs values (1)) select 1", says: "." },
  ])("that the database refuses is answered with its words: $sql", async ({ name, sql, says }) => {
    const answered = await under.call("GET", endpoint(name, { sql }));
    expect([answered.status, answered.json]).toEqual([200, { result: [], error: expect.stringMatching(says) }]);
  });

  it.each([
    { name: "logs", query: { sql: "c:count(*)" }, says: /'c:'/, because: "LQL's charts are not understood" },
    {
      name: "logs.all",
      query: { sql: "source:edge_logs" },
      says: /select or with/,
      because: "this one takes SQL only",
    },
    { name: "logs", query: { sql: "" }, says: /sql/, because: "an empty query asks for nothing" },
    {
      name: "logs",
      query: { iso_timestamp_start: "yesterday" },
      says: /ISO 8601/,
      because: "that is no timestamp",
    },
    {
      name: "logs.all",
      query: { iso_timestamp_start: "2025-12-30T00:00:00Z" },
      says: /24 hours/,
      because: "the range is longer than 24 hours",
    },
    {
      name: "logs",
      query: { iso_timestamp_start: "2026-01-01T00:00:00Z", iso_timestamp_end: "2025-12-31T23:00:00Z" },
      says: /after iso_timestamp_start/,
      because: "the range ends before it begins",
    },
    { name: "logs", query: { limit: "1" }, says: /'limit'/, because: "there is no such parameter" },
  ])("is refused with 400 when $because", async ({ name, query, says }) => {
    const told = Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]);
    const refused = await under.call("GET", endpoint(name, Object.fromEntries(told)));
    expect([refused.status, message(refused)]).toEqual([400, expect.stringMatching(says)]);
  });

  it.each([
    { plan: "free", days: 2, status: 402 },
    { plan: "pro", days: 2, status: 200 },
    { plan: "pro", days: 8, status: 402 },
    { plan: "team", days: 8, status: 200 },
  ] as const)(
    "on the plan $plan that goes back $days days is answered with $status",
    async ({ plan, days, status }) => {
      await under.control.organizations.patch({ slug: "acme", plan });
      const start = new Date(under.clock.now() - days * 24 * HOUR);
      const range = {
        iso_timestamp_start: start.toISOString(),
        iso_timestamp_end: new Date(start.getTime() + HOUR).toISOString(),
      };
      expect((await under.call("GET", endpoint("logs.all", range))).status).toBe(status);
    },
  );
});

describe("counts", () => {
  it("of requests go by service and minute, and through the typed client", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    for (const path of ["config/auth", "config/auth/signing-keys", "config/realtime", "postgrest", "config/storage"]) {
      await under.call("GET", `/v1/projects/${REF}/${path}`);
    }
    under.clock.advance(5 * 60_000);
    await under.call("GET", `/v1/projects/${REF}/config/storage`);
    const counts = (timestamp: string, [auth, realtime, rest, storage]: readonly number[]) => ({
      timestamp,
      total_auth_requests: auth,
      total_realtime_requests: realtime,
      total_rest_requests: rest,
      total_storage_requests: storage,
    });
    expect(await client.analytics.apiCounts({ ref: REF, interval: "15min" })).toEqual({
      result: [counts("2026-01-01T00:00:00.000Z", [2, 1, 1, 1]), counts("2026-01-01T00:05:00.000Z", [0, 0, 0, 1])],
    });
    expect(await client.analytics.apiRequestsCount({ ref: REF })).toEqual({ result: [{ count: 7 }] });
    under.clock.advance(12 * 60_000);
    const { result } = bodyAs(
      apiCountsSchema,
      await under.call("GET", endpoint("usage.api-counts", { interval: "15min" })),
    );
    expect(result?.map(({ timestamp }) => timestamp)).toEqual(["2026-01-01T00:05:00.000Z"]);
    under.clock.advance(24 * HOUR + 1);
    expect(await client.analytics.apiRequestsCount({ ref: REF })).toEqual({ result: [{ count: 0 }] });
  });

  it("of a function tell how what was asked of it ended", async () => {
    await using under = await emulatorUnderTest({ seed });
    await using client = typedClient(under);
    const { id } = bodyAs(functionSchema, await deploy(under, REF, "hello"));
    await under.call("GET", `/v1/projects/${REF}/functions/hello`);
    await deploy(under, REF, "hello", { entrypoint_path: "missing.ts" });
    await deploy(under, REF, "other");
    expect(await client.analytics.functionStats({ ref: REF, interval: "1hr", function_id: id })).toEqual({
      result: [
        {
          timestamp: "2026-01-01T00:00:00.000Z",
          requests_count: 3,
          success_count: 2,
          redirect_count: 0,
          client_err_count: 1,
          server_err_count: 0,
        },
      ],
    });
  });

  it.each([
    { name: "functions.combined-stats", query: {}, status: 400, because: "interval and function are required" },
    {
      name: "functions.combined-stats",
      query: { interval: "7day", function_id: "x" },
      status: 400,
      because: "there is no such interval for functions",
    },
    {
      name: "functions.combined-stats",
      query: { interval: "1day", function_id: "x" },
      status: 404,
      because: "there is no such function",
    },
    { name: "usage.api-counts", query: { interval: "2hr" }, status: 400, because: "there is no such interval" },
    { name: "usage.api-requests-count", query: { interval: "1hr" }, status: 400, because: "it takes no interval" },
  ])("are refused with $status when $because", async ({ name, query, status }) => {
    await using under = await emulatorUnderTest({ seed });
    expect((await under.call("GET", endpoint(name, query as Record<string, string>))).status).toBe(status);
  });
});

describe("analytics", () => {
  const NAMES = [
    "logs",
    "logs.all",
    "usage.api-counts",
    "usage.api-requests-count",
    "functions.combined-stats?interval=1hr&function_id=x",
  ];

  it.each(NAMES)("of %s are not found for whoever does not see the project", async (name) => {
    await using under = await emulatorUnderTest({ seed, tokens: [TOKEN, "stranger"] });
    const path = `/v1/projects/${REF}/analytics/endpoints/${name}`;
    expect((await under.call("GET", path, { token: "stranger" })).status).toBe(404);
    expect((await under.call("GET", path.replace(REF, "z".repeat(20)))).status).toBe(404);
  });

  it.each([
    { name: "logs.all", others: "logs" },
    { name: "usage.api-counts", others: "usage.api-requests-count" },
    { name: "usage.api-requests-count", others: "usage.api-counts" },
  ])("of $name are answered 30 times a minute, whatever was asked of $others", async ({ name, others }) => {
    await using under = await emulatorUnderTest({ seed });
    const statuses = async (endpointName: string, count: number) => {
      const seen: number[] = [];
      for (let index = 0; index < count; index += 1) {
        seen.push((await under.call("GET", endpoint(endpointName))).status);
      }
      return seen;
    };
    expect(new Set(await statuses(others, 30))).toEqual(new Set([200]));
    expect(await statuses(name, 31)).toEqual([...Array.from({ length: 30 }, () => 200), 429]);
    under.clock.advance(60_000);
    expect(await statuses(name, 1)).toEqual([200]);
  });
});
