import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { RunResult } from "../../test/support/programs/run.ts";
import { run } from "../../test/support/programs/run.ts";
import { operations } from "../api/contract/contract.ts";
import { openApiDocument } from "../api/openapi/document.ts";
import { programVersion } from "../api/openapi/version.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));

function openapi(...args: readonly string[]): Promise<RunResult> {
  return run(process.execPath, [MAIN, "openapi", ...args]);
}

const document = (serverUrl: string): unknown => openApiDocument(operations, { version: programVersion(), serverUrl });

describe("baas openapi", () => {
  it("prints the document as JSON", async () => {
    const { code, stdout, stderr } = await openapi();
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual(document("/"));
  });

  it.each([["-o", "yaml"], ["--output=yaml"]])("prints it as YAML: %s %s", async (...flags) => {
    const { stdout } = await openapi(...flags, "--server", "https://api.example.com/");
    expect(parse(stdout)).toEqual(document("https://api.example.com"));
    expect(stdout).toMatch(/^openapi: 3\.1\.\d+\n/);
  });

  it.each([
    { args: ["-o", "xml"], says: "Allowed choices are json, yaml" },
    { args: ["--server", "ftp://x"], says: "--server: expected a base URL" },
    { args: ["--server", "nowhere"], says: "--server: expected a base URL" },
    { args: ["--server", "https://api.example.com/v1"], says: "--server: the base URL must not end in the version" },
    { args: ["--server", "https://api.example.com/V2/"], says: "--server: the base URL must not end in the version" },
  ])("ends with 2 for $args", async ({ args, says }) => {
    const { code, stdout, stderr } = await openapi(...args);
    expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
  });

  it("says nothing when its reader has enough", async () => {
    const child = spawn(process.execPath, [MAIN, "openapi"], { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, "close")]);
    expect([said, code]).toEqual(["", 0]);
  });
});
