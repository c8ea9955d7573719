import { z } from "zod";
import { issueWords, pathWords } from "../base/schema-words.ts";
import type { BranchCallOptions } from "./client-options.ts";
import type { Operation, RetrySafety } from "./contract/operation.ts";
import { ApiError } from "./errors.ts";
import { LANES } from "./lanes.ts";

/** Whether the options of a call are what their types say, which JavaScript does not ask: a lane that is none would wait for ever. */

const RETRIES = ["read", "idempotent", "once"] as const satisfies readonly RetrySafety[];

const milliseconds = z.custom<number>(
  (value) => typeof value === "number" && !Number.isNaN(value),
  "expected a number",
);

const optionsSchema = z.strictObject({
  signal: z.custom<AbortSignal>(isSignal, "expected an AbortSignal").optional(),
  lane: z.enum(LANES).optional(),
  deadlineMs: milliseconds.optional(),
  maxWaitMs: milliseconds.optional(),
  beforeSending: z
    .custom<() => Promise<void>>((value) => typeof value === "function", "expected a function")
    .optional(),
  retry: z.enum(RETRIES).optional(),
  parentRef: z.string().optional(),
} satisfies Record<keyof BranchCallOptions, z.ZodType>);

function isSignal(value: unknown): boolean {
  return typeof value === "object" && value !== null && "aborted" in value && "addEventListener" in value;
}

/** @throws ApiError INVALID_REQUEST naming the operation and the option, never a value */
export function checkOptions(operation: Operation, options: unknown): void {
  const issue = optionsSchema.safeParse(options, { error: issueWords }).error?.issues[0];
  if (issue === undefined) return;
  const at = pathWords(["options", ...issue.path]);
  throw new ApiError(
    operation.id,
    { code: "INVALID_REQUEST" },
    { message: `${operation.id}: ${at}: ${issue.message}` },
  );
}
