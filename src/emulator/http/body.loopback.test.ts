import { request } from "node:http";
import { json } from "node:stream/consumers";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { emulatorUnderTest } from "../../../test/support/emulator/api.ts";
import { aProject, message } from "../../../test/support/emulator/scenario.ts";

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join("");
const DEPLOY = `/v1/projects/${"a".repeat(20)}/functions/deploy?slug=a`;
const METADATA = lines('Content-Disposition: form-data; name="metadata"', "", '{"entrypoint_path":"a.ts"}');
const file = (parameters: string): string => lines(`Content-Disposition: form-data; ${parameters}`, "", "1");

describe("a form", () => {
  it.each([
    { type: "multipart/form-data", body: "{}", says: /received something that is not$/, because: "it has no boundary" },
    {
      type: "multipart/form-data; boundary=b",
      body: "{}",
      says: /received something that is not$/,
      because: "its boundary is never there",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"; filename="a.ts"')}`,
      says: /received something that is not$/,
      because: "it does not end",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"; filename=""')}--b--\r\n`,
      says: /file: expected a file name/,
      because: "a file has an empty name",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"')}--b--\r\n`,
      says: /file: expected a file part with a file name/,
      because: "a file has no name at all",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${file('name="metadata"')}--b--\r\n`,
      says: /no file was uploaded|metadata/,
      because: "the metadata is no object",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="extra"; filename="a.ts"')}--b--\r\n`,
      says: /Unrecognized part: 'extra'/,
      because: "nobody knows the part",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${METADATA}--b\r\n${file('name="file"; filename="a.ts"')}--b--\r\n`,
      says: /^metadata: given more than once$/,
      because: "the metadata is there twice",
    },
    {
      type: "multipart/form-data; boundary=b",
      body: `--b\r\n${METADATA}--b\r\n${file('name="file"; filename="a\u0001b.ts"')}--b--\r\n`,
      says: /^file: expected a file name without control characters$/,
      because: "a file name has a control character",
    },
  ])("is refused with 400 when $because", async ({ type, body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const headers = { "content-type": type };
    const refused = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body, headers });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringMatching(says)]);
  });
});

describe("a compressed form", () => {
  const MULTIPART = "multipart/form-data; boundary=b";
  const deploy = Buffer.from(
    `--b\r\n${METADATA}${["a.ts", "lib/ä.ts"].map((name) => `--b\r\n${file(`name="file"; filename="${name}"`)}`).join("")}--b--\r\n`,
  );

  it.each([
    { coding: "gzip", body: gzipSync(deploy) },
    { coding: "deflate", body: deflateSync(deploy) },
    { coding: "br", body: brotliCompressSync(deploy) },
    { coding: "deflate, gzip", body: gzipSync(deflateSync(deploy)) },
    { coding: "identity", body: deploy },
  ])("of files is read as it was: $coding", async ({ coding, body }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const headers = { "content-type": MULTIPART, "content-encoding": coding };
    const made = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body, headers });
    expect([made.status, made.json]).toMatchObject([201, { slug: "a", version: 1 }]);
    const { text } = await under.call("GET", `/v1/projects/${ref}/functions/a/body`);
    expect(text).toContain("lib/ä.ts");
  });

  it("of fields is read as it was", async () => {
    await using under = await emulatorUnderTest();
    const headers = { "content-type": "application/x-www-form-urlencoded", "content-encoding": "gzip" };
    const body = gzipSync("grant_type=made_up&client_id=app");
    const refused = await under.call("POST", "/v1/oauth/token", { body, headers, token: null });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining("received 'made_up'")]);
  });

  it.each([
    { coding: "gzip", body: deploy, says: "content-encoding: the body is not gzip", because: "it is not compressed" },
    { coding: "zstd", body: deploy, says: "received 'zstd'", because: "nobody knows the coding here" },
    {
      coding: "gzip",
      body: gzipSync(deploy.subarray(0, -8)),
      says: "received something that is not",
      because: "the form does not end",
    },
    {
      coding: "gzip",
      body: gzipSync(Buffer.alloc(64 * 1024 * 1024 + 1)),
      says: "Request body is too large",
      because: "it is larger than it looks",
    },
  ])("is refused with 400 when $because", async ({ coding, body, says }) => {
    await using under = await emulatorUnderTest();
    const ref = await aProject(under);
    const headers = { "content-type": MULTIPART, "content-encoding": coding };
    const refused = await under.call("POST", `/v1/projects/${ref}/functions/deploy?slug=a`, { body, headers });
    expect([refused.status, message(refused)]).toEqual([400, expect.stringContaining(says)]);
    expect((await under.call("GET", `/v1/projects/${ref}/functions`)).json).toEqual([]);
  });
});

describe("a body of more than 64 MiB is refused", () => {
  const MIB = 1024 * 1024;
  const parts = [0, 1, 2].map((n) => [
    Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${n}"\r\n\r\n`),
    Buffer.alloc(22 * MIB),
    Buffer.from("\r\n"),
  ]);
  const form = [...parts.flat(), Buffer.from(`--b\r\n${METADATA}--b--\r\n`)];
  const text = [Buffer.from('"'), Buffer.alloc(65 * MIB, 97), Buffer.from('"')];
  const SECRETS = `/v1/projects/${"a".repeat(20)}/secrets`;

  it.each([
    { what: "a form of files that are smaller", type: "multipart/form-data; boundary=b", path: DEPLOY, pieces: form },
    { what: "JSON", type: "application/json", path: SECRETS, pieces: text },
  ])("$what, whether it says its length or not", async ({ type, path, pieces }) => {
    await using under = await emulatorUnderTest();
    const headers = { "content-type": type, authorization: "Bearer test-token" };
    const told = { ...headers, "content-length": String(64 * MIB + 1) };
    const refused = [400, { message: "Request body is too large" }];
    expect(await answerTo(under.emulator.url, { path, headers: told, pieces: [] })).toEqual(refused);
    expect(await answerTo(under.emulator.url, { path, headers, pieces })).toEqual(refused);
  });
});

/** An answer, which may come before the request has ended. */
function answerTo(
  url: string,
  { path, headers, pieces }: { path: string; headers: Record<string, string>; pieces: readonly Buffer[] },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const sending = request(`${url}${path}`, { method: "POST", headers, agent: false }, (answer) => {
      json(answer).then((body) => resolve([answer.statusCode, body]), reject);
      answer.on("end", () => sending.destroy());
    });
    sending.on("error", reject);
    sending.flushHeaders();
    for (const piece of pieces) sending.write(piece);
    if (pieces.length > 0) sending.end();
  });
}
