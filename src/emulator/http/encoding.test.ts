import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { compressed, decoded, takesGzip } from "./encoding.ts";

const json = (body: string) => ({ status: 200, headers: { "content-type": "application/json; charset=utf-8" }, body });
const LONG = JSON.stringify({ text: "x".repeat(2000) });
const LIMIT = 100_000;

describe("an answer", () => {
  it.each([
    { accept: undefined, takes: false, because: "nothing is said" },
    { accept: "gzip", takes: true, because: "it is named" },
    { accept: "GZIP;q=0.5, br", takes: true, because: "names and weights are written in any way" },
    { accept: "br, *", takes: true, because: "anything is taken" },
    { accept: "gzip;q=0, *", takes: false, because: "it is refused by name" },
    { accept: "*;q=0", takes: false, because: "everything is refused" },
    { accept: "identity, br", takes: false, because: "it is not among those named" },
    { accept: ",;q=,gzip;q=x", takes: false, because: "nothing of it means anything" },
  ])("is compressed: $takes for '$accept', since $because", ({ accept, takes }) => {
    expect(takesGzip(accept)).toBe(takes);
    const sent = compressed(json(LONG), accept);
    expect(sent.headers["content-encoding"]).toBe(takes ? "gzip" : undefined);
    expect(sent.headers["vary"]).toBe("accept-encoding");
    expect(takes ? gunzipSync(sent.body).toString() : sent.body).toBe(LONG);
  });

  it.each([
    { answer: json("{}"), because: "it is short" },
    {
      answer: { status: 200, headers: { "content-type": "application/vnd.denoland.eszip" }, body: LONG },
      because: "it is no text",
    },
    { answer: { status: 204, headers: {}, body: "" }, because: "it is empty" },
  ])("is sent as it is when $because", ({ answer }) => {
    expect(compressed(answer, "gzip")).toBe(answer);
  });
});

describe("a body", () => {
  const plain = Buffer.from(LONG);

  it.each([
    { coding: undefined, bytes: plain },
    { coding: "identity", bytes: plain },
    { coding: "gzip", bytes: gzipSync(plain) },
    { coding: "X-GZIP", bytes: gzipSync(plain) },
    { coding: "deflate", bytes: deflateSync(plain) },
    { coding: "br", bytes: brotliCompressSync(plain) },
    { coding: "deflate, gzip", bytes: gzipSync(deflateSync(plain)) },
  ])("is read as $coding", async ({ coding, bytes }) => {
    expect((await decoded(bytes, coding, LIMIT)).toString()).toBe(LONG);
  });

  it.each([
    { coding: "gzip", bytes: plain, status: 400, because: "it is not compressed" },
    { coding: "gzip", bytes: gzipSync(plain).subarray(0, 20), status: 400, because: "it ends too early" },
    { coding: "zstd", bytes: plain, status: 400, because: "nobody knows the coding here" },
    {
      coding: Array.from({ length: 5 }, () => "gzip").join(),
      bytes: plain,
      status: 400,
      because: "it is coded five times",
    },
    { coding: "gzip", bytes: gzipSync(Buffer.alloc(LIMIT + 1)), status: 400, because: "it is larger than it looks" },
  ])("is refused with $status when $because", async ({ coding, bytes, status }) => {
    await expect(decoded(bytes, coding, LIMIT)).rejects.toMatchObject({ status });
  });
});
