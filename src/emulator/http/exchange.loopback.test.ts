import { describe, expect, it } from "vitest";
import { operations } from "../../api/contract/contract.ts";
import { emulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";
import { aProject, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";
import { BODY_LIMIT } from "./body.ts";

const budget = ({ headers }: Received) => ({
  limit: headers["x-ratelimit-limit"],
  remaining: headers["x-ratelimit-remaining"],
  reset: headers["x-ratelimit-reset"],
});

describe("authentication", () => {
  it.each([
    { authorization: undefined, because: "there is none" },
    { authorization: "Bearer wrong", because: "the token is unknown" },
    { authorization: "Basic dGVzdA==", because: "it is no bearer token" },
    { authorization: "Bearer", because: "there is no token in it" },
  ])("is refused with 401 when $because", async ({ authorization }) => {
    await using under = await emulatorUnderTest();
    const headers = authorization === undefined ? {} : { authorization };
    const refused = await under.call("GET", "/v1/projects", { token: null, headers });
    expect([refused.status, refused.text]).toEqual([401, '{"message":"Unauthorized"}']);
  });

  it("of a token without the right is refused in the words of the service, as JSON", async () => {
    await using under = await emulatorUnderTest();
    await under.control.tokens.add({ token: "fine", user: "owner", permissions: [] });
    const refused = await under.call("GET", "/v1/projects", { token: "fine" });
    expect([refused.status, refused.json]).toEqual([
      403,
      {
        message: expect.stringMatching(
          /^Your account does not have the necessary privileges to access this endpoint\./,
        ),
      },
    ]);
  });

  it("is refused with 401 for a token that was revoked, and works again with a new one", async () => {
    await using under = await emulatorUnderTest();
    expect(await under.control.tokens.revoke({ token: "test-token" })).toEqual({ revoked: true });
    expect((await under.call("GET", "/v1/profile")).status).toBe(401);
    await under.control.tokens.add({ token: "new", user: "owner" });
    expect((await under.call("GET", "/v1/organizations/acme", { token: "new" })).status).toBe(200);
  });

  it.each([
    { permissions: [], method: "GET", path: "/v1/projects", status: 403, says: "projects_read" },
    { permissions: ["projects_read"], method: "GET", path: "/v1/projects", status: 200, says: "" },
    {
      permissions: ["branching_production_create"],
      method: "DELETE",
      path: "/v1/projects/REF/branches",
      status: 403,
      says: "branching_production_delete",
    },
    {
      permissions: [],
      method: "GET",
      path: "/v1/projects/REF/branches",
      status: 403,
      says: "branching_production_read or branching_development_read",
    },
    {
      permissions: ["branching_development_read"],
      method: "GET",
      path: "/v1/projects/REF/branches",
      status: 200,
      says: "",
    },
    { permissions: [], method: "GET", path: "/v1/profile", status: 200, says: "" },
  ])(
    "with the permissions $permissions gives $status for $method $path",
    async ({ permissions, method, path, status, says }) => {
      await using under = await emulatorUnderTest();
      const ref = await aProject(under);
      await under.control.tokens.add({ token: "fine", user: "owner", permissions });
      const answer = await under.call(method, path.replace("REF", ref), { token: "fine" });
      expect([answer.status, answer.text]).toEqual([status, expect.stringContaining(says)]);
    },
  );
});

describe("rate limits", () => {
  it("come with every answer, whatever its status", async () => {
    await using under = await emulatorUnderTest();
    const answers = await Promise.all([
      under.call("GET", "/v1/profile"),
      under.call("GET", "/v1/profile", { token: "wrong" }),
      under.call("GET", `/v1/projects/${"z".repeat(20)}`),
      under.call("POST", "/v1/projects", { body: "{", headers: { "content-type": "application/json" } }),
      under.call("POST", "/v1/projects/x/nothing"),
      under.call("GET", "/v1/projects/%E0%A4%A"),
      under.call("GET", "/nowhere"),
      under.call("HEAD", "/v1/profile"),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 404, 400, 404, 400, 404, 200]);
    for (const answer of answers) {
      expect(budget(answer)).toEqual({
        limit: "120",
        remaining: expect.stringMatching(/^1\d\d$/),
        reset: expect.stringMatching(/^(60|59)$/),
      });
    }
  });

  it("are 120 in a minute that begins at the first request, and refuse the rest of it", async () => {
    await using under = await emulatorUnderTest();
    for (let used = 1; used <= 120; used += 1) {
      under.clock.advance(100);
      const answer = await under.call("GET", "/v1/profile");
      expect([answer.status, budget(answer).remaining]).toEqual([200, String(120 - used)]);
    }
    const refused = await under.call("GET", "/v1/profile");
    expect([refused.status, message(refused)]).toEqual([429, "ThrottlerException: Too Many Requests"]);
    expect(budget(refused)).toEqual({ limit: "120", remaining: "0", reset: "49" });
    under.clock.advance(48_099);
    expect((await under.call("GET", "/v1/profile")).status).toBe(429);
    under.clock.advance(1);
    expect(budget(await under.call("GET", "/v1/profile"))).toEqual({ limit: "120", remaining: "119", reset: "60" });
  });

  it("are counted per identity and scope", async () => {
    await using under = await emulatorUnderTest({ tokens: ["a", "b"], limits: { requestsPerMinute: 2 } });
    await under.control.tokens.add({ token: "a-too", user: "owner" });
    await under.control.organizations.patch({ slug: "acme", members: { "user-2": "Developer" } });
    const status = async (token: string, path: string) => (await under.call("GET", path, { token })).status;
    const ref = "z".repeat(20);
    expect([await status("a", "/v1/profile"), await status("a-too", "/v1/organizations")]).toEqual([200, 200]);
    expect(await status("a", "/v1/profile")).toBe(429);
    expect(await status("a-too", "/v1/profile")).toBe(429);
    expect(await status("b", "/v1/profile")).toBe(200);
    expect(await status("a", "/v1/organizations/acme")).toBe(200);
    expect(await status("a", "/v1/organizations/acme/projects")).toBe(200);
    expect(await status("a", "/v1/organizations/acme")).toBe(429);
    expect(await status("a", `/v1/projects/${ref}`)).toBe(404);
  });

  it("count the creation of a project with its organization, and a branch with its parent project", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 3 } });
    const made = await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } });
    const { entries } = await under.control.log.read();
    expect([made.status, entries[0]?.scope]).toEqual([201, "acme"]);
    const orgs = await under.call("GET", "/v1/organizations/acme");
    expect(budget(orgs).remaining).toBe("1");
    const ref = (await under.control.state.read()).projects[0]?.ref ?? "";
    under.clock.advance(60_000);
    await under.call("POST", `/v1/projects/${ref}/branches`, { body: { branch_name: "main" } });
    const branch = (await under.control.state.read()).branches[0];
    expect(budget(await under.call("GET", `/v1/branches/${branch?.id ?? ""}`)).remaining).toBe("1");
    expect(budget(await under.call("GET", "/v1/branches/00000000-0000-4000-8000-000000000000")).remaining).toBe("2");
  });

  it("say Retry-After alternately, always or never, as they are set", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 1 } });
    await under.call("GET", "/v1/profile");
    const retryAfter = async (times: number) => {
      const seen: (string | undefined)[] = [];
      for (let index = 0; index < times; index += 1) {
        seen.push((await under.call("GET", "/v1/profile")).headers["retry-after"]);
      }
      return seen;
    };
    expect(await retryAfter(4)).toEqual(["60", undefined, "60", undefined]);
    await under.control.settings.patch({ retryAfter: "never" });
    expect(await retryAfter(2)).toEqual([undefined, undefined]);
    await under.control.settings.patch({ retryAfter: "always" });
    expect(await retryAfter(2)).toEqual(["60", "60"]);
  });

  it("refuse nobody when they are off, and still come as headers", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 } });
    const answers = await Promise.all(Array.from({ length: 200 }, () => under.call("GET", "/v1/profile")));
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    expect(Number(answers[0] && budget(answers[0]).limit)).toBeGreaterThan(1_000_000);
  });

  it("count those without a valid token by address", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 1 } });
    const status = async (token: string | null) => (await under.call("GET", "/v1/profile", { token })).status;
    expect([await status(null), await status("guess"), await status("test-token")]).toEqual([401, 429, 200]);
  });
});

