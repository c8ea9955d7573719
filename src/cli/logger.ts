import type { Writable } from "node:stream";
import pino from "pino";
import { z } from "zod";
import type { Logger } from "../base/log.ts";

/** Log levels of the program, most talkative first. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** JSON lines for machines, or one readable line each for people. */
export type LogFormat = "json" | "pretty";

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
export function createLogger(level: LogLevel, destination: Writable, format: LogFormat = "json"): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: DEPTHS.flatMap((depth) => SENSITIVE.map((name) => `${depth}${name}`)), censor: "[redacted]" },
      serializers: { error: (error) => describeError(error), err: (error) => describeError(error) },
    },
    scrubbing(format === "json" ? destination : readable(destination)),
  );
}

const lineSchema = z.looseObject({ time: z.string(), level: z.string(), msg: z.string().optional() });

/** JSON lines made readable: time, level, message, then the fields. */
function readable(destination: Writable): pino.DestinationStream {
  return {
    write: (line) => {
      const { time, level, msg = "", ...fields } = lineSchema.parse(JSON.parse(line));
      const rest = Object.entries(fields).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
      destination.write(`${[time, level.toUpperCase().padEnd(5), msg, ...rest].join(" ")}\n`);
    },
  };
}

/** Lines with the credentials in their texts blotted out. */
function scrubbing(destination: pino.DestinationStream): pino.DestinationStream {
  return { write: (line) => destination.write(line.replaceAll(BEARER, "$1 [redacted]")) };
}

interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: unknown;
  readonly stack?: string;
  readonly cause?: unknown;
}

/** Longest chain of causes that is shown: a chain may be circular. */
const LONGEST_CHAIN = 8;

/** An error as fields: name, message, code, stack and causes; none of its other properties, which may hold anything. */
function describeError(error: unknown, causes = LONGEST_CHAIN): unknown {
  if (!(error instanceof Error)) return error;
  const fields: ErrorFields = {
    type: error.name,
    message: error.message,
    ...("code" in error ? { code: error.code } : {}),
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(error.cause === undefined || causes === 0 ? {} : { cause: describeError(error.cause, causes - 1) }),
  };
  return fields;
}
