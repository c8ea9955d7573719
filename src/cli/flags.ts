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

/** A number as it stands on the command line. */
export function numberFlag(schema: z.ZodNumber): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d+(\.\d+)?$/, "expected a number")
    .transform(Number)
    .pipe(schema);
}

/** Values of flags, by the schema of their verb. @throws UsageError that names the first wrong flag */
export function parseFlags<S extends z.ZodType>(schema: S, values: unknown): z.output<S> {
  const parsed = schema.safeParse(values);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const flag = String(issue?.path[0] ?? "").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(`--${flag}: ${issue?.message ?? "not understood"}`);
}
