#!/usr/bin/env node
import { enableCompileCache } from "node:module";

/** Entry of the one program, and the only reader of its arguments, environment and signals. */

// What was compiled for one start is taken from the temporary folder by the next one: half of the time until the emulator listens.
// Where nothing can be written, it is compiled anew; nothing else differs. Hence the import that waits.
enableCompileCache();
const { keepAlive } = await import("./base/keep-alive.ts");
const { runProgram } = await import("./cli/program.ts");

// A reader that has enough, as `| head`, is no failure of the program.
process.stdout.on("error", () => undefined);

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));

// The rooms' timers keep no process alive (src/base/clock.ts): a verb that only waits, as for a lease, would end before its time.
using _alive = keepAlive();

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
});
