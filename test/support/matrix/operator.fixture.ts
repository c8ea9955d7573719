import { Command } from "commander";
import { z } from "zod";
import { systemClock } from "../../../src/base/clock.ts";
import { keepAlive } from "../../../src/base/keep-alive.ts";
import { createLogger } from "../../../src/cli/logger.ts";
import { operate } from "../../../src/cli/operator.ts";
import { addRunOptions, addScopeOptions, runFlags } from "../../../src/cli/operator-flags.ts";
import { DrivenClock } from "../../../src/emulator/driven-clock.ts";

/**
 * The operator as `baas run` starts it, but for its clock, which runs with the machine's and is pushed ahead by the parent process, and for its
 * workers: a request that is held holds its worker, too, and is of one object of many families.
 * Arguments: how far ahead the clock is at the start, milliseconds, then those of `baas run`. Messages: `{"advanceMs": n}`, each answered once it was
 * followed.
 */

const messageSchema = z.object({ advanceMs: z.number() });

const [aheadMs, ...flags] = process.argv.slice(2);
const command = addRunOptions(addScopeOptions(new Command(), undefined)).parse(flags, { from: "user" });

const WORKERS = 1024;

const clock = new DrivenClock(systemClock);
clock.setAhead(Number(aheadMs));
process.on("message", (message) => {
  clock.advance(messageSchema.parse(message).advanceMs);
  setImmediate(() => {
    if (process.connected) process.send?.("advanced");
  });
});
// A parent that is gone takes its child along.
const orphaned = (): never => process.exit(1);
process.on("disconnect", orphaned);

const stop = new AbortController();
process.once("SIGTERM", () => stop.abort(new Error("SIGTERM")));
using _alive = keepAlive();
process.exitCode = await operate({
  flags: { ...runFlags.parse(command.opts()), workers: WORKERS },
  proxy: {},
  log: createLogger("info", process.stderr),
  signal: stop.signal,
  clock,
});
process.off("disconnect", orphaned);
process.disconnect();
