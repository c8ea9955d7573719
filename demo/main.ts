import { parseArgs } from "node:util";
import { runDemo } from "./demo.ts";
import { createScreen } from "./screen.ts";

/**
 * demo: `npm run demo`: a real control plane, the emulator and the operator on this machine, with examples/quickstart applied. Holds no part of the
 * product; it only starts what tests start too.
 */

const { values } = parseArgs({
  options: { once: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
});

if (values.help) {
  process.stdout.write(
    "npm run demo              start everything, show it converge, and stay until Ctrl-C\n" +
      "npm run demo -- --once    the same, then delete everything and end; what happens without a terminal\n",
  );
} else {
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => stop.abort(new Error(signal)));
  const once = values.once || !process.stdout.isTTY;
  const code = await runDemo({ screen: createScreen(process.stdout), once, signal: stop.signal });
  // What was being started when it was stopped would go on: the watchdogs of what was started end it once this process is gone.
  if (stop.signal.aborted) process.exit(code);
  process.exitCode = code;
}
