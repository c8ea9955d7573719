import type { FastifyReply } from "fastify";
import { type LimitClass, type Operation, STANDARD_LIMIT } from "../../api/contract/operation.ts";
import { ApiFailure } from "../failure.ts";
import type { World } from "../state/world.ts";
import type { Limiter, Verdict } from "./limits.ts";
import type { LogEntry } from "./request-log.ts";

/** Which limits a request counts against, and how its answer tells of them (behaviour.md, Limits). */

export interface AdmissionParts {
  readonly world: World;
  readonly limiter: Limiter;
}

interface Arrival {
  readonly reply: FastifyReply;
  readonly entry: LogEntry;
}

/** Counts the arrival and sets the limit headers. @throws ApiFailure 429 */
export function admit(
  { world, limiter }: AdmissionParts,
  { reply, entry }: Arrival,
  { operation, scope }: { readonly operation?: Operation; readonly scope?: string | undefined },
): void {
  entry.scope = scope ?? null;
  const classes = limitsOf(world, operation);
  const subject = `${entry.identity} ${scope ?? ""}`;
  const verdict = limiter.admit(subject, classes, Math.floor(world.clock.monotonic()));
  setLimitHeaders(reply, verdict);
  if (verdict.admitted) return;
  const { retryAfter } = world.settings;
  // alternately: a client that relies on the header works every other time only, which tests notice
  if (retryAfter === "always" || (retryAfter === "alternate" && limiter.refusals % 2 === 1)) {
    void reply.header("retry-after", String(verdict.resetSeconds));
  }
  throw new ApiFailure(429, "ThrottlerException: Too Many Requests");
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

function setLimitHeaders(reply: FastifyReply, verdict: Verdict): void {
  void reply.headers({
    "x-ratelimit-limit": String(verdict.limit),
    "x-ratelimit-remaining": String(verdict.remaining),
    "x-ratelimit-reset": String(verdict.resetSeconds),
  });
}
