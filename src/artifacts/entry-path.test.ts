import { describe, expect, it } from "vitest";
import { entryPath } from "./entry-path.ts";

const LONGEST = 32;

describe("the path of an entry", () => {
  it.each([
    ["index.ts", "index.ts", "a file"],
    ["./index.ts", "index.ts", "as `tar -c .` writes it"],
    ["lib/db.ts", "lib/db.ts", "in a folder"],
    ["lib/", "lib", "a folder"],
    ["./lib/", "lib", "a folder, as `tar -c .` writes it"],
    [".", "", "the archive itself"],
    ["./", "", "the archive itself"],
    [".github/x.yml", ".github/x.yml", "hidden, which is no way out"],
    ["..config/x", "..config/x", "a name that only begins with dots"],
    ["a b/ü.ts", "a b/ü.ts", "whatever else people write"],
  ])("%j is %j: %s", (raw, path) => {
    expect(entryPath(raw, LONGEST)).toBe(path);
  });

  it.each([
    ["/etc/passwd", "absolute"],
    ["//etc", "absolute"],
    ["..", "out of the archive"],
    ["../x", "out of the archive"],
    ["lib/../../x", "out on its way"],
    ["lib/..", "out on its way"],
    ["././x", "two names of one file"],
    ["lib/./x", "two names of one file"],
    ["lib//x", "two names of one file"],
    [".//etc/passwd", "absolute behind a dot"],
    ["lib\\x", "another separator"],
    ["C:\\x", "another system's"],
    ["a\nb", "a control character"],
    ["a\u0000b", "a control character"],
    ["x".repeat(LONGEST + 1), "too long"],
  ])("%j is refused: %s", (raw) => {
    expect(() => entryPath(raw, LONGEST)).toThrow(expect.objectContaining({ code: "Refused" }));
  });
});
