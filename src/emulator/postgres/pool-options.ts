import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log.ts";
import type { Recoverable } from "./past.ts";

/** What a pool of databases is given: how many, where, and whom they belong to. */

export interface PoolLimits {
  /** how many databases are open at the same time; the others are parked in their folders */
  readonly open: number;
  /** how long a job may take, milliseconds */
  readonly timeoutMs: number;
}

export interface PoolOptions {
  /** in which the databases are kept; absent: a temporary folder */
  readonly folder?: string;
  /** asked anew for each job */
  readonly limits: () => PoolLimits;
  /** on which jobs are measured: real time, whatever the emulated time does meanwhile */
  readonly clock: Clock;
  readonly log: Logger;
  /**
   * Whether a database has somebody who may ask it; default: always. Asked when the turn of a job comes, and before a database gives way to another:
   * what waited or worked until its project went down does nothing, and makes no database anew for nobody.
   */
  readonly isWanted?: (ref: string) => boolean;
  /**
   * Why a database does not run now; default: it does. Asked when the turn of SQL comes, and when there is room for its database to be open: it
   * may have waited for either until its project was paused;
   * what has a turn for more than SQL, or copies a database, asks for itself, in words of its own.
   */
  readonly refusal?: (ref: string) => Error | undefined;
  /** To which times a database can be restored; undefined, as is the default: to none, and nothing is kept for it. Asked anew for each job. */
  readonly recoverable?: (ref: string) => Recoverable | undefined;
  /** Resolves when everything that changed so far is saved, the removal of projects too; rejects when it cannot be. Default: at once. */
  readonly saved?: () => Promise<void>;
}
