/** Fields of a log line. Never secret values: redaction is a second line of defence, not the first. */
export type LogFields = Readonly<Record<string, unknown>>;

/** What rooms need of a logger; pino has this shape. Fields first, then a constant message. */
export interface Logger {
  trace(fields: LogFields, message: string): void;
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: LogFields): Logger;
}

const ignore = (): void => undefined;

/** Says nothing. */
export const silentLogger: Logger = {
  trace: ignore,
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
  child: () => silentLogger,
};
