/** Where something was to listen, and the flags that say so; one flag may say both. */
interface ListenFlags {
  readonly host: string;
  readonly port: number;
  readonly hostFlag: string;
  readonly portFlag: string;
}

/** Why nothing can listen there, by the flag that changes it; undefined for an error of something else. */
export function listenWords(error: unknown, { host, port, hostFlag, portFlag }: ListenFlags): string | undefined {
  if (!(error instanceof Error) || !("syscall" in error) || !("code" in error)) return undefined;
  if (error.syscall !== "listen" && error.syscall !== "getaddrinfo") return undefined;
  switch (error.code) {
    case "EADDRINUSE":
      return `--${portFlag}: ${port} is in use at ${host}: choose another one, or 0 for any free one`;
    case "EACCES":
      return `--${portFlag}: ${port} is not for this user: choose one from 1024 on, or 0 for any free one`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `--${hostFlag}: ${host} cannot be found: expected a name or an address of this machine`;
    case "EADDRNOTAVAIL":
      return `--${hostFlag}: ${host} is no address of this machine`;
    default:
      return `--${portFlag}: nothing can listen at ${host}, port ${port} (${String(error.code)})`;
  }
}
