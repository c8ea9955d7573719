import { describe, expect, it } from "vitest";
import { filesOfConfigMap } from "./source.ts";

const data = { "index.ts": "text", "deno.json": "{}" };
const binaryData = { "logo.png": Buffer.from([0, 255]) };
const configMap = { data, binaryData };

describe("filesOfConfigMap", () => {
  it("takes every key, text and binary, where none are listed", () => {
    expect(filesOfConfigMap(configMap, { name: "files" })).toEqual([
      { path: "index.ts", content: "text" },
      { path: "deno.json", content: "{}" },
      { path: "logo.png", content: Buffer.from([0, 255]) },
    ]);
  });

  it("takes the listed keys alone, under their paths", () => {
    const keys = [{ key: "logo.png", path: "static/logo.png" }, { key: "index.ts" }];
    expect(filesOfConfigMap(configMap, { name: "files", keys })).toEqual([
      { path: "static/logo.png", content: Buffer.from([0, 255]) },
      { path: "index.ts", content: "text" },
    ]);
  });

  it("takes one key for two files", () => {
    const keys = [{ key: "index.ts" }, { key: "index.ts", path: "copy.ts" }];
    expect(filesOfConfigMap(configMap, { name: "files", keys }).map(({ path }) => path)).toEqual([
      "index.ts",
      "copy.ts",
    ]);
  });

  it.each([
    {
      why: "a listed key that is not there may come yet",
      keys: [{ key: "index.ts" }, { key: "gone.ts" }],
      failure: { code: "WAITING", reason: "ReferenceNotFound", message: "the ConfigMap files has no key gone.ts" },
    },
    {
      why: "two keys for one path are for the user to tell apart",
      keys: [{ key: "index.ts" }, { key: "deno.json", path: "index.ts" }],
      failure: { code: "TERMINAL", reason: "InvalidSpec", message: expect.stringContaining("the path index.ts") },
    },
  ])("$why", ({ keys, failure }) => {
    expect(() => filesOfConfigMap(configMap, { name: "files", keys })).toThrow(expect.objectContaining(failure));
  });
});
