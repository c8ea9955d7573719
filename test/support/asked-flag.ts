import type { Writable } from "node:stream";
import { parseArgs } from "node:util";

interface Program {
  /** begins the line that says what is wrong */
  readonly name: string;
  readonly usage: string;
  /** where the usage goes when it is asked for */
  readonly stdout: Writable;
}

/**
 * Whether a program for work by hand was started with the one flag that it has. Undefined: it is not to run, as `--help` was asked for, or what is wrong is
 * told, and the exit code is 2.
 *
 * @param flag its name, without dashes
 */
export function askedFlag(flag: string, { name, usage, stdout }: Program): boolean | undefined {
  try {
    const { values } = parseArgs({ options: { [flag]: { type: "boolean" }, help: { type: "boolean" } } });
    if (values["help"] !== true) return values[flag] === true;
    stdout.write(usage);
  } catch (error) {
    process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exitCode = 2;
  }
  return undefined;
}
