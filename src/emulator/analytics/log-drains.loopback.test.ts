import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { LOG_DRAIN_BACKENDS, logDrainSchema } from "../../api/contract/log-drains.ts";
import { bodyAs, type EmulatorUnderTest, emulatorUnderTest, TOKEN } from "../../../test/support/emulator/api.ts";
import {
  BROKEN_URLS_WITH_PASSWORD,
  URLS_WITH_PASSWORD,
} from "../../../test/support/emulator/any-request/url-passwords.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";

const one = z.object({ data: logDrainSchema });
const many = z.object({ data: z.array(logDrainSchema) });
const digest = (value: string): string => createHash("sha256").update(value, "utf8").digest("hex");

const drains = (ref: string): string => `/v2/projects/${ref}/analytics/log-drains`;
const about = (attributes: object) => ({ data: { type: "log_drain", attributes } });
const sentry = about({ name: "errors", backend_type: "sentry", config: { dsn: "https://key@sentry.test/1" } });

async function created({ call }: EmulatorUnderTest, ref: string, body: object = sentry): Promise<string> {
  return bodyAs(one, await call("POST", drains(ref), { body })).data.id;
}

/** A configuration of every form, with everything that its form knows, and how a read shows it. */
const FORMS = [
  {
    backend_type: "postgres",
    config: { url: "s3cret", schema: "logs", username: "u", password: "s3cret", port: 5432, hostname: "db.test" },
    shown: { url: "REDACTED", schema: "logs", username: "u", password: "REDACTED", port: 5432, hostname: "db.test" },
  },
  {
    backend_type: "bigquery",
    config: { project_id: "p", dataset_id: "d" },
    shown: { project_id: "p", dataset_id: "d" },
  },
  { backend_type: "clickhouse", config: { url: "s3cret", port: 8123 }, shown: { url: "REDACTED", port: "REDACTED" } },
  {
    backend_type: "webhook",
    config: { url: "https://u:s3cret@hook.test/x", http: "http2", gzip: true, headers: { A: "s3cret", B: "s3cret" } },
    shown: {
      url: "https://u:REDACTED@hook.test/x",
      http: "http2",
      gzip: true,
      headers: { A: "REDACTED", B: "REDACTED" },
    },
  },
  {
    backend_type: "datadog",
    config: { api_key: "s3cret", region: "EU" },
    shown: { api_key: "REDACTED", region: "EU" },
  },
  {
    backend_type: "loki",
    config: { url: "https://loki.test", username: "u", password: "s3cret", headers: { "X-Scope": "s3cret" } },
    shown: { url: "https://loki.test", username: "u", password: "REDACTED", headers: { "X-Scope": "REDACTED" } },
  },
  { backend_type: "sentry", config: { dsn: "https://s3cret@sentry.test/1" }, shown: { dsn: "REDACTED" } },
  {
    backend_type: "s3",
    config: {
      s3_bucket: "b",
      storage_region: "r",
      access_key_id: "id",
      secret_access_key: "s3cret",
      batch_timeout: 3000,
    },
    shown: {
      s3_bucket: "b",
      storage_region: "r",
      access_key_id: "id",
      secret_access_key: "REDACTED",
      batch_timeout: 3000,
    },
  },
  {
    backend_type: "axiom",
    config: { domain: "axiom.test", api_token: "s3cret", dataset_name: "d" },
    shown: { domain: "axiom.test", api_token: "REDACTED", dataset_name: "d" },
  },
  {
    backend_type: "last9",
    config: { region: "r", username: "u", password: "s3cret" },
    shown: { region: "r", username: "u", password: "REDACTED" },
  },
  {
    backend_type: "otlp",
    config: { endpoint: "https://otlp.test", protocol: "http/protobuf", gzip: false, headers: { Auth: "s3cret" } },
    shown: { endpoint: "https://otlp.test", protocol: "http/protobuf", gzip: false, headers: { Auth: "REDACTED" } },
  },
  {
    backend_type: "syslog",
    config: {
      host: "syslog.test",
      port: 6514,
      tls: true,
      structured_data: "[a@1 b='c']",
      cipher_key: "s3cret",
      ca_cert: "ca",
      client_cert: "cert",
      client_key: "s3cret",
    },
    shown: {
      host: "syslog.test",
      port: 6514,
      tls: true,
      structured_data: "[a@1 b='c']",
      cipher_key: "REDACTED",
      ca_cert: "ca",
      client_cert: "cert",
      client_key: "REDACTED",
    },
  },
];

