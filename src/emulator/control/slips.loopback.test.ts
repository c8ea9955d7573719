import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";

const REF = "abcdefghijklmnopqrst";
const seed = {
  projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }],
  oauthApps: [{ clientId: "app", clientSecret: "app-secret", redirectUris: ["https://app.test/done"] }],
};
const reset = { kind: "reset" };

describe("a control call that would do nothing is refused", () => {
  it.each([
    { name: "faults.add", body: { operation: "projects.creat", fault: reset }, says: "near: projects.create" },
    { name: "faults.add", body: { operation: "POST /v1/projects", fault: reset }, says: "no operation has the id" },
    { name: "faults.add", body: { operation: "**", fault: reset }, says: "near: *" },
    { name: "log.read", body: { operation: "secret.list" }, says: "near: secrets.list" },
    {
      name: "log.read",
      body: { operaton: "secrets.list" },
      says: 'key: "operaton"; near: operation; known: operation, after, status',
    },
    {
      name: "tokens.add",
      body: { token: "t", user: "ann", permissions: ["project_read"] },
      says: 'no operation needs the permission "project_read"; near: projects_read',
    },
    { name: "tokens.add", body: { token: "a b", user: "ann" }, says: "without blanks" },
    {
      name: "state.seed",
      body: { tokens: [{ token: "t", user: "ann", permissions: ["projects_reed"] }] },
      says: "near: projects_read",
    },
    { name: "projects.patch", body: { ref: REF }, says: "nothing to change" },
    { name: "organizations.patch", body: { slug: "acme" }, says: "nothing to change" },
    { name: "disk.autoscale", body: { ref: REF }, says: "nothing to change" },
    { name: "services.trouble", body: { ref: REF, service: "auth" }, says: "no trouble: say status" },
    { name: "functions.failBundle", body: { slug: "not a slug" }, says: "a function slug" },
    {
      name: "oauth.approve",
      body: { clientId: "app", user: "ann", organization: "acme" },
      says: "user: ann is no member of an organization acme; known: owner",
    },
    {
      name: "oauth.approve",
      body: { clientId: "app", user: "ann", organization: "acne" },
      says: "organization: no organization acne; near: acme; known: acme",
    },
    {
      name: "oauth.approve",
      body: { clientId: "app", user: "owner", organization: "acme", redirectUri: "https://app.test/dune" },
      says: "redirectUri: none of the app's; near: https://app.test/done; known: https://app.test/done",
    },
    {
      name: "organizations.patch",
      body: { slug: "acme", projectRoles: [{ user: "ann", role: "Developer", projects: ["shop"] }] },
      says: "projectRoles[0].user: ann is no member of an organization acme; known: owner",
    },
    {
      name: "snippets.put",
      body: { project: "shpo", name: "s", sql: "select 1" },
      says: "project: no project shpo; near: shop; known: shop",
    },
  ])("$name $body with 400: $says", async ({ name, body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const refused = await under.call("POST", `/_emulator/${name}`, { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
  });

  it.each([
    { name: "projects.release", body: { refOrName: "shop" }, says: "no project shop is held; held: stuck" },
    { name: "projects.release", body: { refOrName: "stuk" }, says: "no project stuk is held; held: stuck" },
    { name: "branches.release", body: { refOrName: "main" }, says: "no branch main is held; held: none" },
    { name: "functions.failBundle", body: { slug: "f", ref: "nope" }, says: `Project nope not found; known: ${REF}` },
    {
      name: "network.ban",
      body: { ref: REF, address: "203.0.113.7", identifier: "replica-9" },
      says: `Database replica-9 not found; known: ${REF}`,
    },
    { name: "replicas.fail", body: { ref: REF, identifier: "r" }, says: "Read replica r not found; none is known" },
    {
      name: "branches.force",
      body: { refOrName: "mian", status: "RUNNING_MIGRATIONS" },
      says: "Branch mian not found; near: main; known: main",
    },
    {
      name: "organizations.patch",
      body: { slug: "acne", plan: "free" },
      says: "Organization acne not found; near: acme; known: acme",
    },
    {
      name: "oauth.approve",
      body: { clientId: "ap", user: "owner", organization: "acme" },
      says: "OAuth app ap not found; near: app; known: app",
    },
    { name: "time.advanse", body: { ms: 1 }, says: "no control call time.advanse; near: time.advance" },
  ])("$name $body with 404: $says", async ({ name, body, says }) => {
    await using under = await emulatorUnderTest({ seed });
    await under.control.projects.hold({ refOrName: "stuck", at: "COMING_UP" });
    const refused = await under.call("POST", `/_emulator/${name}`, { body });
    expect([refused.status, message(refused)]).toEqual([404, expect.stringContaining(says)]);
  });

  const lists = "; GET /_emulator lists the control calls";
  it.each([
    { method: "GET", path: "time.read", status: 405, allow: "POST", says: "time.read is called by POST, received GET" },
    { method: "HEAD", path: "time.read", status: 405, allow: "POST", says: "" },
    { method: "PUT", path: "state.reset", status: 405, allow: "POST", says: "is called by POST, received PUT" },
    { method: "DELETE", path: "faults.clear", status: 405, allow: "POST", says: "is called by POST" },
    { method: "PATCH", path: "projects.patch", status: 405, allow: "POST", says: "is called by POST" },
    { method: "OPTIONS", path: "time.advance", status: 405, allow: "POST", says: "is called by POST" },
    { method: "GET", path: "time.advanse", status: 404, says: "no control call time.advanse; near: time.advance" },
    { method: "POST", path: "time/read", status: 404, says: "no control call time/read; near: time.read" },
    { method: "POST", path: "", status: 404, says: `no control call is named${lists}` },
    { method: "GET", path: "", status: 404, says: `no control call is named${lists}` },
    { method: "POST", path: "zzzzzzzz", status: 404, says: `no control call zzzzzzzz${lists}` },
  ])("as is $method /_emulator/$path, with $status", async ({ method, path, status, allow, says }) => {
    await using under = await emulatorUnderTest({ seed });
    const before = await under.control.state.read();
    const refused = await under.call(method, `/_emulator/${path}`, method === "POST" ? { body: {} } : {});
    expect([refused.status, refused.headers["allow"], refused.headers["content-type"]]).toEqual([
      status,
      allow,
      "application/json; charset=utf-8",
    ]);
    expect(refused.text).toContain(says);
    expect(await under.control.state.read()).toEqual(before);
    const stranger = await under.call(method, `/_emulator/${path}`, { headers: { host: "elsewhere.example.test" } });
    expect(stranger.status).toBe(403);
  });

  it.each(["POST", "PUT", "DELETE"])("as is %s /_emulator, which lists them", async (method) => {
    await using under = await emulatorUnderTest();
    const refused = await under.call(method, "/_emulator", method === "POST" ? { body: {} } : {});
    expect([refused.status, refused.headers["allow"], message(refused)]).toEqual([
      405,
      "GET, HEAD",
      `GET /_emulator lists the control calls, received ${method}: they are called by POST /_emulator/<call>`,
    ]);
  });

  it("and what is held or to be held is released: under the name that it was held by, or another one", async () => {
    await using under = await emulatorUnderTest();
    const { projects } = under.control;
    await projects.hold({ refOrName: "stuck", at: "COMING_UP" });
    const ref = await aProject(under, "stuck");
    expect((await under.control.state.read()).projects).toMatchObject([{ status: "COMING_UP", held: true }]);
    await projects.release({ refOrName: ref });
    expect((await under.control.state.read()).projects).toMatchObject([{ held: false }]);
    await projects.release({ refOrName: "stuck" }); // the next one of the name would be held
    await expect(projects.release({ refOrName: "stuck" })).rejects.toThrow("no project stuck is held; held: none");
  });

  it("and what a fine-grained token may hold are all permissions that some operation or secret asks for", async () => {
    await using under = await emulatorUnderTest({ seed });
    await under.control.tokens.add({
      token: "fine",
      user: "owner",
      permissions: ["data_api_config_read", "data_api_config_secret_read", "api_gateway_keys_secret_read"],
    });
    const read = await under.call("GET", `/v1/projects/${REF}/postgrest`, { token: "fine" });
    expect([read.status, read.json]).toEqual([200, expect.objectContaining({ jwt_secret: expect.any(String) })]);
  });
});
