import { describe, expect, test } from "vitest";
import type { LogFields, Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import { silentMeter } from "../base/meter.ts";
import type { Reply } from "../../test/support/api-server/scripted-server.ts";
import {
  TEST_CREATE,
  TEST_PROJECT,
  TEST_REF,
  TEST_SECRET,
  TEST_TOKEN,
  failureOf,
  scriptedClients,
} from "../../test/support/api-server/test-client.ts";

const start = scriptedClients();

describe("what is sent", () => {
  test("path, query, body and headers follow from the contract", async () => {
    const { client, calls } = await start(({ method }) =>
      method === "POST" ? { status: 201, body: TEST_PROJECT } : { status: 200, body: [] },
    );
    await client.projects.create(TEST_CREATE);
    await client.projects.health({ ref: TEST_REF, services: ["auth", "db"], timeout_ms: 100 });
    const [post, get] = calls();
    expect(post).toMatchObject({ method: "POST", url: "/v1/projects" });
    expect(post?.headers).toMatchObject({
      authorization: `Bearer ${TEST_TOKEN}`,
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "baas-operator",
    });
    expect(JSON.parse(String(post?.body))).toEqual(TEST_CREATE.body);
    expect(get?.url).toBe(`/v1/projects/${TEST_REF}/health?services=auth%2Cdb&timeout_ms=100`);
  });

  test("a path parameter is one segment whatever it holds", async () => {
    const { client, calls } = await start(() => ({ status: 404, body: { message: "no such branch" } }));
    await failureOf(client.branches.getByName({ ref: TEST_REF, name: "feature/a b?c#d%" }));
    expect(calls()[0]?.url).toBe(`/v1/projects/${TEST_REF}/branches/feature%2Fa%20b%3Fc%23d%25`);
    const dots = await failureOf(client.branches.getByName({ ref: TEST_REF, name: ".." }));
    expect(dots).toMatchObject({
      code: "INVALID_REQUEST",
      message: 'branches.getByName: name: must not be "." or ".."',
    });
    expect(calls()).toHaveLength(1);
  });

  test("an upload is a form with a metadata field and one part per file, named by its path", async () => {
    const deployed = { id: "f1", slug: "hello", name: "hello", status: "ACTIVE", version: 1 };
    const { client, calls } = await start(() => ({ status: 201, body: deployed }));
    await client.functions.deploy({
      ref: TEST_REF,
      slug: "hello",
      body: {
        metadata: { entrypoint_path: "index.ts", verify_jwt: false },
        files: [
          { path: "index.ts", content: "export {};" },
          { path: "lib/données.bin", content: new Uint8Array([0, 13, 10, 255]) },
        ],
      },
    });
    const [post] = calls();
    const form = await new Response(new Uint8Array(post?.body ?? []), {
      headers: { "content-type": String(post?.headers["content-type"]) },
    }).formData();
    expect(form.get("metadata")).toBe('{"entrypoint_path":"index.ts","verify_jwt":false}');
    const files = form.getAll("file").filter((part) => typeof part !== "string");
    expect(files.map(({ name }) => name)).toEqual(["index.ts", "lib/données.bin"]);
    expect([...new Uint8Array((await files[1]?.arrayBuffer()) ?? new ArrayBuffer())]).toEqual([0, 13, 10, 255]);
  });

  test("a bundle is sent as it is, its settings in the query", async () => {
    const updated = { id: "f1", slug: "hello", name: "hello", status: "ACTIVE", version: 2 };
    const { client, calls } = await start(() => ({ status: 200, body: updated }));
    const body = new Uint8Array([1, 2, 3]);
    await client.functions.update({ ref: TEST_REF, function_slug: "hello", verify_jwt: true, body });
    const [patch] = calls();
    expect(patch?.url).toBe(`/v1/projects/${TEST_REF}/functions/hello?verify_jwt=true`);
    expect(patch?.headers["content-type"]).toBe("application/vnd.denoland.eszip");
    expect([...(patch?.body ?? [])]).toEqual([1, 2, 3]);
  });

  test("connections are kept and shared", async () => {
    const { client, server } = await start(() => ({ status: 200, body: TEST_PROJECT }));
    for (let n = 0; n < 10; n += 1) await client.projects.get({ ref: TEST_REF });
    expect(server.connections()).toBeLessThanOrEqual(2);
  });
});

describe("what is read", () => {
  const cases: readonly {
    readonly why: string;
    readonly reply: Reply;
    readonly code: string;
    readonly message: string;
  }[] = [
    {
      why: "a declared field with another type is named",
      reply: { status: 200, body: { ...TEST_PROJECT, status: 7 } },
      code: "UNEXPECTED_RESPONSE",
      message: "projects.get: status: expected a string, received a number",
    },
    {
      why: "a page of a proxy is named by its media type",
      reply: { status: 200, headers: { "content-type": "text/html" }, body: "<html>log in</html>" },
      code: "UNEXPECTED_RESPONSE",
      message: "projects.get: expected JSON, got text/html",
    },
    {
      why: "whole answers with half a document",
      reply: { status: 200, headers: { "content-type": "application/json" }, body: '{"ref":"abc' },
      code: "UNEXPECTED_RESPONSE",
      message: "projects.get: expected JSON, got damaged JSON",
    },
    {
      why: "a refusal without a message is shown by its status: nothing else of its body is for people",
      reply: { status: 400, body: { error: "of the platform's own", stack: ["at handler"] } },
      code: "BAD_REQUEST",
      message: "the platform answered 400",
    },
    {
      why: "no body where there should be one",
      reply: { status: 204 },
      code: "UNEXPECTED_RESPONSE",
      message: "projects.get: expected JSON, got status 204 without a body",
    },
    {
      why: "a redirect is not followed: the token goes to one server",
      reply: { status: 302, headers: { location: "https://elsewhere.example/" } },
      code: "REDIRECTED",
      message: "the platform answered 302",
    },
    {
      why: "406 is as gone as 404 (facts.md §5)",
      reply: { status: 406, body: { message: "failed to retrieve project", errorEventId: "e-77" } },
      code: "GONE",
      message: "failed to retrieve project",
    },
    {
      why: "a bare JSON string is a message (facts.md §5)",
      reply: { status: 400, body: '"not allowed to configure SSL enforcements"' },
      code: "BAD_REQUEST",
      message: "not allowed to configure SSL enforcements",
    },
    {
      why: "544",
      reply: { status: 544, body: { message: "upstream" } },
      code: "UPSTREAM_TIMEOUT",
      message: "upstream",
    },
    {
      why: "nothing but `message` of a failure is shown",
      reply: { status: 500, headers: { "content-type": "text/html" }, body: "<h1>stack trace</h1>" },
      code: "SERVER_ERROR",
      message: "the platform answered 500",
    },
  ];
  test.each(cases)("$why", async ({ reply, code, message }) => {
    const { client, calls } = await start(() => reply);
    expect(await failureOf(client.projects.get({ ref: TEST_REF }))).toMatchObject({ code, message });
    expect(calls()).toHaveLength(1);
  });

  test("unknown fields are kept, unknown enum values pass, any 2xx is a success", async () => {
    const { client } = await start(() => ({
      status: 203,
      body: { ...TEST_PROJECT, status: "HIBERNATING", new_field: 1 },
    }));
    expect(await client.projects.get({ ref: TEST_REF })).toMatchObject({ status: "HIBERNATING", new_field: 1 });
  });

  test.each([
    { why: "the body is nothing but a page", type: "text/html; charset=utf-8" },
    { why: "the page is XHTML", type: "Application/XHTML+XML" },
  ])("an operation that has no JSON takes no page of a proxy for its success, where $why", async ({ type }) => {
    const { client, calls } = await start(() => ({
      status: 200,
      headers: { "content-type": type },
      body: "<html>log in</html>",
    }));
    const instead = (what: string) => ({
      code: "UNEXPECTED_RESPONSE",
      effect: "unknown",
      message: expect.stringContaining(`expected ${what}, got ${type.split(";")[0]} with status 200`),
    });
    const secret = { ref: TEST_REF, body: [{ name: "A", value: "b" }] };
    expect(await failureOf(client.secrets.create(secret))).toMatchObject(instead("no body"));
    expect(await failureOf(client.projects.pause({ ref: TEST_REF }))).toMatchObject(instead("no body"));
    expect(await failureOf(client.actions.logs({ ref: TEST_REF, run_id: "r" }))).toMatchObject(instead("text"));
    expect(calls()).toHaveLength(3);
  });

  test.each([
    { why: "a page that is empty", type: "text/html", body: "" },
    { why: "text that is called HTML", type: "text/html", body: "OK" },
  ])("an operation without a result takes any other body, and $why", async ({ type, body }) => {
    const { client } = await start(({ method }) =>
      method === "POST"
        ? { status: 201, headers: { "content-type": type }, body }
        : { status: 200, headers: { "content-type": "text/plain" }, body: "<done>" },
    );
    expect(await client.secrets.create({ ref: TEST_REF, body: [{ name: "A", value: "b" }] })).toBeUndefined();
    expect(await client.secrets.delete({ ref: TEST_REF, body: ["A"] })).toBeUndefined();
  });

  test("an answer above the cap is cut off, told by its length or by counting", async () => {
    const big = JSON.stringify({ ...TEST_PROJECT, padding: "x".repeat(5000) });
    const { client } = await start(
      ({ url }) =>
        url.endsWith(TEST_REF)
          ? { status: 200, body: big }
          : { status: 200, headers: { "transfer-encoding": "chunked" }, body: big },
      { limits: { maxResponseBytes: 4096 } },
    );
    expect(await failureOf(client.projects.get({ ref: TEST_REF }))).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
    expect(await failureOf(client.projects.list())).toMatchObject({ code: "RESPONSE_TOO_LARGE" });
  });

  test("a function's files come back byte by byte", async () => {
    const form = [
      '--b\r\nContent-Disposition: form-data; name="metadata"; filename="metadata.json"\r\nContent-Type: application/json\r\n\r\n{"v":1}\r\n',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="source/index.ts"\r\n\r\nexport {};\r\n--b--\r\n',
    ].join("");
    const { client, calls } = await start(() => ({
      status: 200,
      headers: { "content-type": "multipart/form-data; boundary=b" },
      body: form,
    }));
    const { metadata, files } = await client.functions.getBody({ ref: TEST_REF, function_slug: "hello" });
    expect(metadata).toEqual({ v: 1 });
    expect(files.map(({ path, content }) => [path, new TextDecoder().decode(content)])).toEqual([
      ["source/index.ts", "export {};"],
    ]);
    expect(calls()[0]?.headers.accept).toBe("multipart/form-data");
  });

  test("a damaged form, and something else than a form, are errors", async () => {
    const { client } = await start(({ url }) =>
      url.includes("hello")
        ? { status: 200, headers: { "content-type": "multipart/form-data; boundary=b" }, body: "--c\r\nnothing" }
        : { status: 200, body: { code: "export {};" } },
    );
    const damaged = await failureOf(client.functions.getBody({ ref: TEST_REF, function_slug: "hello" }));
    expect(damaged).toMatchObject({
      code: "UNEXPECTED_RESPONSE",
      message: "functions.getBody: the multipart body is damaged",
    });
    const other = await failureOf(client.functions.getBody({ ref: TEST_REF, function_slug: "other" }));
    expect(other.message).toBe("functions.getBody: expected multipart/form-data, got damaged JSON");
  });
});

describe("what is logged and counted", () => {
  test("is each sending, by operation and outcome, without token, secrets or refs", async () => {
    const lines: string[] = [];
    const note = (fields: LogFields, message: string): void => void lines.push(JSON.stringify([message, fields]));
    const log: Logger = { trace: note, debug: note, info: note, warn: note, error: note, child: () => log };
    const counted: string[] = [];
    const meter: Meter = {
      ...silentMeter,
      counter: ({ name }) => ({ increment: (labels) => void counted.push(JSON.stringify([name, labels])) }),
    };
    const { client } = await start((_, nth) => (nth < 2 ? { status: 503 } : { status: 200, body: TEST_PROJECT }), {
      log,
      meter,
    });
    await client.projects.get({ ref: TEST_REF });
    await failureOf(client.projects.create(TEST_CREATE));
    expect(lines.join("\n")).toContain('"operation":"projects.get","outcome":"503"');
    expect(counted).toContain('["baas_api_requests_total",{"operation":"projects.get","outcome":"200"}]');
    expect(counted).toContain('["baas_api_retries_total",{"operation":"projects.get","cause":"503"}]');
    const texts = [...lines, ...counted].join("\n");
    for (const secret of [TEST_TOKEN, TEST_SECRET, TEST_REF]) expect(texts).not.toContain(secret);
  });

  test("in the same metrics by all clients of a process", async () => {
    const asked: string[] = [];
    const meter: Meter = {
      ...silentMeter,
      counter: (spec) => {
        asked.push(JSON.stringify(spec));
        return silentMeter.counter(spec);
      },
    };
    await start(() => ({ status: 200, body: [] }), { meter });
    const byOne = [...asked];
    await start(() => ({ status: 200, body: [] }), { meter });
    expect(byOne).not.toEqual([]);
    expect(asked).toEqual([...byOne, ...byOne]);
  });
});

describe("what messages hold", () => {
  test("no secret that was sent, not even cut or quoted by the server, and no token", async () => {
    const message = `Invalid value "${TEST_SECRET}" for db_pass, token ${TEST_TOKEN} (got ${TEST_SECRET.slice(0, 12)}…)`;
    const { client } = await start(() => ({ status: 400, body: { message } }));
    const error = await failureOf(client.projects.create(TEST_CREATE));
    expect(error.message).toBe('Invalid value "[redacted]" for db_pass, token [redacted] (got [redacted]');
  });

  test("the project that was asked for, though a secret has its ref within", async () => {
    const message = `project ${TEST_REF} is not found`;
    const { client } = await start(() => ({ status: 404, body: { message } }));
    const body = { password: `postgres.${TEST_REF}` };
    const error = await failureOf(client.projects.updatePassword({ ref: TEST_REF, body }));
    expect(error.message).toBe(message);
  });

  test("a refused input names operation and field, never the value", async () => {
    const { client, calls } = await start(() => ({ status: 200, body: {} }));
    const error = await failureOf(client.projects.updatePassword({ ref: TEST_REF, body: { password: "abc" } }));
    expect(error).toMatchObject({ code: "INVALID_REQUEST", effect: "none" });
    expect(error.message).toMatch(/^projects\.updatePassword: body\.password: /);
    expect(error.message).not.toContain("abc");
    expect(calls()).toHaveLength(0);
  });
});
