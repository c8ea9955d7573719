import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import {
  failureOf,
  TEST_CREATE,
  TEST_PROJECT,
  TEST_REF,
  TEST_SECRET,
  TEST_TOKEN,
  testClient,
} from "../../test/support/api-server/test-client.ts";
import type { ApiClient } from "./client.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).toReversed()) await stop();
});

/** A client of a server that writes what it likes as soon as it has read the head of a request, or all that came with it. */
async function clientOf(write: (socket: Socket, request: string) => void): Promise<ApiClient> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let request = "";
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      request += chunk.toString("latin1");
      if (request.includes("\r\n\r\n")) write(socket, request);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const credentials = { token: () => Promise.resolve(TEST_TOKEN), onRejected: () => undefined, identity: "app" };
  const client = testClient(`http://127.0.0.1:${port}`, { credentials });
  stops.push(
    () => server.close(),
    () => sockets.forEach((socket) => socket.destroy()),
    () => client.close(),
  );
  return client;
}

const get = (client: ApiClient, deadlineMs = 1000): Promise<unknown> =>
  client.projects.get({ ref: TEST_REF }, { deadlineMs });

function every(ms: number, socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), ms);
  socket.on("close", () => clearInterval(timer));
}

describe("no failure holds what was sent, whatever a server puts where", () => {
  const bearer = (request: string): string => /Bearer .*/i.exec(request)?.[0] ?? "";
  test.each<{ name: string; write: (socket: Socket, request: string) => void }>([
    { name: "the request itself as the answer", write: (socket, request) => socket.end(request) },
    {
      name: "a header that is none",
      write: (socket, request) => socket.end(`HTTP/1.1 200 OK\r\nx \u0001${bearer(request)}\r\n\r\n`),
    },
    {
      name: "a chunk without a size",
      write: (socket, request) =>
        socket.end(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${bearer(request)}\r\n`),
    },
    {
      name: "an answer that breaks off",
      write: (socket, request) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${request}`),
    },
    {
      name: "a header that is too long",
      write: (socket, request) => socket.end(`HTTP/1.1 200 OK\r\nx: ${request.replaceAll(/\s/g, " ").repeat(500)}`),
    },
    {
      name: "a location",
      write: (socket, request) =>
        socket.end(`HTTP/1.1 302 Found\r\nlocation: /${bearer(request)}\r\ncontent-length: 0\r\n\r\n`),
    },
    {
      name: "a message",
      write: (socket, request) => {
        const body = JSON.stringify({ message: request });
        socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
      },
    },
  ])("$name", async ({ write }) => {
    const client = await clientOf(write);
    const failures = [await failureOf(get(client)), await failureOf(client.projects.create(TEST_CREATE))];
    const told = failures.flatMap((error) => [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error)]);
    for (const secret of [TEST_TOKEN, TEST_SECRET]) expect(told.join("\n")).not.toContain(secret);
  });
});

describe("a call ends", () => {
  test.each<{ name: string; write: (socket: Socket) => void; code: string; deadlineMs?: number }>([
    {
      name: "at its deadline, though hints come for ever",
      write: (socket) => every(5, socket, "HTTP/1.1 103 Early Hints\r\n\r\n"),
      code: "DEADLINE",
    },
    {
      name: "at its deadline, though a byte comes now and then",
      write: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n");
        every(20, socket, " ");
      },
      code: "DEADLINE",
    },
    {
      name: "when the answer is too large, though its end never comes",
      write: (socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n");
        const more = (): void => {
          if (!socket.destroyed) socket.write(Buffer.alloc(1024 * 1024, 32), () => setImmediate(more));
        };
        more();
      },
      code: "RESPONSE_TOO_LARGE",
      // Megabytes come first, on a machine that may be busy.
      deadlineMs: 30_000,
    },
  ])("$name", async ({ write, code, deadlineMs = 300 }) => {
    const client = await clientOf(write);
    expect(await failureOf(get(client, deadlineMs))).toMatchObject({ code, effect: "unknown" });
  });

  test("though a message of megabytes wants to be cleaned", async () => {
    const body = JSON.stringify({ message: "reqid:".repeat(100_000) });
    const client = await clientOf((socket) =>
      socket.end(`HTTP/1.1 400 Bad Request\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
    );
    expect(await failureOf(get(client, 20_000))).toMatchObject({ code: "BAD_REQUEST" });
  });
});

test("a prototype in an answer is no field of it", async () => {
  const body = JSON.stringify(TEST_PROJECT).replace("{", '{"__proto__":{"database":"theirs"},');
  const client = await clientOf((socket) =>
    socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`),
  );
  const project = await client.projects.get({ ref: TEST_REF });
  expect([project, Object.getPrototypeOf(project)]).toEqual([TEST_PROJECT, Object.prototype]);
  expect(project.database).toBeUndefined();
});