describe("routes", () => {
  it.each([
    { method: "POST", path: "/v1/projects//functions", because: "an empty ref is another route" },
    { method: "GET", path: "/v1/projects/", because: "so is a trailing slash" },
    { method: "GET", path: "/v1/profile/", because: "everywhere" },
    { method: "PUT", path: "/v1/profile", because: "the method is none of its" },
    { method: "GET", path: "/V1/profile", because: "paths are case-sensitive" },
    { method: "GET", path: "/v1/nothing?a=1", because: "there is no such path" },
    { method: "GET", path: "/", because: "there is nothing at the root" },
    { method: "QUERY", path: "/v1/profile", because: "no operation has it, whatever it says of its body" },
    { method: "POST", path: "/v1/nothing", type: "no type", because: "nobody reads what it says of its body" },
  ])("answer 404 to $method $path: $because", async ({ method, path, type }) => {
    await using under = await emulatorUnderTest();
    const sent = type === undefined ? {} : { headers: { "content-type": type }, body: "1" };
    const answer = await under.call(method, path, sent);
    expect([answer.status, answer.text]).toEqual([404, JSON.stringify({ message: `Cannot ${method} ${path}` })]);
  });

  it.each([
    { because: "nobody reads what it says of its body", type: ";;;", length: 1 },
    { because: "nobody reads its form", type: "multipart/form-data", length: 1 },
    { because: "nobody reads how long it is", type: "application/json", length: BODY_LIMIT + 1 },
  ])("answer 404 to an empty ref, whatever else is wrong: $because", async ({ type, length }) => {
    await using under = await emulatorUnderTest();
    const path = "/v1/projects//functions";
    const answer = await under.call("POST", path, {
      headers: { "content-type": type },
      body: new Uint8Array(length),
    });
    expect([answer.status, answer.text]).toEqual([404, JSON.stringify({ message: `Cannot POST ${path}` })]);
  });

  it("follow from the contract: every operation is there", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 } });
    for (const { id, method, path } of operations) {
      const answer = await under.call(method, path.replaceAll(/\{\w+\}/g, "zzzzzzzzzzzzzzzzzzzz"));
      expect([id, answer.text.includes("Cannot ")]).toEqual([id, false]);
    }
  });
});

