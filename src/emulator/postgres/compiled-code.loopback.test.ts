import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it } from "vitest";
import { bundle } from "../../../test/support/programs/bundle.ts";

const TOKEN = "test-token";
const REF = "a".repeat(20);
/** What V8 tells of its collection of compiled WebAssembly. */
const TOLD = "--trace-wasm-code-gc";

/** Asks an emulator of what is shipped for the SQL, and ends it. From the sources, Node.js' own compiler for them is WebAssembly too. @returns what it printed */
async function printed(folder: string, query: string): Promise<readonly string[]> {
  const seed = join(folder, "seed.json");
  await writeFile(seed, JSON.stringify({ projects: [{ name: "shop", ref: REF }] }));
  using program = await bundle();
  const flags = ["--port", "0", "--token", TOKEN, "--log-level", "error", "--seed", seed];
  const child = spawn(process.execPath, [TOLD, program.file, "emulator", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  try {
    const lines: string[] = [];
    for await (const line of createInterface(child.stdout)) {
      lines.push(line);
      if (lines.length > 1) continue;
      const answer = await fetch(`${line}/v1/projects/${REF}/database/query`, {
        method: "POST",
        headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" },
        body: JSON.stringify({ query }),
      });
      lines.push(await answer.text());
      child.kill("SIGTERM");
    }
    return lines;
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

it("no compiled code of PostgreSQL is given back, at which V8 ends the process now and then", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baas-compiled-"));
  try {
    // long enough for its code to be replaced by faster code
    const [url, ...more] = await printed(folder, "select count(*) as rows from generate_series(1, 1000000)");
    expect(url).toMatch(/^http:/u);
    expect(more).toEqual(['[{"rows":1000000}]']);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
