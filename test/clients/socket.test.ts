import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { aStage, REF, type Stage, TOKEN } from "./stage.ts";

/** What no library would send so, but some proxy, script or old program does. */

const lines = (...all: readonly string[]): string => all.map((line) => `${line}\r\n`).join("");
const AUTH = `Authorization: Bearer ${TOKEN}`;
const SECRETS = `/v1/projects/${REF}/secrets`;

/** Sends the pieces, each in a packet of its own, and reads until the server ends. */
async function exchange({ emulator }: Stage, pieces: readonly string[]): Promise<string> {
  const { hostname, port } = new URL(emulator.url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true);
  await once(socket, "connect");
  const received = text(socket);
  for (const piece of pieces) {
    socket.write(piece);
    await turn();
  }
  return received;
}

const statuses = (received: string): readonly string[] =>
  [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = ""]) => status);

const CLOSE = "Connection: close";

/** Of which the parser tells no method, path or token; the first one is left to us. */
const UNREADABLE: readonly { readonly does: string; readonly sent: string; readonly status: string }[] = [
  { does: "sends no host", sent: lines("GET /v1/profile HTTP/1.1", AUTH, CLOSE, ""), status: "400 Bad Request" },
  {
    does: "sends a method that there is not",
    sent: lines("FETCH / HTTP/1.1", "Host: x", ""),
    status: "400 Bad Request",
  },
  {
    does: "sends a chunk without a length",
    sent: lines("POST /v1/nothing HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "", "none"),
    status: "400 Bad Request",
  },
  {
    does: "sends more header than anybody reads",
    sent: lines("GET /v1/profile HTTP/1.1", "Host: x", `X-Long: ${"x".repeat(20_000)}`, ""),
    status: "431 Request Header Fields Too Large",
  },
];
const LIMITS = /\r\nX-RateLimit-Limit: (\d+)\r\nX-RateLimit-Remaining: (\d+)\r\nX-RateLimit-Reset: (\d+)\r\n/;

describe("what cannot be read", () => {
  it.each(UNREADABLE)("is answered in JSON and with the limits, where somebody $does", async ({ sent, status }) => {
    await using stage = await aStage();
    const received = await exchange(stage, [sent]);
    const [head = "", body = ""] = received.split("\r\n\r\n");
    expect(head.split("\r\n")[0]).toBe(`HTTP/1.1 ${status}`);
    expect(JSON.parse(body)).toEqual({ message: expect.any(String) });
    expect(LIMITS.exec(head)?.slice(1)).toEqual(["120", "119", "60"]);
  });

  it("is counted against the address, and refused as often as anything else", async () => {
    await using stage = await aStage();
    await stage.emulator.control.settings.patch({ requestsPerMinute: 1 });
    const nonsense = lines("FETCH / HTTP/1.1", "Host: x", "");
    expect(statuses(await exchange(stage, [nonsense]))).toEqual(["400"]);
    const refused = await exchange(stage, [nonsense]);
    expect(refused).toMatch(/^HTTP\/1.1 429 Too Many Requests\r\n/);
    expect(refused).toContain('{"message":"ThrottlerException: Too Many Requests"}');
    const others = await exchange(stage, [lines("GET /v1/profile HTTP/1.1", "Host: x", AUTH, CLOSE, "")]);
    expect(statuses(others)).toEqual(["200"]);
  });
});

describe("what cannot be read, after what can", () => {
  const slow = lines("GET /v1/profile HTTP/1.1", "Host: x", AUTH, "");
  const quick = lines("GET /v1/organizations HTTP/1.1", "Host: x", "");
  const upload = lines("POST /v1/nothing HTTP/1.1", "Host: x", "Transfer-Encoding: chunked", "");
  const nonsense = lines("FETCH / HTTP/1.1", "Host: x", "");

  it.each([
    { what: "in the same packet", pieces: [slow + nonsense], answers: ["200", "400"] },
    { what: "behind several requests", pieces: [slow + quick + nonsense], answers: ["200", "401", "400"] },
    { what: "in a body", pieces: [slow + upload + lines("none")], answers: ["200", "400"] },
    { what: "in pieces, which are no further requests", pieces: [slow + nonsense, nonsense], answers: ["200", "400"] },
  ])("is answered when that was: $what", async ({ pieces, answers }) => {
    await using stage = await aStage();
    const fault = { kind: "delay", ms: 1000 } as const;
    await stage.emulator.control.faults.add({ operation: "profile.get", fault });
    const received = exchange(stage, pieces);
    const arrived = async (): Promise<number> => (await stage.emulator.control.log.read()).entries.length;
    await expect.poll(arrived).toBeGreaterThan(0);
    await stage.emulator.control.time.advance({ ms: 1000 });
    expect(statuses(await received)).toEqual(answers);
  });
});

it("finds the headers in the capitals in which they are documented", async () => {
  await using stage = await aStage();
  const asked = lines(`HEAD /v1/projects/${REF}/actions HTTP/1.1`, "Host: x", AUTH, CLOSE, "");
  const counted = await exchange(stage, [asked]);
  expect(LIMITS.exec(counted)?.slice(1)).toEqual(["120", "119", "60"]);
  expect(counted).toMatch(/\r\nX-Total-Count: \d+\r\n/);
  await stage.emulator.control.settings.patch({ requestsPerMinute: 1, retryAfter: "always" });
  expect(await exchange(stage, [asked])).toMatch(/\r\nRetry-After: \d+\r\n/);
});

it("is refused a tunnel as any method that there is not, in its turn and with the limits", async () => {
  await using stage = await aStage();
  const read = lines("GET /v1/profile HTTP/1.1", "Host: x", AUTH, "");
  const received = await exchange(stage, [read + lines("CONNECT x:1 HTTP/1.1", "Host: x:1", AUTH, "", "tunnelled")]);
  expect(statuses(received)).toEqual(["200", "404"]);
  const refused = received.slice(received.lastIndexOf("HTTP/1.1 404"));
  expect(refused).toMatch(/\r\nconnection: close\r\n/i);
  expect(refused.split("\r\n\r\n")[1]).toBe('{"message":"Cannot CONNECT x:1"}');
  expect(LIMITS.exec(refused)?.slice(1)).toEqual(["120", "118", "60"]);
  const { entries } = await stage.emulator.control.log.read();
  expect(entries.at(-1)).toMatchObject({ method: "CONNECT", path: "x:1", status: 404 });
});

describe("a bare socket", () => {
  it.each([
    { does: "speaks HTTP/1.0 without a host", pieces: [lines("GET /v1/profile HTTP/1.0", AUTH, "")], answers: ["200"] },
    {
      does: "sends three requests before it reads an answer",
      pieces: [
        lines("GET /v1/profile HTTP/1.1", "Host: x", AUTH, "") +
          lines("GET /v1/profile/ HTTP/1.1", "Host: x", AUTH, "") +
          lines("GET /v1/organizations HTTP/1.1", "Host: x", CLOSE, ""),
      ],
      answers: ["200", "404", "401"],
    },
    {
      does: "sends a request in small pieces",
      pieces: lines("GET /v1/profile HTTP/1.1", "Host: x", CLOSE, AUTH, "").split(""),
      answers: ["200"],
    },
    {
      does: "writes header names in capitals and blanks around values",
      pieces: [lines("GET /v1/profile HTTP/1.1", "HOST:x", `AUTHORIZATION:   bearer   ${TOKEN}   `, CLOSE, "")],
      answers: ["200"],
    },
    {
      does: "sends the whole address",
      pieces: [lines("GET http://platform.test/v1/profile HTTP/1.1", "Host: platform.test", AUTH, CLOSE, "")],
      answers: ["200"],
    },
    {
      does: "sends chunks with extensions and a trailer",
      pieces: [
        lines(`POST ${SECRETS} HTTP/1.1`, "Host: x", AUTH, CLOSE, "Content-Type: application/json") +
          lines("Transfer-Encoding: chunked", "", "1;name=value", "["),
        lines("1b", '{"name":"RAW","value":"v"}]'),
        lines("0", "X-Checksum: 1", ""),
      ],
      answers: ["201"],
    },
    {
      does: "waits to be told to continue",
      pieces: [
        lines(`POST ${SECRETS} HTTP/1.1`, "Host: x", AUTH, CLOSE, "Content-Type: application/json") +
          lines("Content-Length: 2", "Expect: 100-continue", ""),
        "[]",
      ],
      answers: ["100", "400"],
    },
    {
      does: "expects what there is not",
      pieces: [lines("GET /v1/profile HTTP/1.1", "Host: x", AUTH, CLOSE, "Expect: the-unexpected", "")],
      answers: ["200"],
    },
    {
      does: "sends the length and chunks at once",
      pieces: [
        lines(
          `POST ${SECRETS} HTTP/1.1`,
          "Host: x",
          AUTH,
          "Content-Length: 2",
          "Transfer-Encoding: chunked",
          "",
          "0",
          "",
        ),
      ],
      answers: ["400"],
    },
    { does: "sends no host", pieces: [lines("GET /v1/profile HTTP/1.1", AUTH, CLOSE, "")], answers: ["400"] },
    {
      does: "sends a method that there is not",
      pieces: [lines("FETCH /v1/profile HTTP/1.1", "Host: x", "")],
      answers: ["400"],
    },
    { does: "speaks another protocol", pieces: ["\u0016\u0003\u0001\u0002\u0000\u0001\u0000"], answers: ["400"] },
    {
      does: "sends more header than anybody reads",
      pieces: [lines("GET /v1/profile HTTP/1.1", "Host: x", `X-Long: ${"x".repeat(20_000)}`, "")],
      answers: ["431"],
    },
  ])("that $does gets $answers", async ({ pieces, answers }) => {
    await using stage = await aStage();
    const received = await exchange(stage, pieces);
    expect(statuses(received)).toEqual(answers);
    // whatever comes in, what answers is still there
    const after = await exchange(stage, [lines("GET /v1/profile HTTP/1.1", "Host: x", AUTH, CLOSE, "")]);
    expect(statuses(after)).toEqual(["200"]);
  });
});
