import { standardOutput } from "../src/cli/standard-output.ts";
import { askedFlag } from "../test/support/asked-flag.ts";
import { runDemo } from "./demo.ts";
import { createScreen } from "./screen.ts";

/**
 * demo: `npm run demo`: a real control plane, the emulator and the operator on this machine, with examples/quickstart applied. Holds no part of the
 * product; it only starts what tests start too.
 */

const USAGE =
  "npm run demo              start everything, show it converge, and stay until Ctrl-C\n" +
  "npm run demo -- --once    the same, then delete everything and end; what happens without a terminal\n";

async function show(isOnce: boolean): Promise<void> {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));
  // Whoever read the output reads no more, as `head` does: what was started is still to be deleted.
  stdout.on("error", () => stop.abort(new Error("nobody reads the output")));
  const once = isOnce || !process.stdout.isTTY;
  const screen = createScreen(stdout, { isTerminal: process.stdout.isTTY });
  const code = await runDemo({ screen, once, signal: stop.signal });
  // What was being started when it was stopped would go on: the watchdogs of what was started end it once this process is gone.
  if (stop.signal.aborted) process.exit(process.exitCode ?? code);
  process.exitCode ??= code;
}

const stdout = standardOutput(process, "demo");
const flag = askedFlag("once", { name: "demo", usage: USAGE, stdout });
if (flag !== undefined) await show(flag);
