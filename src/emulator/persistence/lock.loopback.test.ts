import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "baas-lock-"));
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Takes each folder that it is told, and says whether it has it. */
const CONTENDER = `
import { createInterface } from "node:readline";
const { lockFolder } = await import(${JSON.stringify(new URL("./lock.ts", import.meta.url).href)});
console.log("ready");
for await (const folder of createInterface({ input: process.stdin })) {
  console.log(await lockFolder(folder).then(() => "held", (error) => error.code));
}`;

interface Contender extends Disposable {
  readonly next: () => Promise<unknown>;
  readonly take: (folder: string) => void;
}

function contender(): Contender {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", CONTENDER], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    next: async () => (await lines.next()).value,
    take: (folder) => void child.stdin.write(`${folder}\n`),
    [Symbol.dispose]: () => void child.kill("SIGKILL"),
  };
}

/** No process has a number above 2^22 (proc(5), pid_max). */
const GONE = "4999999\n";
const ROUNDS = 60;

describe("of processes that start at once on one folder", () => {
  it.each([
    { found: "nothing", files: {} },
    { found: "the file of a process that is gone", files: { lock: GONE } },
    { found: "a file without a number", files: { lock: "" } },
    {
      found: "the files of one that ended while it took the folder over",
      files: { lock: GONE, "lock.takeover": GONE },
    },
  ])("one has it, where they find $found", async ({ files }) => {
    using stack = new DisposableStack();
    const contenders = [1, 2, 3, 4].map(() => stack.use(contender()));
    for (const one of contenders) expect(await one.next()).toBe("ready");
    // between a crash in those lines and two more starts nothing is promised: one start alone has to get on
    const starting = "lock.takeover" in files ? contenders.slice(0, 1) : contenders;
    for (let round = 0; round < ROUNDS; round += 1) {
      const folder = join(root, String(round));
      await mkdir(folder);
      for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
      for (const one of starting) one.take(folder);
      const said = await Promise.all(starting.map((one) => one.next()));
      expect(said.filter((word) => word === "held")).toHaveLength(1);
      expect(said.filter((word) => word === "STATE")).toHaveLength(starting.length - 1);
      expect(await readdir(folder)).toEqual(["lock"]);
    }
  });
});
