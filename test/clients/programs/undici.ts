import { gzipSync } from "node:zlib";
import { Agent, Client, FormData, fetch, request } from "undici";
import type { RequestInit, Response } from "undici";
import { z } from "zod";
import type { Claim } from "../claims.ts";
import { REF, type Stage, TOKEN } from "../stage.ts";

/** A client of the Management API on undici: fetch, and where headers are written as they are given, request. */

export type Seen = Partial<Record<Claim, string>>;

interface Session {
  readonly url: string;
  readonly agent: Agent;
  readonly code: string;
}

const PROJECT = `/v1/projects/${REF}`;
const JSON_TYPE = { "content-type": "application/json" };
const named = z.looseObject({ name: z.string() });
const secret = (name: string): string => JSON.stringify([{ name, value: "v" }]);

interface Sent {
  readonly body?: RequestInit["body"];
  readonly headers?: Readonly<Record<string, string>>;
}

function send({ url, agent }: Session, method: string, path: string, { body, headers }: Sent = {}): Promise<Response> {
  return fetch(url + path, {
    method,
    dispatcher: agent,
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
    ...(body === undefined ? {} : { body, duplex: "half" }),
  });
}

/** What it saw, by claim. */
export async function undiciClient({ emulator, environment }: Stage): Promise<Seen> {
  const agent = new Agent({ connections: 1 });
  const session = { url: emulator.url, agent, code: environment["CODE"] ?? "" };
  try {
    return {
      ...(await forms(session)),
      ...(await bodies(session)),
      ...(await heads(session)),
      ...(await paths(session)),
      "keeps its connection": String((await connectionsOf(session.url)) === 1),
    };
  } finally {
    await agent.close();
  }
}

/** How many connections a few requests take. Of itself undici ends one after HEAD, and after a DELETE with a body. */
async function connectionsOf(url: string): Promise<number> {
  let connections = 0;
  const agent = new Agent({ connections: 1 }).on("connect", () => {
    connections += 1;
  });
  const session = { url, agent, code: "" };
  for (const name of ["A", "B", "C"]) {
    await send(session, "POST", `${PROJECT}/secrets`, { body: secret(name), headers: JSON_TYPE });
    await (await send(session, "GET", `${PROJECT}/secrets`)).text();
  }
  await agent.close();
  return connections;
}

/** Sends them in this order. @returns the status, and what is there then */
async function deploy(session: Session, ...parts: readonly (readonly [string, string | File])[]): Promise<string> {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const response = await send(session, "POST", `${PROJECT}/functions/deploy?slug=hello`, { body: form });
  await response.text();
  const read = await send(session, "GET", `${PROJECT}/functions/hello`);
  const deployed = z.object({ version: z.number(), verify_jwt: z.boolean() }).parse(await read.json());
  return `${response.status} ${deployed.version} ${deployed.verify_jwt} ${await downloaded(session)}`;
}

/** The parts of the form that the function's files are. */
async function downloaded(session: Session): Promise<string> {
  const headers = { accept: "multipart/form-data" };
  const response = await send(session, "GET", `${PROJECT}/functions/hello/body`, { headers });
  const parts = [...(await response.formData()).entries()].map(([name, value]) =>
    name === "file" && typeof value !== "string" ? value.name : name,
  );
  return parts.join(" ");
}

function file(path: string): readonly [string, File] {
  return ["file", new File(["export default 1;"], path)];
}

function metadata(verify: boolean): string {
  return JSON.stringify({ entrypoint_path: "index.ts", verify_jwt: verify });
}

function metadataFile(verify: boolean): readonly [string, File] {
  return ["metadata", new File([metadata(verify)], "metadata.json", { type: "application/json" })];
}

async function forms(session: Session): Promise<Seen> {
  const fields = { grant_type: "authorization_code", code: session.code, redirect_uri: "https://app.test/done" };
  const body = new URLSearchParams({ ...fields, client_id: "app", client_secret: "app-secret" });
  const exchanged = await fetch(`${session.url}/v1/oauth/token`, { method: "POST", body, dispatcher: session.agent });
  const { token_type: type } = z.object({ token_type: z.string() }).parse(await exchanged.json());
  const index = file("index.ts");
  const textFirst = await deploy(session, ["metadata", metadata(false)], index);
  const textLast = await deploy(session, file("src/text.ts"), index, ["metadata", metadata(true)]);
  const fileFirst = await deploy(session, metadataFile(false), index, file("src/file.ts"));
  const fileLast = await deploy(session, file("src/last.ts"), index, metadataFile(true));
  return {
    "exchanges a code as a form": `${exchanged.status} ${type}`,
    "deploys with the metadata as text before the files": textFirst,
    "deploys with the metadata as text after the files": textLast,
    "deploys with the metadata as a JSON file before the files": fileFirst,
    "deploys with the metadata as a JSON file after the files": fileLast,
  };
}

