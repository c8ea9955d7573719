import type { Superuser } from "./fresh.ts";

/**
 * src/emulator/postgres: the databases of the emulated projects, real PostgreSQLs in WebAssembly (PGlite), each in a worker thread of its own:
 * a query that never ends blocks nobody else. Here is how they are started, parked, copied and asked, and what is derived from their catalogs.
 * Never here: a route, a permission, a project's life, or a row of the emulator's own state.
 */

/** Who runs SQL of callers: the owner of the user's objects, or somebody who only reads. */
export type SqlRole = "postgres" | "platform_read_only_user";

/** A piece of SQL that one role runs. */
export interface SqlStep {
  /** Several statements where no parameters are given. */
  readonly sql: string;
  /** Values of $1, $2, … as PostgreSQL's text for them. */
  readonly parameters?: readonly (string | null)[];
  readonly role: SqlRole;
}

/** SQL of the platform's own, run as the superuser: nothing of it may be a caller's. */
export interface PlatformStep extends Omit<SqlStep, "role"> {
  readonly role: Superuser;
}

/** What is run as a whole, in a session that nothing before it has left a trace in. The first refusal ends it. */
export type SqlJob = CallersJob | PlatformJob;

/** With a step of the superuser, who finds no name but with its schema: users may put any name elsewhere. */
interface PlatformJob extends JobOptions {
  readonly steps: readonly (SqlStep | PlatformStep)[];
  readonly searchPath: "";
}

export interface CallersJob extends JobOptions {
  readonly steps: readonly SqlStep[];
  /** Default: `"$user", public, extensions`; the empty string: every name needs its schema. */
  readonly searchPath?: string;
}

interface JobOptions {
  /**
   * One transaction around all steps. Without it each statement commits as the protocol has it. With `read-only` the database itself
   * keeps statements from writing, from leaving the transaction and from becoming somebody else (read-only.ts).
   */
  readonly transaction?: "read-write" | "read-only";
  /** The project is in its read-only mode: default_transaction_read_only, which SQL may set aside for itself. */
  readonly defaultReadOnly?: boolean;
  /** Settings of the database that the project overrides, as far as a session can have them. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface SqlField {
  readonly name: string;
  /** OID of its type */
  readonly type: number;
}

/** The rows of one statement, as PostgreSQL's text for each value. */
export interface ResultSet {
  readonly fields: readonly SqlField[];
  readonly rows: readonly (readonly (string | null)[])[];
}

/** What the database says of a statement that it refuses. */
export interface SqlError {
  readonly severity: string;
  /** SQLSTATE */
  readonly code: string;
  readonly message: string;
  /** place in the statement, characters, from 1 */
  readonly position?: number;
  readonly detail?: string;
  readonly hint?: string;
  readonly internalQuery?: string;
  /** place in the internal query */
  readonly internalPosition?: number;
  readonly where?: string;
}

export type SqlOutcome =
  /** `results`: every result set of the last step, in the order of its statements */
  | { readonly kind: "done"; readonly results: readonly ResultSet[] }
  /** `step`: index of the step; its SQL is what `position` counts in */
  | { readonly kind: "refused"; readonly error: SqlError; readonly step: number };

/** Asks one database. @throws DatabaseUnavailableError */
export type RunJob = (job: SqlJob) => Promise<SqlOutcome>;

/** What one database does while nothing else comes between. */
export interface DatabaseTurn {
  /** Whether anything was ever asked of it; to tell, none is made. */
  readonly exists: () => Promise<boolean>;
  /** Opens it, and makes one where none is. Until then others may have the room, and anything may change; afterwards a job begins at once. */
  readonly open: () => Promise<void>;
  readonly run: RunJob;
  /**
   * Makes the database that of a fresh one with what `fill` does in it. The old one stays until then: nobody ever finds one that is half filled,
   * whatever ends the process. What `fill` returns is no verdict: where the new one is not to take the place of the old, it throws.
   * @throws DatabaseUnavailableError; what `fill` throws, and the old one stays
   */
  rebuild<T>(fill: (run: RunJob) => Promise<T>): Promise<T>;
  /**
   * Makes the database what it was at a time within those to which it can go back (PoolOptions), if it was another then. SQL was before the time
   * when it began before it. What ends that time meanwhile does not end this.
   * @param timeMs wall time, milliseconds, a whole second
   * @param check refuses by throwing what began to wait for room, and got some by now @throws DatabaseUnavailableError; the database is as it was then
   */
  restore(timeMs: number, check: () => void): Promise<void>;
}

/** A database that gave no answer in time, or ended while it was asked. What was not committed did not happen. */
export class DatabaseUnavailableError extends Error {
  readonly code = "DATABASE_UNAVAILABLE";
  readonly reason: keyof typeof REASONS;

  /** @param options.why where the database does not open: which, and why */
  constructor(reason: DatabaseUnavailableError["reason"], options?: ErrorOptions & { readonly why?: string }) {
    super(options?.why === undefined ? REASONS[reason] : `${REASONS[reason]}: ${options.why}`, options);
    this.name = "DatabaseUnavailableError";
    this.reason = reason;
  }
}

const REASONS = {
  timeout: "the database gave no answer in time",
  canceled: "a statement took longer than it may",
  ended: "the database ended while it was asked",
  dropped: "the database is gone",
  unopened: "the database does not open",
} as const;

/**
 * The databases of projects by ref. One that nobody asked anything does not exist yet and costs nothing; the first job makes it. Jobs of one
 * database run one after the other in the order in which they came; those of different ones do not wait for each other.
 */
export interface Databases {
  /**
   * @param job or what makes it when it can begin: what of it hangs on the project may have changed until then. It may be asked for more than once.
   * @throws DatabaseUnavailableError; why the project's database does not run, as who made these told (PoolOptions)
   */
  run(ref: string, job: SqlJob | (() => SqlJob)): Promise<SqlOutcome>;
  /**
   * Begins when everything wanted before has ended, and what is wanted afterwards waits for all of it. What may have changed until then, `work` asks
   * first: whether the project runs, too. It must not wait for anything else of the same database. @throws DatabaseUnavailableError
   */
  inTurn<T>(ref: string, work: (turn: DatabaseTurn) => Promise<T>): Promise<T>;
  /**
   * Makes the database of `to` a copy of that of `from` as it is now; what `to` had is gone.
   * @param options.data false: the tables are there without their rows; the history of migrations is copied in any case
   */
  clone(from: string, to: string, options: { readonly data: boolean }): Promise<void>;
  /**
   * Ends the database of a project that is gone; jobs under way fail. What is kept of it goes when the project's end is saved, and stays where
   * that fails: whatever ends the process, the next start finds the two together or neither.
   */
  drop(ref: string): void;
  /** Resolves when those that were dropped are gone whose refs somebody has again, who would be given them after a crash. Never rejects. */
  gaveWay(): Promise<void>;
  /** Removes what is kept of projects that are none of these: a crash came between their removal and that of their database. */
  retain(refs: ReadonlySet<string>): Promise<void>;
  /** Ends all databases. What was acknowledged is kept where a folder was given for it. */
  stop(): Promise<void>;
}
