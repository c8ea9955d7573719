/**
 * A small process of its own that outlives the one that started it, by just long enough to clean up. It reads what to clean up, a JSON
 * line each, from its standard input; when that closes, however the other end died, it kills the processes and removes the folders
 * that it was told of and not told to forget. It knows nothing of what they are.
 */
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createInterface } from "node:readline";
import { z } from "zod";

const lineSchema = z.union([
  z.object({ watch: z.number() }),
  z.object({ forget: z.number() }),
  z.object({ remove: z.string() }),
  z.object({ run: z.array(z.string()).min(1) }),
  z.object({ release: z.literal(true) }),
]);

/** What the watchdog is told; `run` is a command for the end, `release` says that everything was cleaned up already. */
export type WatchdogLine = z.infer<typeof lineSchema>;

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It ended by itself.
  }
}

function serve(): void {
  const pids = new Set<number>();
  const folders = new Set<string>();
  const commands: string[][] = [];
  // A Ctrl-C meant for the parent must not end the one who cleans up after it.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
  const input = createInterface({ input: process.stdin });
  input.on("line", (text) => {
    const line = lineSchema.parse(JSON.parse(text));
    if ("watch" in line) pids.add(line.watch);
    else if ("forget" in line) pids.delete(line.forget);
    else if ("remove" in line) folders.add(line.remove);
    else if ("run" in line) commands.push(line.run);
    else {
      pids.clear();
      folders.clear();
      commands.length = 0;
    }
  });
  input.on("close", () => {
    for (const pid of pids) kill(pid);
    for (const [command = "", ...args] of commands) spawnSync(command, args, { stdio: "ignore" });
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  });
}

if (import.meta.main) serve();
