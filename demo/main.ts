import { parseArgs } from "node:util";
import { standardOutput } from "../src/cli/standard-output.ts";
import { runDemo } from "./demo.ts";
import { createScreen } from "./screen.ts";

/**
 * demo: `npm run demo`: a real control plane, the emulator and the operator on this machine, with examples/quickstart applied. Holds no part of the
 * product; it only starts what tests start too.
 */

const USAGE =
  "npm run demo              start everything, show it converge, and stay until Ctrl-C\n" +
  "npm run demo -- --once    the same, then delete everything and end; what happens without a terminal\n";

/** What is asked for; a text: what is wrong with it. */
function asked(): { readonly once: boolean; readonly help: boolean } | string {
  try {
    return parseArgs({
      options: { once: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
    }).values;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

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
const options = asked();
if (typeof options === "string") {
  process.stderr.write(`demo: ${options}\n${USAGE}`);
  process.exitCode = 2;
} else if (options.help) stdout.write(USAGE);
else await show(options.once);
