import type { FastifyReply } from "fastify";
import { type LimitClass, type Operation, STANDARD_LIMIT } from "../../api/contract/operation.ts";
import { ApiFailure } from "../failure.ts";
import type { World } from "../state/world.ts";
import type { Limiter, Verdict } from "./limits.ts";
import type { LogEntry } from "./request-log.ts";
import { setExactly } from "./wire.ts";

/** Which limits a request counts against, and how its answer tells of them (behaviour.md, Limits). */

export interface AdmissionParts {
  readonly world: World;
  readonly limiter: Limiter;
}

interface Arrival {
  readonly reply: FastifyReply;
  readonly entry: LogEntry;
}

/** As the documents write them (behaviour.md, Limits). */
export type LimitHeaders = Readonly<Record<string, string>>;

/** Counts the arrival and sets the limit headers. @throws ApiFailure 429 */
export function admit(
  parts: AdmissionParts,
  { reply, entry }: Arrival,
  { operation, scope }: { readonly operation?: Operation; readonly scope?: string | undefined },
): void {
  entry.scope = scope ?? null;
  const { headers, refusal } = admitted(parts, `${entry.identity} ${scope ?? ""}`, operation);
  setExactly(reply, headers);
  if (refusal !== undefined) throw refusal;
}

/**
 * Counts an arrival.
 * @param subject identity and scope in one string
 */
export function admitted(
  { world, limiter }: AdmissionParts,
  subject: string,
  operation: Operation | undefined,
): { readonly headers: LimitHeaders; readonly refusal: ApiFailure | undefined } {
  const verdict = limiter.admit(subject, limitsOf(world, operation), Math.floor(world.clock.monotonic()));
  const headers = limitHeaders(verdict);
  if (verdict.admitted) return { headers, refusal: undefined };
  const { retryAfter } = world.settings;
  // alternately: a client that relies on the header works every other time only, which tests notice
  const says = retryAfter === "always" || (retryAfter === "alternate" && limiter.refusals % 2 === 1);
  return {
    headers: says ? { ...headers, "Retry-After": String(verdict.resetSeconds) } : headers,
    refusal: new ApiFailure(429, "ThrottlerException: Too Many Requests"),
  };
}

/** So many that nobody reaches it: with limits off the headers still say a number. */
const UNLIMITED = 1_000_000_000;

function limitsOf(world: World, operation: Operation | undefined): readonly LimitClass[] {
  const { requestsPerMinute } = world.settings;
  const off = requestsPerMinute === 0;
  const requests = off ? UNLIMITED : requestsPerMinute;
  const standard = { name: STANDARD_LIMIT.name, windows: [{ requests, windowMs: 60_000 }] };
  return off || operation?.limitClass === undefined ? [standard] : [standard, operation.limitClass];
}

function limitHeaders(verdict: Verdict): LimitHeaders {
  return {
    "X-RateLimit-Limit": String(verdict.limit),
    "X-RateLimit-Remaining": String(verdict.remaining),
    "X-RateLimit-Reset": String(verdict.resetSeconds),
  };
}