async function bodies(session: Session): Promise<Seen> {
  const body = JSON.stringify({ name: "Grüße ☃", db_pass: "correct horse", organization_slug: "acme" });
  const created = await send(session, "POST", "/v1/projects", { body, headers: JSON_TYPE });
  const listed = await send(session, "GET", `${PROJECT}/secrets`);
  const { length } = z.array(z.unknown()).parse(await listed.json());
  const packed = await send(session, "POST", `${PROJECT}/secrets`, {
    body: gzipSync(secret("GZIP")),
    headers: { ...JSON_TYPE, "content-encoding": "gzip" },
  });
  const chunks = await send(session, "POST", `${PROJECT}/secrets`, {
    body: new Blob([secret("CHUNKS")]).stream(),
    headers: JSON_TYPE,
  });
  return {
    "creates a project with JSON": `${created.status} ${named.parse(await created.json()).name}`,
    "reads a long list compressed": `${listed.status} ${listed.headers.get("content-encoding")} ${length}`,
    "sends a body compressed": String(packed.status),
    "sends a body in chunks": String(chunks.status),
  };
}

async function heads(session: Session): Promise<Seen> {
  const head = await send(session, "HEAD", "/v1/profile");
  const counted = await send(session, "HEAD", `${PROJECT}/actions`);
  const accept = "text/html;q=0.9, application/vnd.acme+json, */*;q=0.1";
  const odd = await send(session, "GET", "/v1/profile", { headers: { accept } });
  const own = await request(`${session.url}/v1/profile`, {
    dispatcher: session.agent,
    headers: { aUTHORIZATION: `bearer  ${TOKEN}` },
  });
  await own.body.dump();
  const refused = await send(session, "GET", `/v1/projects/${"z".repeat(20)}`);
  return {
    "asks for the head alone": `${head.status} ${(await head.text()).length}`,
    "reads a count from the head": `${counted.status} ${counted.headers.get("x-total-count")}`,
    "accepts odd media types": `${odd.status} ${odd.headers.get("content-type")}`,
    "writes header names in its own way": String(own.statusCode),
    "reads the limits": odd.headers.get("X-RateLimit-Limit") ?? "",
    "reads a refusal": `${refused.status} ${await messageOf(refused)}`,
  };
}

async function paths(session: Session): Promise<Seen> {
  const slash = await send(session, "GET", "/v1/profile/");
  const branch = await send(session, "GET", `${PROJECT}/branches/${encodeURIComponent("feature/one")}`);
  const health = async (query: URLSearchParams): Promise<string> => {
    const response = await send(session, "GET", `${PROJECT}/health?${query.toString()}`);
    const names = z.array(named).parse(await response.json());
    return [response.status, ...names.map(({ name }) => name)].join(" ");
  };
  const repeated = new URLSearchParams(["db", "auth"].map((name): [string, string] => ["services", name]));
  const restarted = await send(session, "POST", `${PROJECT}/restart`, { body: "", headers: JSON_TYPE });
  const deleted = await send(session, "DELETE", `${PROJECT}/secrets`, { body: '["CHUNKS"]', headers: JSON_TYPE });
  const gone = await send(session, "DELETE", `${DRAINS}/${await drain(session)}`);
  return {
    "adds a slash": `${slash.status} ${await messageOf(slash)}`,
    "names a branch with a slash": `${branch.status} ${named.parse(await branch.json()).name}`,
    "repeats a query parameter": await health(repeated),
    "separates values by commas": await health(new URLSearchParams({ services: "db,auth" })),
    "posts nothing as JSON": `${restarted.status} ${await restarted.text()}`,
    "deletes with a body": `${deleted.status} ${(await deleted.text()).length}`,
    "gets an answer without a body": `${gone.status} ${(await gone.text()).length}`,
  };
}

const DRAINS = `/v2/projects/${REF}/analytics/log-drains`;

/** Makes one. @returns its id */
async function drain(session: Session): Promise<string> {
  const attributes = { name: "d", backend_type: "webhook", config: { url: "https://hook.test" } };
  const body = JSON.stringify({ data: { type: "log_drain", attributes } });
  const made = await send(session, "POST", DRAINS, { body, headers: JSON_TYPE });
  return z.object({ data: z.object({ id: z.string() }) }).parse(await made.json()).data.id;
}

async function messageOf(response: Response): Promise<string> {
  return z.object({ message: z.string() }).parse(await response.json()).message;
}

/** Many requests on one connection at once, none of which waits for the one before. @returns paths in the order of their answers */
export async function pipelined({ emulator }: Stage, count: number): Promise<readonly number[]> {
  const client = new Client(emulator.url, { pipelining: count });
  const order: number[] = [];
  const headers = { authorization: `Bearer ${TOKEN}` };
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const path = `/v1/organizations/acme/projects?limit=1&offset=${index}`;
      const { body } = await client.request({ method: "GET", path, headers });
      const { pagination } = z
        .object({ pagination: z.object({ offset: z.number() }) })
        .parse(JSON.parse(await body.text()));
      order.push(pagination.offset);
    }),
  );
  await client.close();
  return order;
}
