import type { Writable } from "node:stream";
import pino from "pino";
import type { Logger } from "../base/log.ts";

/** Log levels of the program, most talkative first. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** Field names whose values are never written; the second line of defence, after not logging them at all. */
const SENSITIVE = [
  "token",
  "authorization",
  "Authorization",
  "password",
  "db_pass",
  "secret",
  "secrets",
  "value",
  "values",
  "stringData",
  "jwt_secret",
  "api_key",
  "client_secret",
  "refresh_token",
  "access_token",
] as const;

/** Fields may lie in objects within fields; deeper than this nothing is logged. */
const DEPTHS = ["", "*.", "*.*.", "*.*.*."] as const;

/** Credentials within texts, such as the message of an error that quotes a header. */
const BEARER = /\b(Bearer|Basic)\s+[\w.~+/=-]+/gi;

/**
 * A logger that writes JSON lines.
 * @param destination where lines go, as a rule stderr: stdout is for results
 */
export function createLogger(level: LogLevel, destination: Writable): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: DEPTHS.flatMap((depth) => SENSITIVE.map((name) => `${depth}${name}`)), censor: "[redacted]" },
      serializers: { error: describeError, err: describeError },
    },
    scrubbing(destination),
  );
}

/** Lines with the credentials in their texts blotted out. */
function scrubbing(destination: Writable): pino.DestinationStream {
  return { write: (line) => void destination.write(line.replaceAll(BEARER, "$1 [redacted]")) };
}

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string;
  readonly cause?: unknown;
}

/** An error as fields: name, message, code, stack and causes; none of its other properties, which may hold anything. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const fields: ErrorFields = {
    type: error.name,
    message: error.message,
    ...("code" in error ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined ? {} : { cause: describeError(error.cause) }),
  };
  return fields;
}
