import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
type Running = ChildProcessByStdio<null, Readable, Readable>;

const started: Running[] = [];
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-emulator-"));
});

afterAll(async () => {
  for (const child of started) child.kill("SIGKILL");
  await rm(folder, { recursive: true, force: true });
});

function baas(...args: readonly string[]): Running {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  started.push(child);
  return child;
}

async function ended(child: Running): Promise<{ code: unknown; out: string; err: string }> {
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code, out, err };
}

/** The first line that the program prints. */
async function firstLine(child: Running): Promise<string> {
  for await (const line of createInterface(child.stdout)) return line;
  return "";
}

async function get(url: string, path: string, token: string): Promise<{ status: number; body: unknown }> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: response.status, body: await response.json() };
}

describe("baas emulator", () => {
  it("prints its base URL when it listens and serves acme, owned by the token's user, with no project", async () => {
    const child = baas("emulator", "--port", "0", "--token", "T");
    const url = await firstLine(child);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await get(url, "/v1/organizations", "T")).toMatchObject({ status: 200, body: [{ slug: "acme" }] });
    expect(await get(url, "/v1/projects", "T")).toEqual({ status: 200, body: [] });
    expect((await get(url, "/v1/projects", "other")).status).toBe(401);
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("stops on SIGINT as well, also while a client waits for an answer that never comes", async () => {
    const child = baas("emulator", "--port", "0", "--token", "T");
    const url = await firstLine(child);
    const body = JSON.stringify({ operation: "profile.get", fault: { kind: "half-open" } });
    await fetch(`${url}/_emulator/faults.add`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    const hanging = get(url, "/v1/profile", "T").catch(() => "broken");
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await hanging).toBe("broken");
  });

  it("takes organization, speed, limits and a seed file", async () => {
    const file = join(folder, "seed.yaml");
    await writeFile(file, "projects:\n  - name: seeded\n    secrets: {A: hunter2}\n");
    const flags = ["--org", "beta", "--speed", "50", "--no-limits", "--seed", file, "--token", "T", "--token", "U"];
    const child = baas("emulator", "--port", "0", ...flags);
    const url = await firstLine(child);
    expect(await get(url, "/v1/organizations/beta/projects", "T")).toMatchObject({
      status: 200,
      body: { projects: [{ name: "seeded" }] },
    });
    expect((await get(url, "/v1/organizations/beta", "U")).status).toBe(404);
    const settings = await fetch(`${url}/_emulator/settings.read`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    });
    expect(await settings.json()).toMatchObject({ speed: 50, requestsPerMinute: 0 });
    child.kill("SIGTERM");
    expect((await ended(child)).err).not.toMatch(/hunter2/);
  });

  it("leaves the settings of a data folder as they are: what flags say is for one start", async () => {
    const file = join(folder, "settings.json");
    await writeFile(file, '{"settings":{"speed":30}}');
    const settings = async (...flags: readonly string[]): Promise<unknown> => {
      const child = baas("emulator", "--port", "0", "--data-dir", join(folder, "settings"), "--token", "T", ...flags);
      const url = await firstLine(child);
      const headers = { "content-type": "application/json" };
      const read = await fetch(`${url}/_emulator/settings.read`, { method: "POST", headers });
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      return read.json();
    };
    expect(await settings("--seed", file)).toMatchObject({ speed: 30, requestsPerMinute: 120 });
    expect(await settings()).toMatchObject({ speed: 30, requestsPerMinute: 120 });
    expect(await settings("--speed", "50", "--no-limits")).toMatchObject({ speed: 50, requestsPerMinute: 0 });
    expect(await settings()).toMatchObject({ speed: 30, requestsPerMinute: 120 });
  });

  it.each([
    { args: ["emulator", "--port", "0"], says: "--token: expected at least one", because: "there is no token" },
    {
      args: ["emulator", "--token", "a b"],
      says: "--token: expected printable ASCII without blanks",
      because: "no client can send the token",
    },
    { args: ["emulator", "--token", ""], says: "--token: expected printable", because: "the token is empty" },
    {
      args: ["emulator", "--token", "T", "--seed", "."],
      says: `--seed: cannot read ${process.cwd()}: it is a folder`,
      because: "the seed is a folder",
    },
    {
      args: ["emulator", "--token", "T", "--port", "0", "--data-dir", "."],
      says: `--data-dir: ${process.cwd()} holds files of something else`,
      because: "the data folder is somebody else's",
    },
    {
      args: ["emulator", "--token", "T", "--port", "http"],
      says: "--port: expected a port from 0 to 65535",
      because: "the port is no number",
    },
    {
      args: ["emulator", "--token", "T", "--port", "70000"],
      says: "--port: expected a port",
      because: "there is no such port",
    },
    {
      args: ["emulator", "--token", "T", "--speed", "0"],
      says: "--speed: expected a factor",
      because: "time would stand still",
    },
    {
      args: ["emulator", "--token", "T", "--org", "a b"],
      says: "--org: expected a slug",
      because: "a slug has no blank",
    },
    {
      args: ["emulator", "--token", "T", "--seed", "nowhere.yaml"],
      says: `--seed: cannot read ${join(process.cwd(), "nowhere.yaml")}: there is no such file`,
      because: "there is no such file",
    },
    { args: ["emulator", "--color"], says: "unknown option", because: "there is no such flag" },
    { args: ["emulate"], says: "unknown command", because: "there is no such verb" },
  ])("ends with 2 when $because", async ({ args, says }) => {
    const { code, out, err } = await ended(baas(...args));
    expect([code, out, err]).toEqual([2, "", expect.stringContaining(says)]);
  });

  it.each([
    {
      content: "projects: [{name: a, colour: red}]",
      says: 'Unrecognized key: "colour"; none of the 26 known is near',
    },
    { content: "a: hunter2: [", says: "bad.yaml:1:4: neither YAML nor JSON" },
    { content: "users: []\nusers: []", says: "bad.yaml:2:1: neither YAML nor JSON: Map keys must be unique" },
    { content: "users: []\n---\nusers: []", says: "bad.yaml:2:1: neither YAML nor JSON: a second document" },
    { content: "users: *all", says: "Unresolved alias" },
    {
      content: "projects: [{name: a, organization: nowhere}]",
      says: "bad.yaml: projects[0].organization: no organization nowhere; known: acme",
    },
    {
      content: "projects: [{name: a, secrets: {__proto__: hunter2}}]",
      says: "bad.yaml: projects[0].secrets.__proto__: expected another name",
    },
    {
      content: "thirdPartyKeys: [{url: 'https://a.b/', jwks: {keys: [.inf]}}]",
      says: "bad.yaml: thirdPartyKeys[0].jwks.keys[0]: expected a number between",
    },
  ])("ends with 2 for the seed $content, also when there is no token", async ({ content, says }) => {
    const file = join(folder, "bad.yaml");
    await writeFile(file, content);
    const { code, err } = await ended(baas("emulator", "--port", "0", "--seed", file));
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
    expect(err).not.toMatch(/hunter2/);
  });

  it.each(["", "# nothing yet\n", "{}"])("takes the seed %j, which says nothing", async (content) => {
    const file = join(folder, "empty.yaml");
    await writeFile(file, content);
    const child = baas("emulator", "--port", "0", "--token", "T", "--seed", file);
    expect(await get(await firstLine(child), "/v1/organizations", "T")).toMatchObject({ body: [{ slug: "acme" }] });
    child.kill("SIGTERM");
    expect((await ended(child)).code).toBe(0);
  });

  it("starts from a folder with tokens without any flag for them, and says that a seed was not used", async () => {
    const [file, data] = [join(folder, "late.yaml"), join(folder, "data")];
    await writeFile(file, "projects: [{name: late}]\n");
    const first = baas("emulator", "--port", "0", "--token", "T", "--data-dir", data);
    await firstLine(first);
    first.kill("SIGTERM");
    expect((await ended(first)).err).not.toMatch(/seed was not used/);
    const again = baas("emulator", "--port", "0", "--data-dir", data, "--seed", file);
    expect(await get(await firstLine(again), "/v1/projects", "T")).toEqual({ status: 200, body: [] });
    again.kill("SIGTERM");
    expect(await ended(again)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/"level":"?(40|warn).*the seed was not used/),
    });
  });

  it.each([
    { flags: ["--host", "no-such-host.invalid"], says: "--host: no-such-host.invalid cannot be found" },
    { flags: ["--host", "203.0.113.7"], says: "--host: 203.0.113.7 is no address of this machine" },
  ])("ends with 2 and the flag where nothing can ever listen: $says", async ({ flags, says }) => {
    const { code, err } = await ended(baas("emulator", "--token", "T", "--port", "0", ...flags));
    expect([code, err]).toEqual([2, expect.stringContaining(says)]);
  });

  it("ends with 1, the flag and the address when the port is taken", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? String(address.port) : "";
    const { code, err } = await ended(baas("emulator", "--token", "T", "--port", port));
    taken.close();
    expect([code, err]).toEqual([1, expect.stringContaining(`--port: ${port} is in use at 127.0.0.1`)]);
  });

  it.each([
    { args: ["--version"], shows: /^\d+\.\d+\.\d+\n$/ },
    { args: ["--help"], shows: /emulator/ },
    { args: ["emulator", "--help"], shows: /--seed/ },
  ])("$args ends with 0", async ({ args, shows }) => {
    const { code, out } = await ended(baas(...args));
    expect([code, out]).toEqual([0, expect.stringMatching(shows)]);
  });
});
