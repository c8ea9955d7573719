import { Command } from "commander";
import { addRunOptions, addScopeOptions, type RunFlags, runFlags } from "../../../src/cli/operator-flags.ts";

/**
 * What `baas run` makes of its flags: for operators that run in the process of a test.
 *
 * @param given flags by name, without dashes; `true` for one that takes no value
 */
export function runFlagsOf(given: Readonly<Record<string, string | true>>): RunFlags {
  const args = Object.entries(given).flatMap(([name, value]) => [`--${name}`, ...(value === true ? [] : [value])]);
  const command = addRunOptions(addScopeOptions(new Command(), undefined)).parse(args, { from: "user" });
  return runFlags.parse(command.opts());
}
