import type { Writable } from "node:stream";
import type { Logger } from "../base/log.ts";
import type { LogFormat, LogLevel } from "./logger.ts";

/** The process as verbs see it; src/main.ts alone reads it from Node.js. */
export interface ProcessContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** for results that other programs read */
  readonly stdout: Writable;
  /** for logs and messages */
  readonly stderr: Writable;
  /** aborts on the first SIGINT or SIGTERM; the same signal a second time ends the process at once */
  readonly signal: AbortSignal;
}

/** What a verb gets. */
export interface CliContext extends ProcessContext {
  /** A logger to stderr. */
  readonly logger: (level: LogLevel, format?: LogFormat) => Logger;
  /** Sets the exit code of a verb that ended without an error of its own. */
  readonly exit: (code: ExitCode) => void;
}

/** Exit codes of the program. */
export const EXIT = { ok: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
