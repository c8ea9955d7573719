import type { Dispatcher } from "undici";
import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Meter } from "../base/meter.ts";
import type { ProxySettings } from "../base/proxy.ts";
import type { Random } from "../base/random.ts";
import type { Tracer } from "../base/tracer.ts";
import type { RetrySafety } from "./contract/operation.ts";
import type { Credentials } from "./credentials/credentials.ts";
import type { ApiLane } from "./lanes.ts";
import type { Pacer } from "./pacing/pacer.ts";

/** How one call is made. All of it optional. */
export interface CallOptions {
  /** Ends the call at once; the error is ABORTED, or DEADLINE when the reason is a DeadlineError. */
  readonly signal?: AbortSignal;
  /** Default `change`. */
  readonly lane?: ApiLane;
  /** Longest time of the call with all its waits and repetitions, milliseconds. */
  readonly deadlineMs?: number;
  /** Longest wait for budget before the first sending, milliseconds; beyond it the error is BUDGET with `retryAfterMs`. */
  readonly maxWaitMs?: number;
  /**
   * Awaited once, when the call has leave to be sent and before it is: for who records that it is coming. Where it rejects nothing is sent, and the
   * call rejects with the same.
   */
  readonly beforeSending?: () => Promise<void>;
  /**
   * What may be done after an answer that does not tell whether the request took effect. Default: what the operation declares
   * (`client.facts(id).retry`). For a caller who knows more of this one call, as of a SELECT through `database.query`.
   */
  readonly retry?: RetrySafety;
}

/** Operations on `/v1/branches/{id}` count against the parent project, which the path does not tell (facts.md, "Scope of a request"). */
export interface BranchCallOptions extends CallOptions {
  /** ref of the project that the branch belongs to */
  readonly parentRef: string;
}

/** Bounds of a client; each has a default. */
export interface ClientLimits {
  /** longest time of a call, milliseconds: 30 s */
  readonly deadlineMs?: number;
  /** the same for uploads: 120 s */
  readonly uploadDeadlineMs?: number;
  /** longest time of one sending that may be repeated, milliseconds: 12 s, more than the health check's own longest of 10 s */
  readonly attemptMs?: number;
  /** longest wait for budget, milliseconds: as long as the call may take */
  readonly maxWaitMs?: number;
  /** largest answer that is read: 16 MiB */
  readonly maxResponseBytes?: number;
  /** most connections to the server: 32 */
  readonly connections?: number;
}

/** The defaults of ClientLimits. */
export const DEFAULT_LIMITS = {
  deadlineMs: 30_000,
  uploadDeadlineMs: 120_000,
  attemptMs: 12_000,
  maxWaitMs: Infinity,
  maxResponseBytes: 16 * 1024 * 1024,
  connections: 32,
} as const satisfies Required<ClientLimits>;

/** What a client may be told beside where the platform is and with what credential. */
export interface ClientSettings {
  /** Default: one of its own. One per process is right where several clients may be of one user, since they share budgets. */
  readonly pacer?: Pacer;
  /** default: the machine's */
  readonly clock?: Clock;
  /** default: the machine's */
  readonly random?: Random;
  /** default: silent */
  readonly log?: Logger;
  /** default: nothing is measured */
  readonly meter?: Meter;
  /** default: nothing is recorded. Each call is a child of the work within which it is made */
  readonly tracer?: Tracer;
  readonly limits?: ClientLimits;
  /** asked right before a request is sent; default: always */
  readonly mayStart?: () => boolean;
  /** PEM certificates that are trusted beside the usual ones */
  readonly ca?: string;
  /** default: none. The environment is not read. */
  readonly proxy?: ProxySettings;
  /** Connections that the caller keeps and closes; `ca`, `proxy` and `limits.connections` are then not used. */
  readonly dispatcher?: Dispatcher;
  /** default `baas-operator` */
  readonly userAgent?: string;
}

/** With what a client is let in: exactly one of the two. */
type Access =
  | { /** a personal access token */ readonly token: string; readonly credentials?: never }
  | { /** where tokens come from */ readonly credentials: Credentials; readonly token?: never };

/** What a client is made of: `createClient({ baseUrl, token })` is enough. */
export type ClientOptions = ClientSettings &
  Access & {
    /** https, or http on loopback (base-url.ts) */
    readonly baseUrl: string;
  };
