import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArtifactServer } from "../../test/support/artifacts/server.ts";
import { archiveOf, digestOf, targz } from "../../test/support/artifacts/tar.ts";
import { ManualClock } from "../base/manual-clock.ts";
import { Artifacts } from "./artifacts.ts";
import type { ArtifactPlace } from "./fetch.ts";
import { defaultLimits } from "./limits.ts";
import { Reach } from "./reach.ts";

const KIB = 1024;
const limits = { ...defaultLimits, archiveBytes: 64 * KIB };

let server: ArtifactServer;
let clock: ManualClock;
let artifacts: Artifacts;
let leads: boolean;
const mayStart = (): boolean => leads;

beforeEach(async () => {
  server = await ArtifactServer.start();
  clock = new ManualClock();
  leads = true;
  artifacts = new Artifacts({ clock, limits, reach: new Reach({ loopback: true }), mayStart });
});

afterEach(async () => {
  await artifacts[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

const never = new AbortController().signal;

async function read(
  place: ArtifactPlace,
  options: { folder?: string; group?: string; signal?: AbortSignal } = {},
): Promise<unknown> {
  const { folder = "", group = "one", signal = never } = options;
  const files = await artifacts.read(place, { folder, group, signal });
  return Object.fromEntries(files.map(({ path, content }) => [path, Buffer.from(content).toString("utf8")]));
}

/** How reading fails. */
async function failure(place: ArtifactPlace): Promise<string> {
  try {
    await read(place);
  } catch (error) {
    if (error instanceof Error && "code" in error) return `${String(error.code)}: ${error.message}`;
    throw error;
  }
  return "none";
}

describe("an artifact", () => {
  it("is read from where its source says, a folder of it", async () => {
    const published = server.publish({ "fn/index.ts": "serve()", "other.ts": "x" });
    expect(await read(published, { folder: "fn" })).toEqual({ "index.ts": "serve()" });
    const { url, digest } = published; // a source that tells no size
    expect(await read({ url, digest })).toEqual({ "fn/index.ts": "serve()", "other.ts": "x" });
    expect(server.asked).toHaveLength(2); // nothing is kept
  });

  it("is asked for without anything of ours, and as it is", async () => {
    const { url, digest } = server.publish({ a: "a" });
    const seen: unknown[] = [];
    const bytes = archiveOf({ a: "a" });
    server.serve(new URL(url).pathname, ({ method, headers }, response) => {
      seen.push({ method, names: Object.keys(headers).toSorted(), encoding: headers["accept-encoding"] });
      response.end(bytes);
    });
    await read({ url, digest });
    expect(seen).toEqual([
      { method: "GET", names: ["accept", "accept-encoding", "connection", "host"], encoding: "identity" },
    ]);
  });

  it("is not asked for by who may not start a request any more", async () => {
    const published = server.publish({ a: "a" });
    leads = false;
    expect(await failure(published)).toBe("NOT_STARTED: this process may not start requests now");
    expect(server.asked).toEqual([]);
    leads = true;
    expect(await read(published)).toEqual({ a: "a" });
  });

  it("waits for no other group's, and only so long for its own's", async () => {
    const slow = server.publish({ a: "a" });
    const fast = server.publish({ b: "b" });
    const asked = Promise.withResolvers<void>();
    server.serve(new URL(slow.url).pathname, () => asked.resolve());
    const { signal } = new AbortController();
    const first = failure(slow);
    await asked.promise;
    expect(await read(fast, { group: "two", signal })).toEqual({ b: "b" });
    const second = failure(fast);
    clock.advance(1000);
    expect(await second).toBe("Busy: other artifacts are being read");
    clock.advance(19_000);
    expect(await first).toBe("Unavailable: the artifact was not there within 20 s");
    expect(await read(fast)).toEqual({ b: "b" });
  });
});

describe("artifacts", () => {
  it("are read three at once, whose bytes are in memory together: another one waits, and only so long", async () => {
    const slow = server.publish({ a: "a" });
    const fast = server.publish({ b: "b" });
    const asked = Promise.withResolvers<void>();
    let begun = 0;
    server.serve(new URL(slow.url).pathname, () => {
      begun += 1;
      if (begun === 3) asked.resolve();
    });
    const reads = Promise.allSettled(["one", "two", "three"].map((group) => read(slow, { group })));
    await asked.promise;
    const fourth = Promise.allSettled([read(fast, { group: "four" })]);
    clock.advance(1000);
    const ends = await fourth;
    clock.advance(19_000); // nothing is left that the end of the test would wait for
    expect(ends).toMatchObject([{ status: "rejected", reason: { code: "Busy" } }]);
    expect((await reads).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
    expect(await read(fast, { group: "four" })).toEqual({ b: "b" });
  });
});

describe("an artifact is refused", () => {
  it.each(["sha256", "sha384", "sha512"])(
    "when its %s digest is another one, and taken when it is not",
    async (algorithm) => {
      const archive = archiveOf({ a: "a" });
      const { url } = server.publishBytes(archive);
      const digest = `${algorithm}:${createHash(algorithm).update(archive).digest("hex")}`;
      expect(await read({ url, digest })).toEqual({ a: "a" });
      const other = `${algorithm}:${createHash(algorithm).update("other").digest("hex")}`;
      expect(await failure({ url, digest: other })).toMatch(/^Refused: what was fetched is not what/u);
    },
  );

  it("when its digest is another one, before anything is unpacked", async () => {
    const hostile = server.publishBytes(targz([{ path: "../x", content: "x" }]));
    const digest = digestOf(Buffer.from("another"));
    expect(await failure({ ...hostile, digest })).toBe(
      "Refused: what was fetched is not what the digest of the artifact says",
    );
    expect(await failure(hostile)).toBe('Refused: the archive has a path that is not plain: "../x"');
  });

  it.each([
    ["blake3:" + "0".repeat(64), "an algorithm that Node.js does not have"],
    ["sha1:" + "0".repeat(40), "one that is broken"],
    ["sha256:" + "0".repeat(63), "too short"],
    ["sha512:" + "0".repeat(64), "that of another algorithm"],
    ["sha256:" + "A".repeat(64), "in capitals"],
    ["toString:", "no algorithm"],
    ["", "none"],
  ])("when its digest %j cannot be checked: %s", async (digest) => {
    const { url } = server.publish({ a: "a" });
    expect(await failure({ url, digest })).toMatch(
      /^Refused: the digest of the artifact is none of sha256, sha384 or sha512/u,
    );
    expect(server.asked).toEqual([]);
  });

  it.each(["file:///etc/passwd", "ftp://127.0.0.1/x", "not a url", "http://user:password@127.0.0.1/x"])(
    "when its address is %s",
    async (url) => {
      const told = await failure({ url, digest: digestOf(Buffer.from("")) });
      expect(told).toMatch(/^Refused: the address of the artifact/u);
      expect(told).not.toContain("password");
    },
  );

  it.each([
    { reach: new Reach({ loopback: true }), host: "169.254.169.254", why: "link-local" },
    { reach: new Reach({ loopback: true }), host: "0xa9fea9fe", why: "link-local, otherwise written" },
    { reach: new Reach({ loopback: true }), host: "[fe80::1]", why: "link-local" },
    { reach: undefined, host: "127.0.0.1", why: "this machine's" },
    { reach: undefined, host: "localhost", why: "a name of this machine" },
    {
      reach: new Reach({
        loopback: false,
        resolve: (_name, done) => done(null, [{ address: "127.0.0.1", family: 4 }]),
      }),
      host: "artifacts.example",
      why: "a name that leads there",
    },
  ])("when its server is $host, $why, and that is not asked", async ({ reach, host }) => {
    const { url, digest } = server.publish({ a: "a" });
    await artifacts[Symbol.asyncDispose]();
    artifacts = new Artifacts({ clock, limits, mayStart, ...(reach === undefined ? {} : { reach }) });
    const { port, pathname } = new URL(url);
    const told = "Refused: the artifact's server has a link-local address, or one of this machine's own";
    expect(await failure({ url: `http://${host}:${port}${pathname}`, digest })).toBe(told);
    expect(server.asked).toEqual([]);
  });

  it.each([301, 302, 303, 307, 308])(
    "when its server answers %d, and what that points to is not asked for",
    async (status) => {
      const target = server.publish({ a: "a" });
      server.serve("/moved", (_request, response) => void response.writeHead(status, { location: target.url }).end());
      expect(await failure({ ...target, url: `${server.url}/moved` })).toMatch(/^Refused: .* points elsewhere/u);
      expect(server.asked).toEqual(["/moved"]);
    },
  );

  it("when it is larger than is taken, by what its source, its server or itself says", async () => {
    const published = server.publishBytes(Buffer.alloc(65 * KIB));
    const { url, digest, size } = published;
    const { pathname } = new URL(url);
    expect(await failure(published)).toMatch(/^Refused: the artifact is larger/u);
    expect(server.asked).toEqual([]); // what its source says suffices
    expect(await failure({ url, digest })).toMatch(/^Refused: the artifact is larger/u);
    server.serve(pathname, (_request, response) => {
      response.writeHead(200, { "transfer-encoding": "chunked" }); // says no length
      response.end(Buffer.alloc(size));
    });
    expect(await failure({ url, digest })).toMatch(/^Refused: the artifact is larger/u);
    expect(await failure({ url, digest, size: 100 })).toMatch(/^Refused: the artifact is larger/u);
  });

  it("when it is larger than its source says, and is taken where it is not", async () => {
    const published = server.publish({ a: "a" });
    const { url, digest, size } = published;
    const { pathname } = new URL(url);
    expect(await failure({ url, digest, size: size - 1 })).toMatch(/^Refused: the artifact is larger/u);
    const bytes = archiveOf({ a: "a" });
    server.serve(pathname, (_request, response) => {
      response.writeHead(200, { "transfer-encoding": "chunked" }); // says no length
      response.end(bytes);
    });
    expect(await failure({ url, digest, size: size - 1 })).toMatch(/^Refused: the artifact is larger/u);
    expect(await read(published)).toEqual({ a: "a" });
  });

  it("when it never ends: its server is left alone", async () => {
    const left = Promise.withResolvers<void>();
    server.serve("/endless", (_request, response) => {
      response.writeHead(200);
      response.on("close", () => left.resolve());
      const more = (): void =>
        void response.write(Buffer.alloc(8 * KIB), (error) => {
          if (!error && !response.destroyed) setImmediate(more);
        });
      more();
    });
    const { digest } = server.publish({ a: "a" });
    expect(await failure({ url: `${server.url}/endless`, digest })).toMatch(/^Refused: the artifact is larger/u);
    await left.promise;
  });
});

describe("an artifact is not to be had", () => {
  it.each([401, 404, 500, 503])("while its server answers %d, whose words are not told", async (status) => {
    server.serve("/x", (_request, response) => void response.writeHead(status).end("secret words"));
    const { digest } = server.publish({ a: "a" });
    expect(await failure({ url: `${server.url}/x`, digest })).toBe(
      `Unavailable: the artifact's server answered ${status}`,
    );
  });

  it("when its server breaks off, or is not there", async () => {
    const { digest } = server.publish({ a: "a" });
    server.serve("/cut", (_request, response) => {
      response.writeHead(200, { "content-length": "1000" });
      response.write("only this", () => response.destroy());
    });
    expect(await failure({ url: `${server.url}/cut`, digest })).toMatch(/^Unavailable: .* it broke/u);
    expect(await failure({ url: "http://127.0.0.1:1/x", digest })).toMatch(/^Unavailable: .* no connection/u);
  });

  it("when it comes too slowly, however much comes", async () => {
    const { digest } = server.publish({ a: "a" });
    const begun = Promise.withResolvers<void>();
    const left = Promise.withResolvers<void>();
    server.serve("/slow", (_request, response) => {
      response.writeHead(200);
      response.write("x", () => begun.resolve());
      response.on("close", () => left.resolve());
    });
    const reading = failure({ url: `${server.url}/slow`, digest });
    await begun.promise;
    clock.advance(20_000);
    expect(await reading).toBe("Unavailable: the artifact was not there within 20 s");
    await left.promise;
  });

  it("to who is aborted: with the reason of that", async () => {
    const { digest } = server.publish({ a: "a" });
    const controller = new AbortController();
    server.serve("/slow", () => controller.abort(new Error("the run is over")));
    const place = { url: `${server.url}/slow`, digest };
    await expect(read(place, { signal: controller.signal })).rejects.toThrow("the run is over");
  });
});
