import { describe, expect, it } from "vitest";
import { z } from "zod";
import { secretSchema } from "../../api/contract/secrets.ts";
import { bodyAs, emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aBranch, aProject, deploy, message, NEW_PROJECT } from "../../../test/support/emulator/scenario.ts";
import { createControlClient } from "../control-client.ts";
import { callsByName } from "./calls.ts";

const listing = z.array(z.looseObject({ call: z.string(), summary: z.string(), input: z.looseObject({}) }));

describe("the control calls over HTTP", () => {
  it("are listed with their schemas", async () => {
    await using under = await emulatorUnderTest();
    const calls = bodyAs(listing, await under.call("GET", "/_emulator", { token: null }));
    expect(calls.map(({ call }) => call)).toEqual([...callsByName.keys()].map((name) => `POST /_emulator/${name}`));
  });

  it("do what the calls in process do", async () => {
    await using under = await emulatorUnderTest();
    const control = createControlClient({ url: under.emulator.url, fetch });
    const before = await control.time.read();
    expect(await control.time.advance({ ms: 1500 })).toEqual({
      now: "2026-01-01T00:00:01.500Z",
      nowMs: before.nowMs + 1500,
    });
    await control.faults.add({ operation: "profile.get", fault: { kind: "html" } });
    expect((await under.call("GET", "/v1/profile")).status).toBe(502);
    expect(await control.log.summary()).toMatchObject({ total: 1, byStatus: { "502": 1 } });
    expect(await control.state.read()).toEqual(await under.control.state.read());
  });

  it.each([
    { name: "time.advance", body: { ms: "soon" }, status: 400, says: "expected a number" },
    { name: "time.advance", body: { ms: 1, s: 2 }, status: 400, says: '"s"' },
    { name: "time.advance", body: { ms: 1e15 }, status: 400, says: "ends with the year 9999" },
    { name: "time.advance", body: { ms: 1e300 }, status: 400, says: "ends with the year 9999" },
    { name: "settings.patch", body: { speed: 1e-300 }, status: 400, says: "at least 0.001" },
    { name: "settings.patch", body: { timings: { comingUpMs: 1e20 } }, status: 400, says: "comingUpMs" },
    { name: "time.rewind", body: {}, status: 404, says: "no control call time.rewind" },
    { name: "projects.force", body: { ref: "nope", status: "REMOVED" }, status: 404, says: "Project nope" },
    {
      name: "branches.force",
      body: { refOrName: "nope", status: "RUNNING_MIGRATIONS" },
      status: 404,
      says: "Branch nope",
    },
    { name: "organizations.patch", body: { slug: "nope", plan: "free" }, status: 404, says: "Organization nope" },
    {
      name: "state.seed",
      body: { organizations: [{ slug: "acme" }] },
      status: 400,
      says: "organizations[0].slug: there is acme already",
    },
  ])("refuse $name with $status that says $says", async ({ name, body, status, says }) => {
    await using under = await emulatorUnderTest();
    const refused = await under.call("POST", `/_emulator/${name}`, { body });
    expect([refused.status, message(refused)]).toEqual([status, expect.stringContaining(says)]);
    const control = createControlClient({ url: under.emulator.url, fetch });
    await expect(control.projects.remove({ ref: "nope" })).rejects.toThrow(
      "projects.remove: 404 Project nope not found",
    );
  });

  it("say of a client whose emulator is gone which call had no answer, and why", async () => {
    const under = await emulatorUnderTest();
    const control = createControlClient({ url: under.emulator.url, fetch });
    await under[Symbol.asyncDispose]();
    await expect(control.time.read()).rejects.toThrow(
      "control call time.read: no answer of an emulator (ECONNREFUSED)",
    );
  });

  it.each([
    { answers: () => new Response("<html>Bad gateway</html>", { status: 502 }), says: "status 502", of: "a proxy" },
    { answers: () => Response.json({ error: "x" }, { status: 500 }), says: "status 500", of: "something else" },
    { answers: () => new Response(""), says: "status 200", of: "what says nothing" },
    {
      answers: () => {
        const body = new ReadableStream({
          pull: (stream) => stream.error(Object.assign(new Error("cut"), { code: "ECONNRESET" })),
        });
        return new Response(body);
      },
      says: "ECONNRESET",
      of: "what breaks off",
    },
  ])("say which call $of answers instead of an emulator", async ({ answers, says }) => {
    const control = createControlClient({ url: "http://127.0.0.1:1", fetch: () => Promise.resolve(answers()) });
    await expect(control.time.read()).rejects.toThrow(`control call time.read: no answer of an emulator (${says})`);
  });

  it.each(["http://127.0.0.1:8787/v1", "ftp://127.0.0.1:8787", "127.0.0.1:8787", "nowhere", ""])(
    "have no client for the URL %j",
    (url) => {
      expect(() => createControlClient({ url, fetch })).toThrow("url: expected the base URL that the emulator printed");
    },
  );

  it("take time as far as there are years, in whole milliseconds, and the service goes on", async () => {
    await using under = await emulatorUnderTest();
    const { nowMs } = await under.control.time.advance({ ms: 0.25 });
    expect(nowMs).toBe(Date.UTC(2026, 0, 1) + 1);
    await expect(under.control.time.advance({ ms: Date.UTC(9999, 11, 31) })).rejects.toThrow("9999");
    await under.control.time.advance({ ms: Date.UTC(9999, 11, 30) - nowMs });
    const ref = await aProject(under);
    expect((await under.call("GET", `/v1/projects/${ref}`)).json).toMatchObject({
      created_at: expect.stringMatching(/^9999-12-30T/),
    });
  });

  it("take JSON only, so that a web page cannot send one unasked", async () => {
    await using under = await emulatorUnderTest();
    const headers = { "content-type": "text/plain" };
    const refused = await under.call("POST", "/_emulator/time.advance", { body: '{"ms":1}', headers });
    const says =
      "content-type: expected application/json, received text/plain: curl sends it with --json '{}', or with the call's input in place of {}";
    expect([refused.status, message(refused)]).toEqual([400, says]);
    const page = { origin: "http://elsewhere.example.test" };
    const empty = await under.call("POST", "/_emulator/state.reset", { headers: page });
    expect([empty.status, message(empty)]).toEqual([400, says.replace("text/plain", "none")]);
  });

  it.each(["rebound.example.test", "203.0.113.1:8787", ""])(
    "are refused to who calls this machine %j, so that no web page under a name of its own can send one",
    async (host) => {
      await using under = await emulatorUnderTest();
      const refused = await under.call("POST", "/_emulator/time.read", { body: {}, headers: { host } });
      expect([refused.status, message(refused)]).toEqual([
        403,
        "control calls are for programs of this machine, which call it localhost or 127.0.0.1",
      ]);
    },
  );

  it("spend no budget and leave no line in the log", async () => {
    await using under = await emulatorUnderTest();
    await under.call("POST", "/_emulator/time.read", { body: {} });
    expect((await under.control.log.read()).entries).toEqual([]);
    expect((await under.call("GET", "/v1/profile")).headers["x-ratelimit-remaining"]).toBe("119");
  });
});

