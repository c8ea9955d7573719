import { describe, expect, it } from "vitest";
import { complete, nearestConfig, sourceOf, type FunctionSpec } from "./complete-source.ts";
import type { SourceFile } from "./source-hash.ts";

const spec = { entrypoint: "index.ts" } as FunctionSpec;
const origin = { source: undefined, artifact: undefined };

function files(...paths: readonly string[]): readonly SourceFile[] {
  return paths.map((path) => ({ path, content: path }));
}

describe("the import map of a source", () => {
  it.each([
    ["none", {}, ["index.ts"], undefined],
    ["deno.json beside the entrypoint", {}, ["index.ts", "deno.json"], "deno.json"],
    ["deno.jsonc beside the entrypoint", {}, ["index.ts", "deno.jsonc"], "deno.jsonc"],
    ["deno.json before deno.jsonc", {}, ["index.ts", "deno.jsonc", "deno.json"], "deno.json"],
    ["none of another folder", {}, ["index.ts", "lib/deno.json"], undefined],
    ["the nearest above", { entrypoint: "a/b/c.ts" }, ["a/b/c.ts", "a/deno.json", "deno.json"], "a/deno.json"],
    ["the one that is named", { importMap: "lib/map.json" }, ["index.ts", "deno.json", "lib/map.json"], "lib/map.json"],
    ["that of the spec", { inlineImportMap: {} }, ["index.ts", "deno.json"], "import_map.json"],
  ] as const)("is %s", (_what, more, paths, importMap) => {
    expect(complete(files(...paths), { ...spec, ...more }, "the source").importMap).toBe(importMap);
  });

  it("stands beside the files where the spec has it, as one text whatever order its members have", () => {
    const one = { imports: { b: "./b.ts", a: "./a.ts" }, scopes: { "./x/": { d: "d", c: "c" } } };
    const other = { scopes: { "./x/": { c: "c", d: "d" } }, imports: { a: "./a.ts", b: "./b.ts" } };
    const made = [one, other].map((inlineImportMap) =>
      complete(files("index.ts"), { ...spec, inlineImportMap }, "the source"),
    );
    const text = made[0]?.files.find(({ path }) => path === "import_map.json")?.content;
    expect(JSON.parse(String(text))).toEqual(one);
    expect(made[0]).toEqual(made[1]);
  });

  it("is part of what is compared", () => {
    const hashOf = (more: object): string => {
      const given = { ...spec, ...more } as FunctionSpec;
      return sourceOf(complete(files("index.ts", "map.json"), given, "the source"), given, origin).hash;
    };
    const hashes = [
      hashOf({}),
      hashOf({ importMap: "map.json" }),
      hashOf({ inlineImportMap: {} }),
      hashOf({ inlineImportMap: { imports: { a: "./a.ts" } } }),
      hashOf({ staticPatterns: ["*.html"] }),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe("a source is refused", () => {
  it.each([
    [{ entrypoint: "main.ts" }, "spec.entrypoint: the ConfigMap x gives no file main.ts"],
    [{ importMap: "map.json" }, "spec.importMap: the ConfigMap x gives no file map.json"],
    [{ inlineImportMap: {} }, "spec.inlineImportMap: the ConfigMap x gives a file import_map.json already"],
  ])("%j: %s", (more, message) => {
    const given = { ...spec, ...more } as FunctionSpec;
    expect(() => complete(files("index.ts", "import_map.json"), given, "the ConfigMap x")).toThrow(
      expect.objectContaining({ code: "TERMINAL", reason: "InvalidSpec", message: expect.stringContaining(message) }),
    );
  });
});

it("a configuration is looked for from the entrypoint upwards, and no further than the source", () => {
  expect(nearestConfig(new Set(["a/b/deno.jsonc", "deno.json"]), "a/b/c/index.ts")).toBe("a/b/deno.jsonc");
  expect(nearestConfig(new Set(["x/deno.json"]), "a/b/c/index.ts")).toBeUndefined();
});