describe("answers", () => {
  it("carry the emulator's own time as Date", async () => {
    await using under = await emulatorUnderTest();
    await under.control.time.advance({ ms: 3_600_000 });
    expect((await under.call("GET", "/v1/profile")).headers["date"]).toBe("Thu, 01 Jan 2026 01:00:00 GMT");
  });

  it("have no body and no content type where the contract has none", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const answer = await under.call("POST", `/v1/projects/${ref}/pause`);
    expect([answer.text, answer.headers["content-length"], answer.headers["content-type"]]).toEqual([
      "",
      "0",
      undefined,
    ]);
  });

  it.each([
    { contentType: "text/plain", says: "expected application/json, received text/plain" },
    { contentType: "multipart/form-data; boundary=x", says: "expected application/json, received multipart/form-data" },
    { contentType: "multipart/form-data", says: "application/json" },
    { contentType: ";;;", says: "Media Type" },
  ])("to a body of the type $contentType name the one that was expected", async ({ contentType, says }) => {
    await using under = await emulatorUnderTest();
    const answer = await under.call("POST", "/v1/organizations", {
      body: "--x--",
      headers: { "content-type": contentType },
    });
    expect([answer.status, message(answer)]).toEqual([400, expect.stringContaining(says)]);
  });

  it("accept JSON with a charset", async () => {
    await using under = await emulatorUnderTest();
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect((await under.call("POST", "/v1/organizations", { body: { name: "x" }, headers })).status).toBe(201);
  });
});

describe("the request log", () => {
  it("tells operation, identity, scope, status and the body's shape, and never a token or a secret", async () => {
    await using under = await emulatorUnderTest();
    await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "shop" } });
    await under.call("GET", "/nowhere?access_token=hunter2");
    const { entries, last } = await under.control.log.read();
    const [user] = (await under.control.state.read()).users;
    expect(entries).toEqual([
      {
        sequence: 1,
        at: "2026-01-01T00:00:00.000Z",
        operation: "projects.create",
        method: "POST",
        path: "/v1/projects",
        query: {},
        body: { name: "shop", organization_slug: "acme", db_pass: "[redacted]" },
        identity: `user:${user?.id ?? ""}`,
        scope: "acme",
        status: 201,
        fault: null,
      },
      expect.objectContaining({ sequence: 2, operation: null, query: { access_token: "[redacted]" }, status: 404 }),
    ]);
    expect(last).toBe(2);
    expect(JSON.stringify(entries)).not.toMatch(/hunter2|test-token|correct horse/);
    expect((await under.control.log.read({ after: 1 })).entries).toHaveLength(1);
    expect((await under.control.log.read({ operation: "projects.create", status: 201 })).entries).toHaveLength(1);
    expect(await under.control.log.summary()).toEqual({
      total: 2,
      byOperation: { "projects.create": 1, "unknown route": 1 },
      byStatus: { "201": 1, "404": 1 },
    });
  });

  it("tells SQL that is asked for in a query, without its values where it names a secret", async () => {
    await using under = await emulatorUnderTest();
    const sql = "select a from b where password = 'hunter2'";
    await under.call("GET", `/v1/projects/x/analytics/endpoints/logs.all?sql=${encodeURIComponent(sql)}`);
    expect((await under.control.log.read()).entries[0]?.query).toEqual({ sql: sql.replace("hunter2", "[redacted]") });
  });
});
