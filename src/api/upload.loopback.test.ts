import { once } from "node:events";
import { openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { collectGarbage } from "../../test/support/garbage.ts";
import { TEST_REF, failureOf, scriptedClients } from "../../test/support/api-server/test-client.ts";
import { createClient } from "./client.ts";
import type { ApiClient } from "./client.ts";
import type { UploadSource } from "./contract/operation.ts";

const start = scriptedClients();
const deployed = { id: "f1", slug: "hello", name: "hello", status: "ACTIVE", version: 1 };
const metadata = { entrypoint_path: "index.ts" };
const MIB = 1024 * 1024;

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "upload-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function deploy(client: ApiClient, content: string | Uint8Array | UploadSource): Promise<unknown> {
  const body = { metadata, files: [{ path: "lib/a.bin", content }] };
  return client.functions.deploy({ ref: TEST_REF, slug: "hello", body });
}

/** Bytes that are made while they are read: `read` tells how many so far. */
function generated(size: number): UploadSource & { readonly read: () => number } {
  let read = 0;
  async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let left = size; left > 0; left -= MIB) {
      const piece = new Uint8Array(Math.min(MIB, left)).fill(7);
      read += piece.length;
      yield piece;
    }
  }
  return { size, stream, read: () => read };
}

describe("a file of an upload", () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, n) => n % 251);

  test.each([
    { what: "text", content: () => "données" },
    { what: "bytes, in more than one piece", content: () => bytes },
    { what: "part of a larger buffer", content: () => bytes.subarray(1000, 3000) },
    { what: "no bytes at all", content: () => new Uint8Array() },
    { what: "a Blob", content: () => new Blob(["a", bytes]) },
    {
      what: "a file on disk",
      content: async () => {
        await writeFile(join(folder, "a.bin"), bytes);
        return await openAsBlob(join(folder, "a.bin"));
      },
    },
  ])("arrives byte by byte, its length told beforehand: $what", async ({ content }) => {
    const { client, calls } = await start(() => ({ status: 201, body: deployed }));
    const given = await content();
    await deploy(client, given);
    const [post] = calls();
    expect(Number(post?.headers["content-length"])).toBe(post?.body.length);
    const type = String(post?.headers["content-type"]);
    const form = await new Response(new Uint8Array(post?.body ?? []), { headers: { "content-type": type } }).formData();
    const file = form.get("file");
    expect(file instanceof File && [file.name, file.type]).toEqual(["lib/a.bin", "application/octet-stream"]);
    const expected = await new Response(given).bytes();
    expect(file instanceof File && Buffer.from(await file.bytes()).equals(expected)).toBe(true);
  });

  test("is read again from its beginning when the request goes again", async () => {
    const source = generated(2 * MIB);
    const { client, calls } = await start((_, nth) =>
      nth === 1 ? { status: 429, headers: { "retry-after": "0" } } : { status: 201, body: deployed },
    );
    await deploy(client, source);
    expect(calls().map(({ body }) => body.length > 2 * MIB)).toEqual([true, true]);
    expect(source.read()).toBe(4 * MIB);
  });

  test.each([
    { content: 7, why: "a number" },
    { content: null, why: "nothing" },
    { content: { size: -1, stream: () => [] }, why: "a size below zero" },
    { content: { stream: () => [] }, why: "a stream of unknown size" },
  ])("is refused before anything is sent: $why", async ({ content }) => {
    const { client, calls } = await start(() => ({ status: 201, body: deployed }));
    const error = await failureOf(deploy(client, content as unknown as UploadSource));
    expect(error).toMatchObject({ code: "INVALID_REQUEST" });
    expect(error.message).toBe(
      "functions.deploy: body.files[0].content: content is a string, a Uint8Array, or what has a size and a stream, as a Blob",
    );
    expect(calls()).toEqual([]);
  });

  test.each([
    { gives: MIB, why: "fewer bytes than its size" },
    { gives: 3 * MIB, why: "more bytes than its size" },
  ])("that gives $why breaks the sending off: no server takes it for whole", async ({ gives }) => {
    const { client } = await start(() => ({ status: 201, body: deployed }));
    const error = await failureOf(deploy(client, { ...generated(gives), size: 2 * MIB }));
    expect(error).toMatchObject({ code: "CONNECTION_LOST", effect: "unknown" });
  });
});

describe("a bundle", () => {
  const update = (client: ApiClient, body: UploadSource): Promise<unknown> =>
    client.functions.update({ ref: TEST_REF, function_slug: "hello", body });

  test("is read while it is sent, with its media type and length", async () => {
    const { client, calls } = await start(() => ({ status: 200, body: deployed }));
    await update(client, generated(3 * MIB));
    const [patch] = calls();
    expect(patch?.headers).toMatchObject({
      "content-type": "application/vnd.denoland.eszip",
      "content-length": String(3 * MIB),
    });
    expect(patch?.body.length).toBe(3 * MIB);
  });
});

describe("memory", () => {
  let server: Server;
  let client: ApiClient;
  let arrived: (request: IncomingMessage) => Promise<void>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      void arrived(request).then(() => {
        response.writeHead(201, { "content-type": "application/json" }).end(JSON.stringify(deployed));
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const credentials = { token: () => Promise.resolve("t"), onRejected: () => undefined, identity: "app" };
    client = createClient({ baseUrl: `http://127.0.0.1:${port}`, credentials });
  });
  afterEach(() => server.closeAllConnections());
  afterAll(async () => {
    await client.close();
    server.close();
  });

  test("holds a part of an upload, never the whole: a source is read no faster than the server takes it", async () => {
    const source = generated(256 * MIB);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let taken = 0;
    arrived = async (request) => {
      await released;
      for await (const chunk of request) taken += (chunk as Buffer).length;
    };
    const done = deploy(client, source);
    let before = -1;
    await vi.waitFor(() => {
      const now = source.read();
      const still = now > 0 && now === before;
      before = now;
      expect(still, "the source is no longer read").toBe(true);
    });
    expect(source.read()).toBeLessThan(64 * MIB);
    release();
    await done;
    expect(taken).toBeGreaterThan(256 * MIB);
  });

  test("is not spent on a second copy of bytes that are there already", async () => {
    const content = new Uint8Array(128 * MIB);
    const held = (): number => process.memoryUsage().arrayBuffers;
    await collectGarbage();
    const before = held();
    let most = 0;
    arrived = async (request) => {
      for await (const _chunk of request) {
        // What has arrived here is garbage by now: only what stays is looked at.
        if (held() - before < 32 * MIB) continue;
        await collectGarbage();
        most = Math.max(most, held() - before);
      }
    };
    await deploy(client, content);
    expect(most).toBeLessThan(32 * MIB);
  });

  test("and source are let go when the call ends early", async () => {
    const source = generated(256 * MIB);
    let closed = false;
    async function* stream(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        yield* source.stream();
      } finally {
        closed = true;
      }
    }
    const controller = new AbortController();
    arrived = () => new Promise(() => controller.abort(new Error("enough")));
    const update = client.functions.update(
      { ref: TEST_REF, function_slug: "hello", body: { size: source.size, stream } },
      { signal: controller.signal },
    );
    expect(await failureOf(update)).toMatchObject({ code: "ABORTED", effect: "unknown" });
    await vi.waitFor(() => expect(closed).toBe(true));
  });
});
