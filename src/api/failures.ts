import { DeadlineError } from "../base/abort.ts";
import { CredentialError } from "./credentials/credentials.ts";
import { ApiError } from "./errors.ts";
import { NoBudgetError } from "./pacing/no-budget-error.ts";
import type { AttemptFailure } from "./retry.ts";
import type { TransportError } from "./transport.ts";

/** How one sending failed: for the retry policy, and for the caller when it is the last one. */
export interface FailedAttempt {
  readonly failure: AttemptFailure;
  readonly error: ApiError;
}

/** Why a call of a closed client is not made, or was cut off: its caller may go on, with another client. */
export class ClientClosedError extends Error {
  readonly code = "CLIENT_CLOSED";
  override readonly name = "ClientClosedError";

  constructor() {
    super("the client was closed");
  }
}

/** The error of a call that its caller, its deadline or the closing of the client ended. @param sent whether anything may have arrived */
export function endedBy(operation: string, reason: unknown, sent: boolean): ApiError {
  const deadline = reason instanceof DeadlineError;
  return new ApiError(
    operation,
    { code: deadline ? "DEADLINE" : "ABORTED", sent },
    { message: deadline ? "no answer in time" : "the call was cancelled", cause: reason },
  );
}

/** A failure without an answer, of a sending that was not cancelled by the caller. */
export function withoutAnswer(operation: string, error: TransportError): FailedAttempt {
  const { cause, permanent } = error;
  const sent = error.sentAtMs !== undefined;
  switch (error.kind) {
    case "notSent": {
      const message = `no connection to the platform${codeOf(cause)}`;
      return {
        failure: { kind: "notSent", permanent },
        error: new ApiError(operation, { code: "CONNECT_FAILED" }, { message, cause }),
      };
    }
    case "lost": {
      const message = `the connection to the platform broke${codeOf(cause)}`;
      return {
        failure: { kind: "lost" },
        error: new ApiError(operation, { code: "CONNECTION_LOST" }, { message, cause }),
      };
    }
    case "tooLarge": {
      const message = `${operation}: the answer is larger than the client reads`;
      return {
        failure: { kind: "status", status: 200 },
        error: new ApiError(operation, { code: "RESPONSE_TOO_LARGE" }, { message, cause }),
      };
    }
    case "aborted":
      return {
        failure: sent ? { kind: "timedOut" } : { kind: "notSent", permanent: false },
        error: endedBy(operation, cause, sent),
      };
    case "mayNotStart":
      return { failure: { kind: "notSent", permanent: true }, error: notStarted(operation, cause) };
    default:
      return error.kind satisfies never;
  }
}

/** The process may not send now: closing, or not certain to be the leader. */
export function notStarted(operation: string, cause: unknown): ApiError {
  return new ApiError(
    operation,
    { code: "NOT_STARTED" },
    { message: "this process may not start requests now", cause },
  );
}

/** No slot within the time that the caller would wait. */
export function withoutBudget(operation: string, cause: NoBudgetError): ApiError {
  const { retryAfterMs, refusedForMs } = cause;
  const message = "the request budget is spent";
  return new ApiError(operation, { code: "BUDGET", retryAfterMs, refusedForMs }, { message, cause });
}

/** No token: the credential's own words when they are known to be free of it. */
export function withoutToken(operation: string, cause: unknown): ApiError {
  if (cause instanceof NoBudgetError) return withoutBudget(operation, cause);
  const message = cause instanceof CredentialError ? cause.message : "the access token could not be read";
  return new ApiError(operation, { code: "CREDENTIAL" }, { message, cause });
}

/** The code of a system or undici error, which does not change from one try to the next; its text may hold addresses. */
function codeOf(cause: unknown): string {
  const code: unknown = cause instanceof Error ? Reflect.get(cause, "code") : undefined;
  return typeof code === "string" && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : "";
}
