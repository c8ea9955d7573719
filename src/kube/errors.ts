import { z } from "zod";
import type { Effect } from "../base/effect.ts";

/**
 * What went wrong between us and the apiserver, told by code, never by text:
 *
 * - `Conflict`: 409 without reason AlreadyExists: an older resourceVersion, another field manager, or a failed `test` of a JSON patch.
 * - `AlreadyExists`: 409 with that reason: a create whose name is taken.
 * - `NotFound`: 404: no such object, or no such kind (then `details.name` is absent).
 * - `Forbidden`, `Unauthorized`: 403 and 401.
 * - `Invalid`: 400, 413 and 422: the object or the request is refused as it is; `causes` names the fields.
 * - `Gone`: 410: the resourceVersion or continue token is too old; list again.
 * - `TooManyRequests`: 429: nothing happened; `retryAfterMs` says when to come back.
 * - `ServerError`: any 5xx.
 * - `Unavailable`: no answer at all: refused, reset, unresolvable, TLS failed.
 * - `Timeout`: no answer within the request's own deadline, or a watch that went silent.
 * - `UnexpectedResponse`: an answer that is not what the API promises: not JSON, too large, another shape, a redirect.
 * - `NotLeader`: a write that was not sent since this process may not write (any more), or what a run read that it may not read any more.
 */
export type KubeErrorCode =
  | "Conflict"
  | "AlreadyExists"
  | "NotFound"
  | "Forbidden"
  | "Unauthorized"
  | "Invalid"
  | "Gone"
  | "TooManyRequests"
  | "ServerError"
  | "Unavailable"
  | "Timeout"
  | "UnexpectedResponse"
  | "NotLeader";

/** A field that the apiserver refused, with its words. */
export interface StatusCause {
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  readonly field?: string | undefined;
}

interface KubeErrorOptions extends ErrorOptions {
  /** HTTP status, 0 when there was no answer. */
  readonly status?: number;
  readonly effect: Effect;
  /** The reason of the apiserver's Status, such as `Expired` or `NamespaceTerminating`. */
  readonly reason?: string | undefined;
  readonly causes?: readonly StatusCause[] | undefined;
  /** How long the server asked to wait, milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Longest message that is kept: a refused CRD can make the apiserver write pages. */
const LONGEST_MESSAGE = 1024;

/** A request to the apiserver that failed. The message is the apiserver's own where it sent one. */
export class KubeError extends Error {
  readonly code: KubeErrorCode;
  readonly status: number;
  readonly effect: Effect;
  readonly reason: string | undefined;
  readonly causes: readonly StatusCause[];
  readonly retryAfterMs: number | undefined;

  constructor(code: KubeErrorCode, message: string, options: KubeErrorOptions) {
    super(
      message.slice(0, LONGEST_MESSAGE).toWellFormed(),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = "KubeError";
    this.code = code;
    this.status = options.status ?? 0;
    this.effect = options.effect;
    this.reason = options.reason;
    this.causes = options.causes ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True for a KubeError, with `code` only for one of that code. */
export function isKubeError(error: unknown, code?: KubeErrorCode): error is KubeError {
  return error instanceof KubeError && (code === undefined || error.code === code);
}

/** metav1.Status as far as it is read; the apiserver sends it for every failure, proxies on the way send anything. */
const statusSchema = z.object({
  kind: z.literal("Status"),
  message: z.string().optional(),
  reason: z.string().optional(),
  code: z.number().int().optional(),
  details: z
    .object({
      uid: z.string().optional(),
      retryAfterSeconds: z.number().nonnegative().optional(),
      causes: z
        .array(
          z.object({ reason: z.string().optional(), message: z.string().optional(), field: z.string().optional() }),
        )
        .optional(),
    })
    .optional(),
});
export type Status = Readonly<z.infer<typeof statusSchema>>;

/** A metav1.Status, or undefined when `body` is anything else. */
export function parseStatus(body: unknown): Status | undefined {
  const parsed = statusSchema.safeParse(body);
  return parsed.success ? parsed.data : undefined;
}

/** What the failure was an answer to. */
export interface FailedExchange {
  readonly method: string;
  readonly path: string;
  /** The Retry-After header as a wait in milliseconds, where there was one. */
  readonly retryAfterMs?: number | undefined;
}

/**
 * The error for an answer that is not 2xx, or for an ERROR event of a watch.
 *
 * @param status HTTP status, or the code of the event's Status
 * @param body parsed body, a metav1.Status unless something between us and the apiserver answered
 */
export function errorFromStatus(status: number, body: unknown, exchange: FailedExchange): KubeError {
  const parsed = parseStatus(body);
  const code = codeOf(status, parsed?.reason);
  const seconds = parsed?.details?.retryAfterSeconds;
  return new KubeError(code, parsed?.message ?? `${exchange.method} ${exchange.path} was answered ${status}`, {
    status,
    effect: status >= 400 && status < 500 ? "none" : "unknown",
    reason: parsed?.reason,
    causes: parsed?.details?.causes,
    retryAfterMs: exchange.retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000),
  });
}

function codeOf(status: number, reason: string | undefined): KubeErrorCode {
  switch (status) {
    case 400:
    case 413:
    case 422:
      return "Invalid";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 409:
      return reason === "AlreadyExists" ? "AlreadyExists" : "Conflict";
    case 410:
      return "Gone";
    case 429:
      return "TooManyRequests";
    default:
      return status >= 500 ? "ServerError" : "UnexpectedResponse";
  }
}
