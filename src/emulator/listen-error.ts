import { listenWords } from "../base/listen-words.ts";

/** An emulator cannot listen where it was to; the message names the option and what to do, `cause` is the system's error. */
export class ListenError extends Error {
  /** of the system, such as `EADDRINUSE` */
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super(message, { cause });
    this.name = "ListenError";
    this.code = code;
  }
}

/** @returns the error itself where it is of something else */
export function listenError(error: unknown, { host, port }: { readonly host: string; readonly port: number }): unknown {
  const told = listenWords(error, { host, port, hostName: "startEmulator: host", portName: "startEmulator: port" });
  if (told === undefined || !(error instanceof Error) || !("code" in error)) return error;
  return new ListenError(String(error.code), told.words, error);
}
