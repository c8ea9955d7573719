import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type BundleSettings, type SourceFile, sourceHash } from "./source-hash.ts";

const files: readonly SourceFile[] = [
  { path: "index.ts", content: "a" },
  { path: "lib/db.ts", content: "b" },
];
const settings: BundleSettings = { entrypoint: "index.ts" };
const base = sourceHash(files, settings);

describe("sourceHash", () => {
  it.each<{ why: string; files?: readonly SourceFile[]; settings?: BundleSettings }>([
    {
      why: "another content",
      files: [
        { path: "index.ts", content: "a2" },
        { path: "lib/db.ts", content: "b" },
      ],
    },
    {
      why: "another path",
      files: [
        { path: "index.ts", content: "a" },
        { path: "lib/db2.ts", content: "b" },
      ],
    },
    { why: "a file more", files: [...files, { path: "x", content: "" }] },
    {
      why: "contents swapped",
      files: [
        { path: "index.ts", content: "b" },
        { path: "lib/db.ts", content: "a" },
      ],
    },
    { why: "another entrypoint", settings: { entrypoint: "lib/db.ts" } },
    { why: "an import map", settings: { ...settings, importMap: "index.ts" } },
    { why: "static patterns", settings: { ...settings, staticPatterns: ["*.html"] } },
  ])("changes with $why", (given) => {
    expect(sourceHash(given.files ?? files, given.settings ?? settings)).not.toBe(base);
  });

  it("is the same for text and for the same bytes, for files and patterns in any order", () => {
    const bytes = files.map(({ path, content }) => ({ path, content: Buffer.from(content) }));
    expect(sourceHash(bytes.toReversed(), settings)).toBe(base);
    const patterns = ["a", "b"];
    const [one, other] = [patterns, patterns.toReversed()].map((staticPatterns) =>
      sourceHash(files, { ...settings, staticPatterns }),
    );
    expect(one).toBe(other);
  });

  it("is a lower-case hex SHA-256", () => {
    expect(base).toMatch(/^[0-9a-f]{64}$/u);
  });

  it("never gives one digest to two sources", () => {
    const anyFiles = fc.uniqueArray(fc.record({ path: fc.string(), content: fc.string() }), {
      selector: ({ path }) => path,
      maxLength: 4,
    });
    const canonical = (list: readonly SourceFile[]): string =>
      JSON.stringify(
        list.map(({ path, content }) => `${JSON.stringify(path)} ${Buffer.from(content).toString("hex")}`).toSorted(),
      );
    fc.assert(
      fc.property(anyFiles, anyFiles, (one, other) => {
        const same = canonical(one) === canonical(other);
        expect(sourceHash(one, settings) === sourceHash(other, settings)).toBe(same);
      }),
    );
  });
});