describe("log drains", () => {
  it("have a form for every backend there is", () => {
    expect(FORMS.map(({ backend_type }) => backend_type)).toEqual(LOG_DRAIN_BACKENDS);
  });

  it.each(FORMS)("of $backend_type show their configuration without its secrets, everywhere", async (form) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { backend_type, config, shown } = form;
    const made = await under.call("POST", drains(ref), { body: about({ name: "d", backend_type, config }) });
    const attributes = { name: "d", description: "", backend_type, config: shown };
    expect([made.status, bodyAs(one, made).data.attributes]).toEqual([201, attributes]);
    const listed = await under.call("GET", drains(ref));
    expect(bodyAs(many, listed).data).toEqual([bodyAs(one, made).data]);
    const seen = [made.text, listed.text, JSON.stringify(await under.control.log.read())];
    expect([...seen, JSON.stringify(await under.control.state.read())].join("\n")).not.toContain("s3cret");
  });

  it("show no password in a URL, however that is written, on creation, change and reading", async () => {
    await using under = await emulatorUnderTest({ limits: { requestsPerMinute: 0 } });
    const ref = await aProject(under);
    const told: string[] = [];
    const tell = async (...asked: Parameters<typeof under.call>): Promise<void> => {
      const { status, text } = await under.call(...asked);
      told.push(text);
      taken.push(status < 300);
    };
    const taken: boolean[] = [];
    const id = await created(under, ref);
    for (const url of [...URLS_WITH_PASSWORD("s3cret"), ...BROKEN_URLS_WITH_PASSWORD("s3cret")]) {
      for (const attributes of [
        { backend_type: "webhook", config: { url } },
        { backend_type: "loki", config: { url } },
        { backend_type: "otlp", config: { endpoint: url } },
      ]) {
        await tell("POST", drains(ref), { body: about({ name: "d", ...attributes }) });
        await tell("PUT", `${drains(ref)}/${id}`, { body: about(attributes) });
      }
    }
    expect(taken.slice(0, URLS_WITH_PASSWORD("s3cret").length * 6)).not.toContain(false);
    expect(taken).toContain(false);
    await tell("GET", drains(ref));
    told.push(JSON.stringify([await under.control.state.read(), await under.control.log.read()]));
    expect(told.join("\n")).not.toContain("s3cret");
    expect(told.join("\n")).toContain("hook.test");
  });

  it.each(FORMS)("of $backend_type are refused with a key that their form does not have", async (form) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const { backend_type, config } = form;
    if (backend_type === "clickhouse") return; // no keys are named for it (facts.md §2)
    const body = about({ name: "d", backend_type, config: { ...config, colour: "red" } });
    const refused = await under.call("POST", drains(ref), { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("'colour'")]);
  });

  it("lose a header's value for good when a change echoes what a read showed", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const config = { url: "https://hook.test", headers: { Authorization: "Bearer real" } };
    const id = await created(under, ref, about({ name: "d", backend_type: "webhook", config }));
    const kept = async () => (await under.control.state.read()).projects[0]?.logDrains[0]?.secretDigests;
    expect(await kept()).toEqual({ "headers.Authorization": digest("Bearer real") });
    const { data } = bodyAs(many, await under.call("GET", drains(ref)));
    const { backend_type, config: echoed } = data[0]?.attributes ?? {};
    const put = await under.call("PUT", `${drains(ref)}/${id}`, { body: about({ backend_type, config: echoed }) });
    expect(put.status).toBe(200);
    expect(await kept()).toEqual({ "headers.Authorization": digest("REDACTED") });
  });

  it("replace their configuration as a whole, and keep it where a change has none", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const config = { url: "https://hook.test", gzip: true, headers: { A: "1" } };
    const id = await created(under, ref, about({ name: "d", description: "x", backend_type: "webhook", config }));
    const put = (attributes: object) => under.call("PUT", `${drains(ref)}/${id}`, { body: about(attributes) });
    const shown = async () => bodyAs(many, await under.call("GET", drains(ref))).data[0]?.attributes;
    await put({ backend_type: "webhook", name: "e" });
    expect(await shown()).toEqual({
      name: "e",
      description: "x",
      backend_type: "webhook",
      config: { ...config, headers: { A: "REDACTED" } },
    });
    await put({ backend_type: "webhook", config: { url: "https://other.test" } });
    expect(await shown()).toMatchObject({ name: "e", description: "x" });
    expect((await shown())?.config).toEqual({ url: "https://other.test" });
    await put({ backend_type: "datadog", config: { api_key: "k", region: "EU" } });
    expect(await shown()).toMatchObject({ backend_type: "datadog", config: { api_key: "REDACTED", region: "EU" } });
  });

  it("may share a name, have ids of their own, and belong to their project alone", async () => {
    await using under = await emulatorUnderTest();
    const [ref, other] = [await aProject(under, "a"), await aProject(under, "b")];
    const ids = [await created(under, ref), await created(under, ref)];
    expect(new Set(ids).size).toBe(2);
    expect(bodyAs(many, await under.call("GET", drains(other))).data).toEqual([]);
    expect((await under.call("DELETE", `${drains(other)}/${ids[0] ?? ""}`)).status).toBe(404);
    const gone = await under.call("DELETE", `${drains(ref)}/${ids[0] ?? ""}`);
    expect([gone.status, gone.text, gone.headers["content-length"]]).toEqual([204, "", undefined]);
    expect(bodyAs(many, await under.call("GET", drains(ref))).data.map(({ id }) => id)).toEqual(ids.slice(1));
  });
});