describe("the control of the state", () => {
  it("shows it without secrets", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under, "shop");
    await aBranch(under, ref, "main");
    await deploy(under, ref, "hello");
    await under.call("POST", `/v1/projects/${ref}/secrets`, { body: [{ name: "A", value: "hunter2" }] });
    const state = await under.control.state.read();
    expect(state.projects).toMatchObject([
      { ref, name: "shop", status: "ACTIVE_HEALTHY", held: false, functions: [{ slug: "hello", version: 1 }] },
    ]);
    expect(state.branches).toMatchObject([{ name: "main", isDefault: true, status: "FUNCTIONS_DEPLOYED" }]);
    expect(JSON.stringify(state)).not.toMatch(/hunter2|correct horse|test-token/);
  });

  it("can make a project REMOVED, or vanish as if it had been deleted in the dashboard", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await aBranch(under, ref, "main");
    await under.control.projects.force({ ref, status: "REMOVED" });
    expect((await under.call("GET", `/v1/projects/${ref}`)).json).toMatchObject({ status: "REMOVED" });
    await under.control.projects.remove({ ref });
    expect((await under.call("GET", `/v1/projects/${ref}`)).status).toBe(404);
    expect(await under.control.state.read()).toMatchObject({ projects: [], branches: [] });
  });

  it("can switch the Data API off, which makes rest unhealthy", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    await under.control.projects.patch({ ref, dataApi: false });
    const health = await under.call("GET", `/v1/projects/${ref}/health?services=rest`);
    expect(health.json).toMatchObject([{ name: "rest", status: "UNHEALTHY" }]);
    expect((await under.call("GET", `/v1/projects/${ref}/postgrest`)).json).toMatchObject({ db_schema: "" });
  });

  it("goes back to its start, and forgets faults, log and limits", async () => {
    await using under = await emulatorUnderTest({
      limits: { requestsPerMinute: 1 },
      seed: { projects: [{ name: "seeded" }] },
    });
    await under.call("POST", "/v1/projects", { body: { ...NEW_PROJECT, name: "extra" } });
    await under.control.faults.add({ operation: "*", count: null, fault: { kind: "reset" } });
    await under.control.settings.patch({ speed: 99 });
    await under.control.state.reset();
    const { projects } = await under.control.state.read();
    expect(projects.map(({ name }) => name)).toEqual(["seeded"]);
    expect([await under.control.faults.list(), (await under.control.settings.read()).speed]).toEqual([[], 1]);
    expect((await under.call("GET", "/v1/organizations/acme")).status).toBe(200);
  });

  it("begins limit windows anew", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 1 } });
    const status = async () => (await under.call("GET", "/v1/profile")).status;
    expect([await status(), await status()]).toEqual([200, 429]);
    await under.control.limits.reset();
    expect(await status()).toBe(200);
  });
});

