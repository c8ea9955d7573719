import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pinned } from "./cores.ts";

/** A Node.js program in a process of its own, read line by line. Ends with `await using`. */
export interface Child extends AsyncDisposable {
  /** The next line that it prints. Rejects when it ends instead. */
  readonly line: () => Promise<string>;
  /** Processor time that it has taken so far, seconds; undefined where nobody says. */
  readonly cpuSeconds: () => number | undefined;
  /** Memory that it has now and the most that it ever had, bytes; undefined where nobody says. */
  readonly memory: () => Memory | undefined;
}

export interface Memory {
  readonly rssBytes: number;
  readonly peakBytes: number;
}

interface ChildOptions {
  /** runs on this one alone */
  readonly core?: number | undefined;
  /** what it prints and logs is thrown away */
  readonly unread?: boolean;
}

/** @param args after `node`: flags, then the file relative to the repository */
export function startChild(args: readonly string[], { core, unread = false }: ChildOptions = {}): Child {
  const [command, list] = pinned(core, process.execPath, args);
  const child = spawn(command, list, {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", "pipe", unread ? "ignore" : "inherit"],
  });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const { pid } = child;
  return {
    line: async () => {
      const { value, done } = await lines.next();
      if (done === true || typeof value !== "string") throw new Error(`${args.join(" ")} ended before it was done`);
      return value;
    },
    cpuSeconds: () => (pid === undefined ? undefined : cpuSecondsOf(pid)),
    memory: () => (pid === undefined ? undefined : memoryOf(pid)),
    [Symbol.asyncDispose]: () => ended(child),
  };
}

/** Processor time of a process, of user and kernel, as Linux counts it: in hundredths. Seconds; undefined elsewhere. */
export function cpuSecondsOf(pid: number): number | undefined {
  if (process.platform !== "linux") return undefined;
  // the name of the program, in parentheses, may hold blanks
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function memoryOf(pid: number): Memory | undefined {
  if (process.platform !== "linux") return undefined;
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const bytes = (name: string): number => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, "mu").exec(status)?.[1]) * 1024;
  return { rssBytes: bytes("VmRSS"), peakBytes: bytes("VmHWM") };
}

async function ended(child: ChildProcess & { readonly stdout: Readable }): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}
