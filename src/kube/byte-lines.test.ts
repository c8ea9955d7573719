import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { byteLines } from "./byte-lines.ts";

async function* chunked(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array, void> {
  let start = 0;
  for (const cut of cuts.toSorted((a, b) => a - b)) {
    yield await Promise.resolve(bytes.subarray(start, cut));
    start = cut;
  }
  yield bytes.subarray(start);
}

async function linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes = 1000): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of byteLines(chunks, maxBytes)) lines.push(line);
  return lines;
}

describe("byteLines", () => {
  it("gives the same lines wherever the network cuts the bytes, in the middle of characters too", async () => {
    const text = fc
      .string({ unit: "binary", maxLength: 20 })
      .filter((line) => !/[\n\uD800-\uDFFF]/.test(line) && line.trim() !== "");
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { maxLength: 8 }),
        fc.array(fc.nat(200), { maxLength: 12 }),
        async (lines, cuts) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
          const inside = cuts.filter((cut) => cut < bytes.length);
          expect(await linesOf(chunked(bytes, inside))).toEqual(lines);
        },
      ),
    );
  });

  it("cuts each of the bytes of a four-byte character apart and still reads it", async () => {
    const bytes = Buffer.from('{"note":"🚀"}\n');
    expect(await linesOf(chunked(bytes, [...bytes.keys()]))).toEqual(['{"note":"🚀"}']);
  });

  it("takes a last line without an end, and leaves empty lines out", async () => {
    expect(await linesOf(chunked(Buffer.from("\n\na\n\r\nb"), []))).toEqual(["a", "b"]);
  });

  it("refuses a line that is too long as soon as it is, not at its end", async () => {
    async function* endless(): AsyncGenerator<Uint8Array, void> {
      for (;;) yield await Promise.resolve(Buffer.alloc(64, "x"));
    }
    await expect(linesOf(endless(), 1000)).rejects.toMatchObject({ code: "UnexpectedResponse" });
  });

  it("counts the limit by line, not by stream", async () => {
    const line = "x".repeat(900);
    expect(await linesOf(chunked(Buffer.from(`${line}\n${line}\n`), [1200]))).toEqual([line, line]);
  });

  it("refuses what is not UTF-8 rather than store replacement characters", async () => {
    await expect(linesOf(chunked(Buffer.from([0x22, 0xff, 0x22, 0x0a]), []))).rejects.toMatchObject({
      code: "UnexpectedResponse",
    });
  });
});
