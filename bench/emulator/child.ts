import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pinned } from "../cores.ts";

/** A Node.js program in a process of its own, read line by line. Ends with `await using`. */
export interface Child extends AsyncDisposable {
  /** The next line that it prints. Rejects when it ends instead. */
  readonly line: () => Promise<string>;
  /** Processor time that it has taken so far, seconds; undefined where nobody says. */
  readonly cpuSeconds: () => number | undefined;
}

/** @param args after `node`: flags, then the file relative to the repository @param core runs on this one alone */
export function startChild(args: readonly string[], core?: number): Child {
  const [command, list] = pinned(core, process.execPath, args);
  const child = spawn(command, list, {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    line: async () => {
      const { value, done } = await lines.next();
      if (done === true || typeof value !== "string") throw new Error(`${args.join(" ")} ended before it was done`);
      return value;
    },
    cpuSeconds: () => (child.pid === undefined ? undefined : cpuSecondsOf(child.pid)),
    [Symbol.asyncDispose]: () => ended(child),
  };
}

/** Of user and kernel, as Linux counts it: in hundredths. */
function cpuSecondsOf(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  // the name of the program, in parentheses, may hold blanks
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function ended(child: ChildProcess & { readonly stdout: Readable }): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