describe("a seed", () => {
  it("describes organizations, users, tokens, projects, functions, secrets and branches", async () => {
    const ref = "abcdefghijklmnopqrst";
    await using under = await emulatorUnderTest({
      seed: {
        organizations: [{ slug: "beta", plan: "team", members: { ann: "Developer" } }],
        users: [{ username: "ann", email: "ann@beta.test" }],
        tokens: [{ token: "ann-token", user: "ann" }],
        projects: [
          {
            name: "store",
            ref,
            organization: "beta",
            region: "eu-west-3",
            status: "INACTIVE",
            functions: [{ slug: "f", verifyJwt: false, files: { "index.ts": "1" } }],
            secrets: { A: "hunter2" },
            branches: [{ name: "main" }, { name: "dev", status: "MIGRATIONS_FAILED", persistent: true }],
          },
        ],
      },
    });
    const read = async (path: string) => (await under.call("GET", path, { token: "ann-token" })).json;
    expect(await read("/v1/profile")).toMatchObject({ username: "ann", primary_email: "ann@beta.test" });
    expect(await read(`/v1/projects/${ref}`)).toMatchObject({ name: "store", region: "eu-west-3", status: "INACTIVE" });
    expect(await read(`/v1/projects/${ref}/functions`)).toMatchObject([{ slug: "f", version: 1, verify_jwt: false }]);
    expect(await read(`/v1/projects/${ref}/branches`)).toMatchObject([
      { name: "main", is_default: true, project_ref: ref },
      { name: "dev", is_default: false, persistent: true, status: "MIGRATIONS_FAILED" },
    ]);
    const secrets = bodyAs(
      z.array(secretSchema),
      await under.call("GET", `/v1/projects/${ref}/secrets`, { token: "ann-token" }),
    );
    expect(secrets.map(({ name }) => name)).toContain("A");
    expect((await under.call("GET", `/v1/projects/${ref}`)).status).toBe(404);
  });

  it.each([
    {
      seed: { projects: [{ name: "a", organization: "nowhere" }] },
      says: "seed: projects[0].organization: no organization nowhere",
    },
    { seed: { projects: [{ name: "a", ref: "SHORT" }] }, says: "seed: projects[0].ref: a project ref is exactly" },
    {
      seed: {
        projects: [
          { name: "a", ref: "a".repeat(20) },
          { name: "b", ref: "a".repeat(20) },
        ],
      },
      says: "seed: projects[1].ref: there is aaaaaaaaaaaaaaaaaaaa already",
    },
  ])("that contradicts itself is refused: $says", async ({ seed, says }) => {
    await expect(emulatorUnderTest({ seed })).rejects.toThrow(says);
  });

  it("that contradicts the state leaves nothing of itself, whatever stands before the contradiction", async () => {
    await using under = await emulatorUnderTest({ seed: { projects: [{ name: "shop" }] } });
    const said = {
      settings: { speed: 7 },
      users: [{ username: "ann" }],
      organizations: [{ slug: "beta" }],
      tokens: [{ token: "ann-token", user: "ann" }],
      projects: [{ name: "first", buckets: [{ name: "avatars" }], branches: [{ name: "main" }] }, { name: "shop" }],
    };
    const before = [await under.control.state.read(), await under.control.settings.read()];
    await expect(under.control.state.seed(said)).rejects.toThrow(
      "projects[1].name: project shop exists already in the organization acme",
    );
    expect([await under.control.state.read(), await under.control.settings.read()]).toEqual(before);
    expect((await under.call("GET", "/v1/profile", { token: "ann-token" })).status).toBe(401);
    await under.control.state.seed({ ...said, projects: said.projects.slice(0, 1) });
    expect((await under.control.state.read()).projects.map(({ name }) => name)).toEqual(["shop", "first"]);
  });

  it("can be added to a running emulator", async () => {
    await using under = await emulatorUnderTest();
    await under.control.state.seed({ projects: [{ name: "later" }] });
    expect((await under.control.state.read()).projects).toMatchObject([{ name: "later", organization: "acme" }]);
  });
});
