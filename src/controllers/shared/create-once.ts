import type { Intent } from "../../resources/status.ts";
import { type ReconcileError, terminal, waiting } from "./failures.ts";

/** How far the server's `created` may lie before the intent's time and still be ours: clocks differ (engine.md §4). */
export const INTENT_MARGIN_MS = 60_000;

/** A remote thing of the wanted name. `createdMs` is the server's time of its creation, absent where the server does not say. */
export interface Found {
  readonly createdMs?: number | undefined;
}

export interface CreateOnceRequest<F extends Found, C> {
  readonly uid: string;
  readonly name: string;
  readonly fingerprint: string;
  /** the intent that the object carries */
  readonly intent: Intent | undefined;
  /** whether the server refuses a second thing of that name, so that a second request cannot make a duplicate */
  readonly uniqueNames: boolean;
  /** the longest that one create request may take, milliseconds */
  readonly requestDeadlineMs: number;
  /** whether something of that name which was there before may be taken over (adoptionPolicy) */
  readonly adopt: boolean;
  /** the server's clock, milliseconds since the epoch */
  serverNow(): number;
  /** what has that name now: always read live, never from a snapshot */
  lookup(): Promise<readonly F[]>;
  /** stores the intent under an optimistic lock; rejects when the object changed meanwhile */
  recordIntent(intent: Intent): Promise<void>;
  /** forgets the intent: it is certain that nothing was created */
  clearIntent(): void;
  create(): Promise<C>;
  /** whether a failed create proves that nothing happened */
  provesNoEffect(error: unknown): boolean;
  /** whether a failed create says that the name is taken */
  saysNameTaken(error: unknown): boolean;
  /** the message of a Conflict */
  readonly conflictMessage: string;
}

export type CreateOnceResult<F, C> =
  | { readonly kind: "created"; readonly value: C }
  /** created by an earlier attempt whose answer was lost */
  | { readonly kind: "recovered"; readonly found: F }
  | { readonly kind: "adopted"; readonly found: F };

function conflict(message: string): ReconcileError {
  return terminal("Conflict", message);
}

/** The one that an intent made: created since, by the server's clock. */
export function createdSince<F extends Found>(intent: Intent, found: readonly F[]): F | undefined {
  const from = Date.parse(intent.time) - INTENT_MARGIN_MS;
  return found.find((item) => item.createdMs !== undefined && item.createdMs >= from);
}

/**
 * Creates a remote thing exactly once, whatever is lost on the way: looks before the first request, records the intent, and after any
 * doubt looks again and takes what is ours (engine.md §4).
 *
 * @throws TerminalError Conflict: something of that name is there that this object never asked for
 * @throws WaitingError ConfirmingAbsence: an earlier request may still arrive; look again after the stated time
 */
export async function createOnce<F extends Found, C>(
  request: CreateOnceRequest<F, C>,
): Promise<CreateOnceResult<F, C>> {
  const intent = validIntent(request);
  const found = await request.lookup();
  const first = found[0];
  if (first !== undefined) return take(request, intent, found, first);
  if (intent !== undefined) waitForLateEffect(request, intent);
  const current = intent !== undefined && request.uniqueNames ? intent : await record(request);
  return await send(request, current, intent === undefined);
}

function validIntent(request: CreateOnceRequest<Found, unknown>): Intent | undefined {
  const { intent } = request;
  return intent?.uid === request.uid && intent.name === request.name ? intent : undefined;
}

function take<F extends Found, C>(
  request: CreateOnceRequest<F, C>,
  intent: Intent | undefined,
  found: readonly F[],
  first: F,
): CreateOnceResult<F, C> {
  const ours = intent === undefined ? undefined : createdSince(intent, found);
  if (ours !== undefined) return { kind: "recovered", found: ours };
  if (request.adopt && found.length === 1) return { kind: "adopted", found: first };
  throw conflict(request.conflictMessage);
}

/** Where names are not unique, a lost request must be given up before another one is sent. */
function waitForLateEffect(request: CreateOnceRequest<Found, unknown>, intent: Intent): void {
  if (request.uniqueNames) return;
  const certainAtMs = Date.parse(intent.time) + request.requestDeadlineMs + INTENT_MARGIN_MS;
  const remainingMs = certainAtMs - request.serverNow();
  if (remainingMs <= 0) return;
  throw waiting(
    "ConfirmingAbsence",
    "an earlier create request got no answer; looking again before another one is sent",
    Math.min(remainingMs, 15_000),
  );
}

async function record(request: CreateOnceRequest<Found, unknown>): Promise<Intent> {
  const intent: Intent = {
    name: request.name,
    fingerprint: request.fingerprint,
    time: new Date(request.serverNow()).toISOString(),
    uid: request.uid,
  };
  await request.recordIntent(intent);
  return intent;
}

/** @param fresh true when no earlier request can have been sent under this intent */
async function send<F extends Found, C>(
  request: CreateOnceRequest<F, C>,
  intent: Intent,
  fresh: boolean,
): Promise<CreateOnceResult<F, C>> {
  try {
    return { kind: "created", value: await request.create() };
  } catch (error) {
    if (request.saysNameTaken(error)) {
      const found = fresh ? [] : await request.lookup();
      const ours = createdSince(intent, found);
      if (ours !== undefined) return { kind: "recovered", found: ours };
      if (fresh) request.clearIntent();
      throw terminal("Conflict", request.conflictMessage, { cause: error });
    }
    // Only a first attempt may be forgotten: an earlier one under this intent may still take effect.
    if (fresh && request.provesNoEffect(error)) request.clearIntent();
    throw error;
  }
}
