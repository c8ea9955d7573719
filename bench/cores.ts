import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Which core does what, so that who is measured and who asks do not take it from one another. Linux with `taskset` only. */

export interface Cores {
  /** runs the program that is measured */
  readonly measured: number;
  /** runs whoever asks it */
  readonly asking: number;
}

/** Two cores that this process may use, itself now on the second one; undefined where processes cannot be pinned. */
export function takeCores(): Cores | undefined {
  const allowed = allowedCores();
  const [measured, asking] = allowed;
  if (measured === undefined || asking === undefined) return undefined;
  const pinned = spawnSync("taskset", ["--all-tasks", "--pid", "--cpu-list", String(asking), String(process.pid)]);
  return pinned.status === 0 ? { measured, asking } : undefined;
}

/** A command line that runs on one core. */
export function pinned(core: number | undefined, command: string, args: readonly string[]): [string, string[]] {
  return core === undefined ? [command, [...args]] : ["taskset", ["--cpu-list", String(core), command, ...args]];
}

function allowedCores(): readonly number[] {
  if (process.platform !== "linux") return [];
  const list = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync("/proc/self/status", "utf8"))?.[1] ?? "";
  return list.split(",").flatMap((part) => {
    const [from = Number.NaN, to = from] = part.split("-").map(Number);
    return Number.isNaN(from) ? [] : Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}
