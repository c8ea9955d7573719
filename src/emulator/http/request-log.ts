/** The requests that arrived, for tests and for whoever wonders what a client does: never a token, never a secret value. */

export interface LogEntry {
  /** rises by one with every request */
  readonly sequence: number;
  /** wall time of the emulator, milliseconds since the epoch */
  readonly atMs: number;
  /** operation id; null for an unknown route */
  readonly operation: string | null;
  readonly method: string;
  /** without the query */
  readonly path: string;
  readonly query: unknown;
  /** the body as redact() leaves it; undefined while it is not read or where there is none */
  body?: unknown;
  /** whose budget the request spent: an app, a user or an address (identityOf in access.ts) */
  readonly identity: string;
  /** project ref or organization slug; null where the identity alone is the scope */
  scope: string | null;
  /** null while in flight, and for ever where no status was sent */
  status: number | null;
  /** kind of the fault that was applied */
  fault: string | null;
}

/** So many are always kept; older ones are dropped in lots, since each drop moves all that stay. */
export const KEPT = 20_000;
const LOT = 2000;

export interface RequestLog {
  readonly entries: readonly LogEntry[];
  open(entry: Omit<LogEntry, "sequence">): LogEntry;
  /** What becomes of it is known, before anybody is told. */
  close(entry: LogEntry): void;
  clear(): void;
}

/** Where entries outlive the process. */
export interface KeptRequests {
  /** what earlier processes kept, the newest of it, in order */
  readonly found: readonly LogEntry[];
  /** Never throws. */
  add(entry: LogEntry): void;
  clear(): void;
}

/** @param kept default: nowhere */
export function createRequestLog(kept?: KeptRequests): RequestLog {
  const entries: LogEntry[] = [...(kept?.found ?? [])];
  let sequence = entries.at(-1)?.sequence ?? 0;
  return {
    entries,
    open(fields) {
      sequence += 1;
      const entry: LogEntry = { ...fields, sequence };
      entries.push(entry);
      if (entries.length >= KEPT + LOT) entries.splice(0, LOT);
      return entry;
    },
    close: (entry) => kept?.add(entry),
    clear: () => {
      entries.splice(0);
      kept?.clear();
    },
  };
}
