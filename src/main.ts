#!/usr/bin/env node
import nodeModule from "node:module";

/**
 * Entry of the one program, and the only reader of its arguments, environment and signals. An older Node.js must be able to read this file
 * to the end: whatever needs a newer one, a name that `node:module` did not always have included, waits behind the question for its version, and
 * `using` is none of its words.
 */

/** As `engines` of package.json has it. */
const OLDEST_NODE = 24;

async function runHere(): Promise<void> {
  // What was compiled for one start is taken from the temporary folder by the next one: half of the time until the emulator listens.
  // Where nothing can be written, it is compiled anew; nothing else differs. Hence the imports that wait.
  nodeModule.enableCompileCache();
  const { tellCrash } = await import("./cli/crash.ts");
  // Rejections that nobody handles come here too. The process is in a state that nobody foresaw: nothing more is done.
  process.on("uncaughtException", (error) => {
    tellCrash(error, process.stderr.fd);
    process.exit(1);
  });
  const { keepAlive } = await import("./base/keep-alive.ts");
  const { standardOutput } = await import("./cli/standard-output.ts");
  const { runProgram } = await import("./cli/program.ts");

  const stop = new AbortController();
  // What serves ends where its URL reached nobody, unless who read it merely reads no more.
  const stdout = standardOutput(process, "baas");
  stdout.on("error", ({ code }: NodeJS.ErrnoException) => {
    if (code !== "EPIPE") stop.abort();
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));

  // The rooms' timers keep no process alive (src/base/clock.ts): a verb that only waits, as for a lease, would end before its time.
  const alive = keepAlive();
  try {
    const code = await runProgram(process.argv.slice(2), {
      env: process.env,
      stdout,
      stderr: process.stderr,
      signal: stop.signal,
    });
    process.exitCode ??= code;
  } finally {
    alive[Symbol.dispose]();
  }
}

if (Number.parseInt(process.versions.node, 10) >= OLDEST_NODE) {
  await runHere();
} else {
  process.stderr.write(`baas: Node.js ${OLDEST_NODE} or newer is needed, this is ${process.versions.node}\n`);
  process.exitCode = 2;
}
