import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { claimRows } from "./claims.ts";
import { areThere, PYTHON } from "./needs.ts";
import { aStage, observations } from "./stage.ts";

const source = fileURLToPath(new URL("programs/client.py", import.meta.url));

describe.runIf(areThere([PYTHON]))("Python's urllib", () => {
  let seen: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    await using stage = await aStage();
    seen = await observations("python3", ["-I", source], stage);
  });

  it.each(claimRows)("$claim", ({ claim, expected }) => {
    expect(seen[claim]).toBe(expected);
  });
});
