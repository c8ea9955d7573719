#!/usr/bin/env node
import { runProgram } from "./cli/program.ts";

/** Entry of the one program, and the only reader of its arguments, environment and signals. */

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));

/** The rooms' timers keep no process alive (src/base/clock.ts): a verb that only waits, as for a lease, would end before its time. */
const alive = setInterval(() => undefined, 2 ** 30);

process.exitCode = await runProgram(process.argv.slice(2), {
  env: process.env,
  stdout: process.stdout,
  stderr: process.stderr,
  signal: stop.signal,
});
clearInterval(alive);
