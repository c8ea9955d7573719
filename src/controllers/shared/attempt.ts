import type { Reason } from "../../resources/conditions.ts";
import { classify, TerminalError, TransientError, WaitingError } from "../../runtime/outcome.ts";
import type { ReconcileError } from "./failures.ts";

/** Parts of a run that the rest of it does not wait for: what fails is kept, and the run ends with it once all else is done. */

export type Attempted<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly failure: ReconcileError };

/**
 * Makes a part of a run, and keeps what a reconciler words as a failure of it.
 *
 * @throws whatever ends the whole run: a conflict, a spent budget, an abort, an apiserver that fails, and a token that is not accepted
 */
export async function attempt<T>(part: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { ok: true, value: await part() };
  } catch (error) {
    if (!isReconcileError(error) || error.reason === ("ConnectionNotReady" satisfies Reason)) throw error;
    return { ok: false, failure: error };
  }
}

/** Whether a reconciler worded it. */
export function isReconcileError(error: unknown): error is ReconcileError {
  return error instanceof TerminalError || error instanceof WaitingError || error instanceof TransientError;
}

/** A failure, unless it may be gone at the next look: nothing is told of that where there is one soon, and more to tell. */
export function unlessPassing(failure: Error | undefined, signal: AbortSignal): Error | undefined {
  if (failure === undefined) return undefined;
  const { kind } = classify(failure, signal);
  return kind === "transient" || kind === "rateLimited" ? undefined : failure;
}

/**
 * How a run ends that several things went wrong in: as the one after which it goes on by itself soonest, in the words of all. What is no failure of a
 * part (see `attempt`) ends it by itself.
 *
 * @param dueInMs when the object is to be looked at in any case, milliseconds; what failed puts that off no further
 */
export function endOf(failures: readonly [Error, ...(Error | undefined)[]], dueInMs: number | undefined): Error;
export function endOf(failures: readonly (Error | undefined)[], dueInMs: number | undefined): Error | undefined;
export function endOf(failures: readonly (Error | undefined)[], dueInMs: number | undefined): Error | undefined {
  const all = failures.filter((one) => one !== undefined);
  const ours = all.filter(isReconcileError);
  const other = all.find((one) => !isReconcileError(one));
  if (other !== undefined) return other;
  return passingEnd(ours) ?? waitingEnd(ours, dueInMs) ?? terminalEnd(ours, dueInMs);
}

function passingEnd(failures: readonly ReconcileError[]): Error | undefined {
  const first = failures.find((one) => one instanceof TransientError);
  if (first === undefined || failures.length === 1) return first;
  const { reason, cause, retryAfterMs } = first;
  const options = { cause, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  return new TransientError(reason, wordsOf(failures), options);
}

function waitingEnd(failures: readonly ReconcileError[], dueInMs: number | undefined): Error | undefined {
  const waits = failures.filter((one) => one instanceof WaitingError);
  const [first] = waits;
  if (first === undefined) return undefined;
  const looks = failures.flatMap((one) => (one instanceof TerminalError ? (one.recheckAfterMs ?? []) : []));
  const retryAfterMs = Math.min(...waits.map((one) => one.retryAfterMs), ...looks, dueInMs ?? Infinity);
  const untold = waits.length === failures.length && waits.every((one) => one.untold);
  return new WaitingError(first.reason, wordsOf(failures), retryAfterMs, { untold });
}

function terminalEnd(failures: readonly ReconcileError[], dueInMs: number | undefined): Error | undefined {
  const ends = failures.filter((one) => one instanceof TerminalError);
  const [first] = ends;
  if (first === undefined) return undefined;
  const looks = [...ends.map(({ recheckAfterMs }) => recheckAfterMs), dueInMs].filter((one) => one !== undefined);
  const recheck = looks.length === 0 ? {} : { recheckAfterMs: Math.min(...looks) };
  return new TerminalError(first.reason, wordsOf(failures), { cause: first.cause, ...recheck });
}

function wordsOf(failures: readonly Error[]): string {
  return [...new Set(failures.map(({ message }) => message))].join("; ");
}
