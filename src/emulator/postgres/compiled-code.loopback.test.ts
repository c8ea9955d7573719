import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const OPENER = new URL("../../../test/support/emulator/database-opener.fixture.ts", import.meta.url).pathname;

it("no compiled code of PostgreSQL is given back, at which V8 ends the process now and then", async () => {
  const folder = await mkdtemp(join(tmpdir(), "baas-compiled-"));
  try {
    const { stdout } = await promisify(execFile)(process.execPath, ["--trace-wasm-code-gc", OPENER, folder]);
    // What comes before is of the compiler that Node.js reads these sources with.
    const [, lines = ""] = stdout.split(/^begins\n/m);
    expect(lines).toBe('[["1000000"]]\n');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
