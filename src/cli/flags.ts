import { Option } from "commander";
import { z } from "zod";
import { LOG_LEVELS } from "./logger.ts";

/** Flags that several verbs share, and how the values of flags are checked. */

/** Wrong use of the program, told to the user without a stack trace: exit code 2. */
export class UsageError extends Error {
  readonly code = "USAGE";

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** Collects a flag that may be given several times. */
export function repeated(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

export function logLevelOption(): Option {
  return new Option("--log-level <level>", "least severe lines to log, to stderr").choices(LOG_LEVELS).default("info");
}

export const logLevelFlag = z.enum(LOG_LEVELS);

interface NumberLimits {
  readonly min: number;
  readonly max: number;
  readonly whole: boolean;
}

/** A number as it stands on the command line, where helm writes small ones as 1e-05. @param expected what to write, told whatever is wrong with it */
export function numberFlag(expected: string, { min, max, whole }: NumberLimits): z.ZodType<number, string> {
  return z.string().transform((text, context) => {
    const value = /^\d+(\.\d+)?(e[-+]?\d+)?$/u.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max && (!whole || Number.isInteger(value))) return value;
    context.addIssue(`expected ${expected}`);
    return z.NEVER;
  });
}

/** A file that a flag names. */
export const fileFlag = z.string().min(1, "expected the name of a file");

/** Values of flags, by the schema of their verb. @throws UsageError that names the first wrong flag */
export function parseFlags<S extends z.ZodType>(schema: S, values: unknown): z.output<S> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = String(issue?.path[0] ?? "").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag}: ${issue?.message ?? "not understood"}`);
}
