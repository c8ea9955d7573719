import type { Clock } from "../base/clock.ts";
import type { Logger } from "../base/log.ts";
import type { Random } from "../base/random.ts";
import type { Tracer } from "../base/tracer.ts";
import type { CallMetrics } from "./call-metrics.ts";
import type { Operation, RetrySafety } from "./contract/operation.ts";
import type { Credentials } from "./credentials/credentials.ts";
import type { ApiLane } from "./lanes.ts";
import type { Pacer } from "./pacing/pacer.ts";
import type { PreparedRequest } from "./request.ts";
import type { ServerClock } from "../base/server-clock.ts";
import type { Transport } from "./transport.ts";

/** What a call is made of: what all calls of a client share, and what is decided of each before it begins (call.ts makes it). */

/** What every call of a client shares. */
export interface CallEnvironment {
  readonly transport: Transport;
  readonly credentials: Credentials;
  readonly pacer: Pacer;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: CallMetrics;
  readonly tracer: Tracer;
  readonly serverClock: ServerClock;
  /** The name under which a token is paced. */
  identityOf(token: string, signal: AbortSignal): Promise<string>;
  /** Whether the platform accepts the token for something else: asked after a 401 to a write. */
  accepts(token: string, signal: AbortSignal): Promise<boolean>;
  /** Asked right before sending (engine.md §8: no request starts later than the renew deadline after the last renewal). */
  readonly mayStart: () => boolean;
}

/** One call, input checked, times decided. */
export interface CallPlan {
  readonly operation: Operation;
  readonly request: PreparedRequest;
  readonly lane: ApiLane;
  /** what may be done after an answer that does not tell whether the request took effect */
  readonly retry: RetrySafety;
  /** ends the call; its own deadline is added to it */
  readonly signal: AbortSignal;
  /** longest time of the call with all its waits and repetitions, milliseconds */
  readonly deadlineMs: number;
  /** longest time of one sending, milliseconds; a call that may not be repeated gets all the time there is */
  readonly attemptMs: number;
  /** longest wait for budget before the first sending, milliseconds */
  readonly maxWaitMs: number;
  /** as of CallOptions */
  readonly beforeSending?: (() => Promise<void>) | undefined;
  /**
   * Not with the client's credential, but with this token or none, paced under this name, and no second thoughts about a 401: a look-up of
   * whose token it is, or an operation that takes no token.
   */
  readonly as?: Sender;
}

/** Whose name a request is sent in. */
export interface Sender {
  /** absent: none is sent */
  readonly token?: string;
  /** under whose name the request is paced */
  readonly identity: string;
}
