import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../test/support/programs/run.ts";

/** What a program does whose output goes where it cannot be written: an empty or a cut file must not look like success. */

const rootFile = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const programs = [
  { name: "baas", args: [rootFile("src/main.ts"), "openapi"] },
  { name: "baas", args: [rootFile("src/main.ts"), "openapi", "-o", "yaml"] },
  { name: "baas", args: [rootFile("src/main.ts"), "--help"] },
  { name: "baas", args: [rootFile("src/main.ts"), "emulator", "--port", "0", "--token", "t", "--log-level", "silent"] },
  { name: "bench", args: [rootFile("bench/main.ts"), "--help"] },
  { name: "demo", args: [rootFile("demo/main.ts"), "--help"] },
  { name: "mutations", args: [rootFile("test/mutations/main.ts"), "--list"] },
  { name: "tools", args: [rootFile("tools/main.ts")] },
];

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "lost-output-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The program with its output sent to a file, which a shell can do, also to less than there is. */
function into(file: string, args: readonly string[], limits = "true") {
  return run("sh", ["-c", `${limits}; exec "$0" "$@" > ${file}`, process.execPath, ...args]);
}

describe.each(programs)("$name, run as $args", ({ name, args }) => {
  it("ends with 1 and one line where the disk is full", async () => {
    const { code, stderr } = await into("/dev/full", args);
    expect([code, stderr]).toEqual([
      1,
      `${name}: cannot write to standard output: ENOSPC: no space left on device, write\n`,
    ]);
  });
});

it("what is longer than a file may be is told, not cut", async () => {
  const file = join(folder, "cut.json");
  // in blocks of 512 or 1024 bytes: the document has some hundreds of them
  const { code, stderr } = await into(file, [rootFile("src/main.ts"), "openapi"], "ulimit -f 8");
  expect([code, stderr]).toEqual([1, "baas: cannot write to standard output: EFBIG: file too large, write\n"]);
});

it("what fits is there to its end", async () => {
  const file = join(folder, "whole.json");
  const { code, stderr } = await into(file, [rootFile("src/main.ts"), "openapi"]);
  expect([code, stderr]).toEqual([0, ""]);
  expect(JSON.parse(await readFile(file, "utf8"))).toHaveProperty("openapi");
});
