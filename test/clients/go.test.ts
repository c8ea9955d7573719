import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { run, succeeded } from "../support/programs/run.ts";
import { claimRows } from "./claims.ts";
import { aStage, observations } from "./stage.ts";

const source = fileURLToPath(new URL("programs/client.go", import.meta.url));

/** Go is there: README.md asks for it. The standard library alone, so nothing is fetched. */
describe("Go's net/http", () => {
  let seen: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), "baas-go-"));
    try {
      const program = join(folder, "client");
      const env = { GOWORK: "off", GOTOOLCHAIN: "local", GOFLAGS: "-buildvcs=false", CGO_ENABLED: "0" };
      succeeded(await run("go", ["build", "-o", program, source], { cwd: folder, env, timeoutMs: 240_000 }));
      await using stage = await aStage();
      seen = await observations(program, [], stage);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }, 300_000);

  it.each(claimRows)("$claim", ({ claim, expected }) => {
    expect(seen[claim]).toBe(expected);
  });
});
