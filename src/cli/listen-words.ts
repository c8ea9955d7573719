import { UsageError } from "./flags.ts";

/** Where something was to listen, and the flags that say so; one flag may say both. */
interface ListenFlags {
  readonly host: string;
  readonly port: number;
  readonly hostFlag: string;
  readonly portFlag: string;
}

/** Told to the user: of wrong use where the flag can never be, of a failure where it can be another time. Other errors stay what they are. */
export function listenError(error: unknown, flags: ListenFlags): unknown {
  const told = listenWords(error, flags);
  if (told === undefined) return error;
  return told.wrong ? new UsageError(told.words, { cause: error }) : new Error(told.words, { cause: error });
}

interface ListenWords {
  readonly words: string;
  readonly wrong: boolean;
}

function listenWords(error: unknown, { host, port, hostFlag, portFlag }: ListenFlags): ListenWords | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") return undefined;
  switch (error.code) {
    case "EADDRINUSE":
      return {
        wrong: false,
        words: `--${portFlag}: ${port} is in use at ${host}: choose another one, or 0 for any free one`,
      };
    case "EACCES":
      return {
        wrong: true,
        words: `--${portFlag}: ${port} is not for this user: choose one from 1024 on, or 0 for any free one`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        wrong: true,
        words: `--${hostFlag}: ${host} cannot be found: expected a name or an address of this machine`,
      };
    case "EADDRNOTAVAIL":
      return { wrong: true, words: `--${hostFlag}: ${host} is no address of this machine` };
    default:
      return {
        wrong: false,
        words: `--${portFlag}: nothing can listen at ${host}, port ${port} (${String(error.code)})`,
      };
  }
}
