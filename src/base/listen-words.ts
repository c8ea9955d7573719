/** Where something was to listen, and the flags or options that say so; one may say both. */
export interface ListenPlace {
  readonly host: string;
  readonly port: number;
  /** what whoever starts it calls them */
  readonly hostName: string;
  readonly portName: string;
}

interface ListenWords {
  readonly words: string;
  /** it can never be, where others may be another time */
  readonly wrong: boolean;
}

/** Why nothing can listen at a place, and what to do about it; undefined of errors about something else. */
export function listenWords(error: unknown, { host, port, hostName, portName }: ListenPlace): ListenWords | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") return undefined;
  switch (error.code) {
    case "EADDRINUSE":
      return {
        wrong: false,
        words: `${portName}: ${port} is in use at ${host}: choose another one, or 0 for any free one`,
      };
    case "EACCES":
      return {
        wrong: true,
        words: `${portName}: ${port} is not for this user: choose one from 1024 on, or 0 for any free one`,
      };
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return {
        wrong: true,
        words: `${hostName}: ${host} cannot be found: expected a name or an address of this machine`,
      };
    case "EADDRNOTAVAIL":
      return { wrong: true, words: `${hostName}: ${host} is no address of this machine` };
    default:
      return {
        wrong: false,
        words: `${portName}: nothing can listen at ${host}, port ${port} (${String(error.code)})`,
      };
  }
}
