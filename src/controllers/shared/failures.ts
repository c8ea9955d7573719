import { CredentialError } from "../../api/credentials/credentials.ts";
import { permissionWords } from "../../api/contract/operation-id.ts";
import { type AnyApiError, type ApiErrorCode, isApiError } from "../../api/errors.ts";
import type { Reason } from "../../resources/conditions.ts";
import { TerminalError, TransientError, WaitingError } from "../../runtime/outcome.ts";
import { askedForBy } from "./asked-for-by.ts";
import { followedBy } from "./followed-by.ts";

/**
 * Failures with the reasons of our kinds, of which nobody invents one, here or where others are summed up (style.md, conditions), and the one switch from
 * what the Management API answered to what it means for an object.
 */

export type ReconcileError = TerminalError | WaitingError | TransientError;

/** How long a terminal failure rests before a slow look all the same, where no watch sees what was put right (a plan, a permission). */
const UNSEEN_RECHECK_MS = 600_000;

/** Nothing was looked at: the run comes again within moments, and until then says nothing of its object (outcome.ts, `aborted`). */
export class NotStartedError extends Error {
  readonly code = "NOT_STARTED";
  override readonly name = "NotStartedError";
}

/** Somebody must act. `recheckAfterMs`: for what can be put right where no watch sees it. */
export function terminal(
  reason: Reason,
  message: string,
  options?: ErrorOptions & { readonly recheckAfterMs?: number },
): TerminalError {
  return new TerminalError(reason, message, options);
}

/** Goes on by itself; looked at again after `retryAfterMs` milliseconds at the latest. */
export function waiting(reason: Reason, message: string, retryAfterMs: number): WaitingError {
  return new WaitingError(reason, message, retryAfterMs);
}

/**
 * For how long an object says nothing of what it waits for, milliseconds: most of what is applied together is there by then, and most turns have come.
 */
export const TOLD_AFTER_MS = 5000;

/** As `waiting`, but expected to be over within TOLD_AFTER_MS: until it is found not to be, nobody is told (engine.md §7: quietly). */
export function waitingUntold(reason: Reason, message: string): WaitingError {
  return new WaitingError(reason, message, TOLD_AFTER_MS, { untold: true });
}

/** How long something that another object's change ends is left alone: the change wakes it, this is the net below. */
const UNTIL_WOKEN_MS = 600_000;

/** Goes on when another object changes, which wakes it. */
export function waitingForObject(reason: Reason, message: string): WaitingError {
  return new WaitingError(reason, message, UNTIL_WOKEN_MS);
}

/**
 * What a failed call means for the object whose reconcile made it. A spent budget stays as it is: outcome.ts knows it by its code, and so do aborts.
 *
 * @param doing what was being done, as "create the project"; begins the message
 * @param fields paths in the object of what asked for it: a refusal names them
 */
export function explain(error: unknown, doing: string, fields: readonly string[] = []): unknown {
  if (!isApiError(error)) return error;
  return explainApi(error, `could not ${doing}: ${error.message}`, fields);
}

/**
 * What a code says of the object's run.
 * - `asIs`: outcome.ts or the runtime knows what to do
 * - `refused`, `plan`, `forbidden`: somebody must act, where perhaps no watch sees it
 * - `connection`: the connection's own reconcile, which a 401 wakes, tells what is wrong with the token. Where that finds it accepted, the 401 was a
 *   passing one and nobody else wakes the object: so it comes again by itself
 * - `credential`: as that, where there was no token to send at all
 * - `passing`: expected to end by itself
 */
type Meaning = "asIs" | "refused" | "plan" | "forbidden" | "connection" | "credential" | "passing";

const meanings: Readonly<Record<ApiErrorCode, Meaning>> = {
  BUDGET: "asIs",
  ABORTED: "asIs",
  NOT_STARTED: "asIs",
  BAD_REQUEST: "refused",
  UNPROCESSABLE: "refused",
  CONFLICT: "refused",
  REFUSED: "refused",
  INVALID_REQUEST: "refused",
  PLAN_REQUIRED: "plan",
  FORBIDDEN: "forbidden",
  UNAUTHORIZED: "connection",
  CREDENTIAL: "credential",
  CONNECT_FAILED: "passing",
  CONNECTION_LOST: "passing",
  DEADLINE: "passing",
  SERVER_ERROR: "passing",
  UNAVAILABLE: "passing",
  UPSTREAM_TIMEOUT: "passing",
  UNEXPECTED_RESPONSE: "passing",
  RESPONSE_TOO_LARGE: "passing",
  REDIRECTED: "passing",
  GONE: "passing",
};

function explainApi(error: AnyApiError, message: string, fields: readonly string[]): unknown {
  const options = { cause: error, recheckAfterMs: UNSEEN_RECHECK_MS };
  const meaning = meanings[error.code];
  switch (meaning) {
    case "asIs":
      return error;
    case "refused":
      return terminal("Rejected", askedForBy(message, fields), options);
    case "plan":
      return terminal("PlanLimit", askedForBy(message, fields), options);
    case "forbidden":
      return terminal("Forbidden", followedBy(message, adviceOn(error)), options);
    case "connection":
      return new TransientError(
        "ConnectionNotReady" satisfies Reason,
        "the Management API does not accept the token of the connection",
        { cause: error },
      );
    case "credential":
      return withoutToken(error, message);
    case "passing":
      return new TransientError("ServerUnavailable" satisfies Reason, message, { cause: error });
    default:
      return meaning satisfies never;
  }
}

/** What to tell a person of what a token may not: with the permission, where the contract lists one. */
export function adviceOn({ operation, advice }: AnyApiError): string {
  const permissions = permissionWords(operation);
  return permissions === "" ? advice : `${advice} It takes the permission ${permissions}.`;
}

/** A token endpoint that does not answer, and a Secret that cannot be written, pass by themselves; of all else the connection says what to do. */
function withoutToken(error: AnyApiError, message: string): TransientError {
  const { cause } = error;
  const passes = cause instanceof CredentialError && (cause.fault === "unavailable" || cause.fault === "unstored");
  if (passes) return new TransientError("ServerUnavailable" satisfies Reason, message, { cause: error });
  const advice = followedBy(message, "the connection's conditions say what to do");
  return new TransientError("ConnectionNotReady" satisfies Reason, advice, { cause: error });
}

/** An answer that cannot be what was asked for: something between here and the platform may have given it. It is asked for again. */
export function unexpected(doing: string, why: string): TransientError {
  return new TransientError("ServerUnavailable" satisfies Reason, `could not ${doing}: ${why}`);
}

/** Runs a call and words its failure. @param fields as `explain` */
export async function calling<T>(doing: string, call: () => Promise<T>, fields?: readonly string[]): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw explain(error, doing, fields);
  }
}

/** As `calling`, with undefined for what does not exist (404 and 406, facts.md §5). */
export async function unlessGone<T>(doing: string, call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (isApiError(error, "GONE")) return undefined;
    throw explain(error, doing);
  }
}
