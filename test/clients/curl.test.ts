import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run, succeeded } from "../support/programs/run.ts";
import { areThere, CURL } from "./needs.ts";
import { aStage, REF, type Stage, TOKEN } from "./stage.ts";

const PROJECT = `/v1/projects/${REF}`;
const DEPLOY = `${PROJECT}/functions/deploy?slug=hello`;
const JSON_TYPE = ["-H", "Content-Type: application/json"] as const;
const AUTHORIZED = ["-H", `Authorization: Bearer ${TOKEN}`] as const;
const META = '{"entrypoint_path":"src/index.ts","verify_jwt":false}';
const META_FILE = "metadata=@meta.json;type=application/json";
const INDEX = "file=@index.ts;filename=src/index.ts";

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly head: string;
  /** connections that were opened for it */
  readonly connects: number;
}

interface Row {
  readonly does: string;
  readonly path: string;
  readonly args?: readonly string[];
  /** without it, with the token */
  readonly anonymous?: true;
  readonly status: number;
  readonly body?: RegExp;
  readonly head?: RegExp;
}

const ROWS: readonly Row[] = [
  { does: "reads", path: "/v1/profile", status: 200, body: /^\{"auth_id"/ },
  {
    does: "posts JSON",
    path: "/v1/organizations",
    args: [...JSON_TYPE, "-d", '{"name":"beta"}'],
    status: 201,
    body: /"name":"beta"/,
  },
  {
    does: "posts JSON and calls it a form, as -d does by itself",
    path: "/v1/organizations",
    args: ["-d", '{"name":"gamma"}'],
    status: 400,
    body: /content-type: expected application\/json, received application\/x-www-form-urlencoded/,
  },
  {
    does: "posts a form",
    path: "/v1/oauth/revoke",
    args: [
      "-d",
      "client_id=app",
      "-d",
      "client_secret=app-secret",
      "--data-urlencode",
      "refresh_token=a token=&of none",
    ],
    anonymous: true,
    status: 204,
  },
  {
    does: "posts a form that no app signed",
    path: "/v1/oauth/revoke",
    args: ["-d", "client_id=app", "-d", "client_secret=wrong", "-d", "refresh_token=none"],
    anonymous: true,
    status: 401,
    body: /"error":"invalid_client"/,
  },
  {
    does: "uploads two megabytes, for which it asks to continue first",
    path: DEPLOY,
    args: ["-F", `metadata=${META}`, "-F", INDEX, "-F", "file=@large.bin"],
    status: 201,
    body: /"version":1/,
  },
  {
    does: "uploads a form whose file has no name",
    path: DEPLOY,
    args: ["-F", `metadata=${META}`, "-F", "file=<index.ts"],
    status: 400,
    body: /file: expected a file part with a file name/,
  },
  {
    does: "downloads a bundle as it is",
    path: `${PROJECT}/functions/hello/body`,
    status: 200,
    head: /^content-type: application\/vnd\.denoland\.eszip/im,
  },
  {
    does: "asks for the head alone",
    path: "/v1/profile",
    args: ["-I"],
    status: 200,
    body: /\r\n\r\n$/, // what curl writes there itself is the head
    head: /^content-length: [1-9]\d+/im,
  },
  {
    does: "reads a count from the head",
    path: `${PROJECT}/actions`,
    args: ["-I"],
    status: 200,
    head: /^x-total-count: 0\r$/im,
  },
  {
    does: "takes a compressed answer",
    path: `${PROJECT}/secrets`,
    args: ["--compressed"],
    status: 200,
    body: /^\[\{"name":"PLATFORM_/,
    head: /^content-encoding: gzip/im,
  },
  {
    does: "sends a compressed body",
    path: `${PROJECT}/secrets`,
    args: [...JSON_TYPE, "-H", "Content-Encoding: gzip", "--data-binary", "@secret.json.gz"],
    status: 201,
  },
  { does: "speaks HTTP/1.0", path: "/v1/profile", args: ["--http1.0"], status: 200, head: /^connection: close/im },
  {
    does: "sends chunks after it was told to continue",
    path: `${PROJECT}/secrets`,
    args: [...JSON_TYPE, "-H", "Transfer-Encoding: chunked", "-H", "Expect: 100-continue", "-d", "@secret.json"],
    status: 201,
    head: /^HTTP\/1\.1 100 Continue/,
  },
  { does: "says nothing of what it accepts", path: "/v1/profile", args: ["-H", "Accept:"], status: 200 },
  {
    does: "asks for HTML",
    path: "/v1/profile",
    args: ["-H", "Accept: text/html"],
    status: 200,
    head: /^content-type: application\/json/im,
  },
  { does: "has no token", path: "/v1/profile", anonymous: true, status: 401, body: /^\{"message":"Unauthorized"\}$/ },
  {
    does: "has an empty authorization",
    path: "/v1/profile",
    anonymous: true,
    args: ["-H", "Authorization;"],
    status: 401,
  },
  {
    does: "gives a user and a password",
    path: "/v1/profile",
    anonymous: true,
    args: ["-u", `user:${TOKEN}`],
    status: 401,
  },
  {
    does: "repeats a query parameter",
    path: `${PROJECT}/health`,
    args: ["-G", "--data-urlencode", "services=db", "--data-urlencode", "services=auth"],
    status: 200,
    body: /"name":"db".*"name":"auth"/,
  },
  {
    does: "encodes letters that need it not",
    path: `/v1/projects/%61${REF.slice(1)}`,
    status: 200,
    body: /"name":"shop"/,
  },
  { does: "encodes a slash within a name", path: `${PROJECT}/branches/feature%2Fone`, status: 200 },
  { does: "does not encode it", path: `${PROJECT}/branches/feature/one`, status: 404, body: /Cannot GET/ },
  { does: "adds a slash", path: "/v1/profile/", status: 404, body: /Cannot GET \/v1\/profile\// },
  { does: "doubles a slash", path: "//v1/profile", status: 404 },
  { does: "leaves dots in the path", path: "/v1/x/../profile", args: ["--path-as-is"], status: 404 },
  { does: "asks for the options", path: "/v1/profile", args: ["-X", "OPTIONS"], status: 404, body: /Cannot OPTIONS/ },
  { does: "uses a method of another protocol", path: "/v1/profile", args: ["-X", "PROPFIND"], status: 404 },
  { does: "asks for a range", path: "/v1/profile", args: ["-r", "0-3"], status: 200, body: /^\{"auth_id".*\}$/ },
  {
    does: "deletes what is not there",
    path: `/v2/projects/${REF}/analytics/log-drains/00000000-0000-4000-8000-000000000000`,
    args: ["-X", "DELETE"],
    status: 404,
    body: /"Log drain not found"/,
  },
];

/** The forms of a deploy: where the metadata stands, and as what. */
const FORMS = [
  { metadata: "a text before the files", slug: "text-first", parts: [`metadata=${META}`, INDEX] },
  { metadata: "a text after the files", slug: "text-last", parts: [INDEX, `metadata=${META}`] },
  { metadata: "a file before the files", slug: "file-first", parts: [META_FILE, INDEX] },
  { metadata: "a file after the files", slug: "file-last", parts: [INDEX, META_FILE] },
];

describe.runIf(areThere([CURL]))("curl", () => {
  let stage: Stage | undefined;
  let folder = "";

  beforeAll(async () => {
    stage = await aStage();
    folder = await mkdtemp(join(tmpdir(), "baas-curl-"));
    const secret = '[{"name":"FROM_CURL","value":"v"}]';
    await writeFile(join(folder, "index.ts"), "export default 1;");
    await writeFile(join(folder, "meta.json"), META);
    await writeFile(join(folder, "large.bin"), Buffer.alloc(2_000_000, 7));
    await writeFile(join(folder, "secret.json"), secret);
    await writeFile(join(folder, "secret.json.gz"), gzipSync(secret));
  });

  afterAll(async () => {
    await stage?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  async function curl(args: readonly string[], cwd = folder): Promise<readonly Answered[]> {
    const format = "%{http_code} %{num_connects}\\n";
    const told = ["-q", "-sS", "--noproxy", "*", "-D", "head", "-w", format, ...args];
    const lines = succeeded(await run("curl", told, { cwd }))
      .trim()
      .split("\n");
    const head = await readFile(join(cwd, "head"), "utf8");
    const body = await readFile(join(cwd, "body"), "utf8").catch(() => "");
    return lines.map((line) => {
      const [status = 0, connects = 0] = line.split(" ").map(Number);
      return { status, connects, head, body };
    });
  }

  const url = (path: string): string => `${stage?.emulator.url ?? ""}${path}`;

  it.each(ROWS)("$does: $status", async ({ path, args = [], anonymous, status, body = /^/, head = /^/ }) => {
    await rm(join(folder, "body"), { force: true });
    const token = anonymous === true ? [] : AUTHORIZED;
    const [answered] = await curl([...token, ...args, "-o", "body", url(path)]);
    expect([answered?.status, answered?.body, answered?.head]).toEqual([
      status,
      expect.stringMatching(body),
      expect.stringMatching(head),
    ]);
    expect(answered?.head).toMatch(/^x-ratelimit-remaining: \d+/im);
  });

  it.each(FORMS)("deploys with the metadata as $metadata", async ({ slug, parts }) => {
    const form = parts.flatMap((part) => ["-F", part]);
    const deploy = url(`${PROJECT}/functions/deploy?slug=${slug}`);
    const [deployed] = await curl([...AUTHORIZED, ...form, "-o", "body", deploy]);
    const [read] = await curl([...AUTHORIZED, "-o", "body", url(`${PROJECT}/functions/${slug}`)]);
    const asForm = ["-H", "Accept: multipart/form-data", "-o", "body", url(`${PROJECT}/functions/${slug}/body`)];
    const [files] = await curl([...AUTHORIZED, ...asForm]);
    expect([deployed?.status, read?.body, files?.body]).toEqual([
      201,
      expect.stringMatching(/"version":1,.*"verify_jwt":false,.*"entrypoint_path":"[^"]*src\/index\.ts"/),
      expect.stringMatching(/filename="src\/index\.ts"\r\n[^]*\r\n\r\nexport default 1;\r\n/),
    ]);
  });

  it("keeps its connection from one address to the next", async () => {
    const twice = [...AUTHORIZED, "-o", "body", url("/v1/profile"), "-o", "body", url("/v1/organizations")];
    expect((await curl(twice)).map(({ status, connects }) => [status, connects])).toEqual([
      [200, 1],
      [200, 0],
    ]);
  });

  it("takes it for a proxy, and so sends the whole address", async () => {
    const told = ["-q", "-sS", "-o", "body", "-w", "%{http_code}", "--noproxy", "", "--proxy", url("")];
    const elsewhere = [...told, ...AUTHORIZED, "http://platform.test/v1/profile"];
    expect(succeeded(await run("curl", elsewhere, { cwd: folder }))).toBe("200");
    const { entries } = (await stage?.emulator.control.log.read({ operation: "profile.get" })) ?? { entries: [] };
    expect(entries.at(-1)?.path).toBe("/v1/profile");
  });
});
