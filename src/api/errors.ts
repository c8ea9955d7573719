import type { Effect } from "../base/effect.ts";

/**
 * Failures of calls to the Management API: one discriminated union, every code in one table. Nothing here retries, waits or words
 * conditions; callers switch over `code`, never over text.
 *
 * Messages carry the server's `message` or a sentence of ours, never request ids, headers, bodies or secrets (engine.md §7, style.md
 * "Errors"): text that changes by itself makes write loops and leaks.
 */

interface CodeFacts {
  /** HTTP statuses that the code stands for; empty when no status was received. */
  readonly statuses: readonly number[];
  /** `sent`: `unknown` once the request was on its way, `none` before. */
  readonly effect: Effect | "sent";
  /** Whether the same call may succeed later without anybody acting. */
  readonly retryable: boolean;
  /** What to tell a person. */
  readonly advice: string;
}

/** Every code. Statuses that no row names fall to `REFUSED` (4xx), `REDIRECTED` (3xx) and `SERVER_ERROR` (5xx). */
export const apiErrorCodes = {
  INVALID_REQUEST: {
    statuses: [],
    effect: "none",
    retryable: false,
    advice: "The input breaks the contract and was not sent; correct the field that the message names.",
  },
  NOT_STARTED: {
    statuses: [],
    effect: "none",
    retryable: true,
    advice: "This process may not start requests now: the client is closing, or what rules over it says no.",
  },
  CREDENTIAL: {
    statuses: [],
    effect: "none",
    retryable: true,
    advice: "The credential gives no access token that can be sent; the message says what is wrong with it.",
  },
  BUDGET: {
    statuses: [429],
    effect: "none",
    retryable: true,
    advice:
      "The request budget of this project or organization is spent; the same call may be made again when it is free.",
  },
  CONNECT_FAILED: {
    statuses: [],
    effect: "none",
    retryable: true,
    advice: "No connection to the platform: check the base URL, DNS, the proxy settings and the CA.",
  },
  CONNECTION_LOST: {
    statuses: [],
    effect: "unknown",
    retryable: true,
    advice: "The connection broke before the whole answer was there.",
  },
  DEADLINE: {
    statuses: [],
    effect: "sent",
    retryable: true,
    advice: "The platform did not answer in time.",
  },
  ABORTED: {
    statuses: [],
    effect: "sent",
    retryable: true,
    advice: "The call was cancelled by its caller.",
  },
  RESPONSE_TOO_LARGE: {
    statuses: [],
    effect: "unknown",
    retryable: false,
    advice: "The answer is larger than the client reads.",
  },
  UNEXPECTED_RESPONSE: {
    statuses: [],
    effect: "unknown",
    retryable: true,
    advice:
      "The answer is not what the contract says: check that the base URL is the platform's and no proxy answers for it.",
  },
  REDIRECTED: {
    statuses: [],
    effect: "unknown",
    retryable: false,
    advice: "The server redirects, which is refused: write the final address as the base URL.",
  },
  BAD_REQUEST: { statuses: [400], effect: "none", retryable: false, advice: "The platform refuses the values." },
  UNAUTHORIZED: {
    statuses: [401],
    effect: "none",
    retryable: false,
    advice: "The platform rejects the access token: replace it.",
  },
  PLAN_REQUIRED: {
    statuses: [402],
    effect: "none",
    retryable: false,
    advice: "The organization's plan or quota does not allow this.",
  },
  FORBIDDEN: {
    statuses: [403],
    effect: "none",
    retryable: false,
    advice: "The access token lacks a scope or permission for this.",
  },
  /** 406 too: facts.md §5, "config GETs of a deleted project: treat both as gone". */
  GONE: { statuses: [404, 406, 410], effect: "none", retryable: false, advice: "It does not exist (any more)." },
  CONFLICT: { statuses: [409], effect: "none", retryable: false, advice: "It clashes with something that exists." },
  UNPROCESSABLE: {
    statuses: [422],
    effect: "none",
    retryable: false,
    advice: "The platform cannot do this in the present state.",
  },
  /** Also a 401 for a write whose token is otherwise accepted: facts.md §5, "a validation failure under 401". */
  REFUSED: { statuses: [], effect: "none", retryable: false, advice: "The platform refuses the request." },
  SERVER_ERROR: {
    statuses: [500],
    effect: "unknown",
    retryable: true,
    advice: "The platform failed while it worked on the request.",
  },
  UNAVAILABLE: {
    statuses: [408, 502, 503, 504],
    effect: "unknown",
    retryable: true,
    advice: "The platform, or a proxy before it, is not available now.",
  },
  UPSTREAM_TIMEOUT: {
    statuses: [544],
    effect: "unknown",
    retryable: true,
    advice: "A service behind the platform did not answer in time.",
  },
} as const satisfies Readonly<Record<string, CodeFacts>>;

