import type { LogFields, Logger } from "../../../src/base/log.ts";

export interface LogLine {
  readonly level: "trace" | "debug" | "info" | "warn" | "error";
  readonly fields: LogFields;
  readonly message: string;
}

/** A logger whose lines tests read back; children write to the same list, with their fields. */
export function logLines(): { readonly log: Logger; readonly lines: readonly LogLine[] } {
  const lines: LogLine[] = [];
  const loggerWith = (own: LogFields): Logger => {
    const write =
      (level: LogLine["level"]) =>
      (fields: LogFields, message: string): void =>
        void lines.push({ level, fields: { ...own, ...fields }, message });
    return {
      trace: write("trace"),
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: (fields) => loggerWith({ ...own, ...fields }),
    };
  };
  return { log: loggerWith({}), lines };
}
