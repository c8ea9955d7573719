import { z } from "zod";

/** The requests that arrived, for tests and for whoever wonders what a client does: never a token, never a secret value. */

/** What is known of a request, beside its number and its time. */
export const requestFields = {
  /** operation id; null for an unknown route */
  operation: z.string().nullable(),
  method: z.string(),
  /** without the query */
  path: z.string(),
  query: z.unknown(),
  /** the body as redact() leaves it; undefined while it is not read or where there is none */
  body: z.unknown().optional(),
  /** whose budget the request spent: an app, a user or an address (identityOf in access.ts) */
  identity: z.string(),
  /** project ref or organization slug; null where the identity alone is the scope */
  scope: z.string().nullable(),
  /** null while in flight, and for ever where no status was sent */
  status: z.number().nullable(),
  /** kind of the fault that was applied */
  fault: z.string().nullable(),
  /** whether the SQL of the body came to the database, which may have refused it */
  ranSql: z.boolean().optional(),
};

export const logEntrySchema = z.object({
  /** rises by one with every request */
  sequence: z.number(),
  /** wall time of the emulator, milliseconds since the epoch */
  atMs: z.number(),
  ...requestFields,
});

type SavedEntry = z.output<typeof logEntrySchema>;
/** What is found out after a request has arrived. */
type Later = "body" | "scope" | "status" | "fault" | "ranSql";
export type LogEntry = Readonly<Omit<SavedEntry, Later>> & Pick<SavedEntry, Later>;

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
  /** Hands over what earlier processes kept, the newest of it, in order; once, for what the log drops of it is to live nowhere else. */
  takeFound(): readonly LogEntry[];
  /** Never throws. */
  add(entry: LogEntry): void;
  clear(): void;
}

/** @param kept default: nowhere */
export function createRequestLog(kept?: KeptRequests): RequestLog {
  const entries: LogEntry[] = [...(kept?.takeFound() ?? [])];
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