export type ApiErrorCode = keyof typeof apiErrorCodes;

/** Codes that stand for an answer with a status. */
const STATUS_CODES = [
  "REDIRECTED",
  "BAD_REQUEST",
  "UNAUTHORIZED",
  "PLAN_REQUIRED",
  "FORBIDDEN",
  "GONE",
  "CONFLICT",
  "UNPROCESSABLE",
  "REFUSED",
  "SERVER_ERROR",
  "UNAVAILABLE",
  "UPSTREAM_TIMEOUT",
] as const satisfies readonly ApiErrorCode[];
export type StatusErrorCode = (typeof STATUS_CODES)[number];

/** What is known of a failure beside its code. */
type Details<C extends ApiErrorCode> = C extends "BUDGET"
  ? {
      /** milliseconds until the budget is expected to be free for this caller */
      readonly retryAfterMs: number;
      /** for how long the platform has answered nothing but 429, milliseconds; 0: it has not */
      readonly refusedForMs: number;
    }
  : C extends StatusErrorCode
    ? { readonly status: number }
    : C extends "DEADLINE" | "ABORTED"
      ? /** whether the request may have reached the server */ { readonly sent: boolean }
      : unknown;

/** A failure as it is reported: one member per code. */
export type ApiFailure = { [C in ApiErrorCode]: { readonly code: C } & Details<C> }[ApiErrorCode];

/** The failure of one call. `message` is safe to show: see the head of this file. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  /** `section.verb` of the contract */
  readonly operation: string;
  readonly effect: Effect;
  readonly retryable: boolean;
  /** What to tell a person, beside the message. */
  readonly advice: string;
  /** HTTP status, where an answer with one is the cause. */
  readonly status: number | undefined;
  /** Milliseconds, with `BUDGET` only. */
  readonly retryAfterMs: number | undefined;
  /** Milliseconds, with `BUDGET` only. */
  readonly refusedForMs: number | undefined;

  /** @param message the server's words cleaned by `cleanMessage`, or a constant sentence; never anything that holds secrets */
  constructor(operation: string, failure: ApiFailure, options: { readonly message: string; readonly cause?: unknown }) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    const facts: CodeFacts = apiErrorCodes[failure.code];
    this.name = "ApiError";
    this.code = failure.code;
    this.operation = operation;
    this.effect = facts.effect === "sent" ? ("sent" in failure && !failure.sent ? "none" : "unknown") : facts.effect;
    this.retryable = facts.retryable;
    this.advice = facts.advice;
    this.status = "status" in failure ? failure.status : undefined;
    this.retryAfterMs = "retryAfterMs" in failure ? failure.retryAfterMs : undefined;
    this.refusedForMs = "refusedForMs" in failure ? failure.refusedForMs : undefined;
  }
}

/** An ApiError of one of the codes; its fields follow from the code. */
export type ApiErrorOf<C extends ApiErrorCode> = C extends ApiErrorCode
  ? ApiError & { readonly code: C } & (C extends "DEADLINE" | "ABORTED" ? unknown : Details<C>)
  : never;

/** Any of them: `switch (error.code)` narrows. */
export type AnyApiError = ApiErrorOf<ApiErrorCode>;

/** Narrows what was thrown to a failure of a call, optionally of some codes. */
export function isApiError<C extends ApiErrorCode = ApiErrorCode>(
  error: unknown,
  ...codes: readonly C[]
): error is ApiErrorOf<C> {
  return error instanceof ApiError && (codes.length === 0 || codes.some((code) => code === error.code));
}

const codeByStatus: ReadonlyMap<number, StatusErrorCode> = new Map(
  STATUS_CODES.flatMap((code) =>
    apiErrorCodes[code].statuses.map((status): [number, StatusErrorCode] => [status, code]),
  ),
);

/** The code of an answer that is not a success. 429 is not asked for here: the pacer owns it. */
export function codeOfStatus(status: number): StatusErrorCode {
  const known = codeByStatus.get(status);
  if (known !== undefined) return known;
  if (status >= 300 && status < 400) return "REDIRECTED";
  return status >= 400 && status < 500 ? "REFUSED" : "SERVER_ERROR";
}
