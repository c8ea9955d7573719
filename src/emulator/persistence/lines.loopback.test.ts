import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { chunks, eachLine, grouped } from "./lines.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-lines-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const line = fc.string({ unit: "grapheme", maxLength: 20 }).map((text) => text.replaceAll("\n", " "));

describe("lines", () => {
  it("are read as they were written, however little is read and written at once", async () => {
    const file = join(folder, "lines");
    const parts = { part: fc.integer({ min: 1, max: 30 }), chunk: fc.integer({ min: 1, max: 30 }) };
    await fc.assert(
      fc.asyncProperty(fc.array(line), line, fc.record(parts), async (lines, rest, { part, chunk }) => {
        const texts = [...chunks(lines, chunk)];
        await writeFile(file, [...texts, rest]);
        const read: [string, number][] = [];
        const said = eachLine(file, (text, number) => void read.push([text, number]), part);
        expect(read).toEqual(lines.map((text, index) => [text, index + 1]));
        expect(said).toEqual({ whole: Buffer.byteLength(texts.join("")), isCut: rest !== "" });
        // none holds more than a chunk but for the line that fills it
        for (const text of texts) expect(text.lastIndexOf("\n", text.length - 2)).toBeLessThan(chunk);
      }),
      { numRuns: 60 },
    );
  });

  it("are put together as far as a group has room, and none is lost", () => {
    fc.assert(
      fc.property(fc.array(line), fc.nat(40), (texts, longest) => {
        const groups = grouped(texts, longest);
        expect(groups.flat()).toEqual(texts);
        const lengths = groups.map((group) => group.join("").length);
        for (const [index, group] of groups.entries()) {
          expect(group.length === 1 || (lengths[index] ?? 0) <= longest).toBe(true);
          expect(index > 0 ? (lengths[index - 1] ?? 0) + (group[0]?.length ?? 0) : longest + 1).toBeGreaterThan(
            longest,
          );
        }
      }),
    );
  });
});