describe("log drains are refused", () => {
  const hook = { name: "d", backend_type: "webhook", config: { url: "https://hook.test" } };
  const UNKNOWN = "00000000-0000-4000-8000-000000000000";

  it.each([
    { plan: "free", status: 402 },
    { plan: "pro", status: 201 },
    { plan: "team", status: 201 },
    { plan: "enterprise", status: 201 },
  ] as const)("or not by the plan: $plan gives $status", async ({ plan, status }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const id = await created(under, ref);
    await under.control.organizations.patch({ slug: "acme", plan });
    expect((await under.call("POST", drains(ref), { body: sentry })).status).toBe(status);
    // what is there stays usable after a downgrade: only the creation is bound to a plan
    expect((await under.call("GET", drains(ref))).status).toBe(200);
    expect((await under.call("PUT", `${drains(ref)}/${id}`, { body: sentry })).status).toBe(200);
    expect((await under.call("DELETE", `${drains(ref)}/${id}`)).status).toBe(204);
  });

  it.each([
    { body: {}, says: "data:", because: "there is nothing in the body" },
    { body: { data: { type: "drain", attributes: hook } }, says: "'log_drain'", because: "the type is another" },
    { body: about({ ...hook, name: "" }), says: "name:", because: "the name is empty" },
    { body: about({ ...hook, name: undefined }), says: "name:", because: "a new one needs a name" },
    { body: about({ ...hook, config: undefined }), says: "config:", because: "a new one needs a configuration" },
    { body: about({ ...hook, backend_type: "kafka" }), says: "postgres", because: "there is no such backend" },
    { body: about({ ...hook, config: { url: "nowhere" } }), says: "url:", because: "the URL is none" },
    {
      body: about({ ...hook, config: { ...hook.config, http: "http3" } }),
      says: "http1",
      because: "http is one of two",
    },
    {
      body: about({ ...hook, config: { ...hook.config, headers: { A: 1 } } }),
      says: "headers.A",
      because: "a header is text",
    },
    {
      body: about({ ...hook, backend_type: "syslog", config: { host: "h", port: 70_000 } }),
      says: "port",
      because: "there is no such port",
    },
    {
      body: about({ ...hook, backend_type: "datadog" }),
      says: "api_key",
      because: "the configuration is another backend's",
    },
    { body: about({ ...hook, colour: "red" }), says: "'colour'", because: "there is no such attribute" },
  ])("with 400 on creation when $because", async ({ body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const refused = await under.call("POST", drains(ref), { body });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect(bodyAs(many, await under.call("GET", drains(ref))).data).toEqual([]);
  });

  it("with 400 when a change names another backend and no configuration for it", async () => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const id = await created(under, ref);
    const refused = await under.call("PUT", `${drains(ref)}/${id}`, { body: about({ backend_type: "webhook" }) });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("'sentry'")]);
    expect((await under.call("PUT", `${drains(ref)}/${id}`, { body: about({ name: "x" }) })).status).toBe(400);
  });

  it.each([
    { method: "PUT", id: UNKNOWN, status: 404, because: "there is no such drain" },
    { method: "DELETE", id: UNKNOWN, status: 404, because: "there is no such drain" },
    { method: "PUT", id: "7", status: 400, because: "the id is no uuid" },
    { method: "DELETE", id: "7", status: 400, because: "the id is no uuid" },
  ])("with $status on $method when $because", async ({ method, id, status }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const body = method === "PUT" ? { body: sentry } : {};
    expect((await under.call(method, `${drains(ref)}/${id}`, body)).status).toBe(status);
  });

  it.each(["GET", "POST"])("with 404 on %s of a project that the caller does not see", async (method) => {
    await using under = await emulatorUnderTest({ tokens: [TOKEN, "stranger"] });
    const ref = await aProject(under);
    const body = method === "POST" ? { body: sentry } : {};
    expect((await under.call(method, drains(ref), { ...body, token: "stranger" })).status).toBe(404);
    expect((await under.call(method, drains("z".repeat(20)), body)).status).toBe(404);
  });
});
