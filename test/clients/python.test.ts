import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { claimRows } from "./claims.ts";
import { aStage, observations } from "./stage.ts";

const source = fileURLToPath(new URL("programs/client.py", import.meta.url));

/** README.md does not ask for Python: where there is none (3.9 or newer), these tests are skipped, and the report says so. */
const isThere = spawnSync("python3", ["-c", "import sys; sys.exit(sys.version_info < (3, 9))"]).status === 0;

describe.runIf(isThere)("Python's urllib", () => {
  let seen: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    await using stage = await aStage();
    seen = await observations("python3", ["-I", source], stage);
  });

  it.each(claimRows)("$claim", ({ claim, expected }) => {
    expect(seen[claim]).toBe(expected);
  });
});
