import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";

const folder = mkdtempSync(join(tmpdir(), "baas-crash-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WRITER = new URL("../../../test/support/emulator/database-writer.fixture.ts", import.meta.url).pathname;

/** Kills a process that writes, in the middle of it. @returns how many rows it had heard to be written */
async function writeAndKill(from: number, rows: number): Promise<number> {
  const child = spawn(process.execPath, [WRITER, folder, String(from)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  let acknowledged = from;
  for await (const line of createInterface(child.stdout)) {
    if (line !== `[["${acknowledged}"]]`) throw new Error(`unexpected: ${line}`);
    acknowledged += 1;
    if (acknowledged === from + rows) child.kill("SIGKILL");
  }
  await exited;
  return acknowledged;
}

describe("a process that is killed while it writes", () => {
  it("has lost no row of whose writing it had heard, however often it happens", { timeout: 180_000 }, async () => {
    let acknowledged = 0;
    for (const rows of [7, 100, 200]) {
      acknowledged = await writeAndKill(acknowledged, rows);
      const pool = testPool({}, folder);
      const seen = await rowsOf(pool, "a", "select count(*), coalesce(max(x), -1) from t");
      const [[count, last] = []] = typeof seen === "string" ? [] : seen;
      expect(Number(last), "one more may have been written, whose answer was lost").toBeGreaterThanOrEqual(
        acknowledged - 1,
      );
      expect(Number(count), "none before it is missing").toBe(Number(last) + 1);
      await pool.stop();
      acknowledged = Number(count);
    }
  });
});
