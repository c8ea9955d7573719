import { createHash } from "node:crypto";
import type { Intent } from "../../resources/status.ts";
import { type ReconcileError, terminal, waiting } from "./failures.ts";

/** How far the server's `created` may lie before the intent's time and still be ours: clocks differ (engine.md §4). */
export const INTENT_MARGIN_MS = 60_000;
/** How often something is looked for whose request got no answer, milliseconds. */
export const DOUBT_LOOK_MS = 15_000;

/** A remote thing of the wanted name. `createdMs` is the server's time of its creation, absent where the server does not say. */
export interface FoundRemote {
  readonly createdMs?: number | undefined;
  /** whether another object is recorded as the one that has it: no request of this one made it, whenever that was */
  readonly others: boolean;
}

export interface CreateOnceRequest<F extends FoundRemote, C> {
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
  /**
   * The object may make or take over something of the wanted name. Asked once nothing is found that it made itself, and again when the intent is
   * recorded: of two objects that do so at the same time, one sees the other's.
   *
   * @throws TerminalError where another object has the name; WaitingError where another one asked for it and got no answer
   */
  requireName(): void;
  /** what has a name now: always read live, never from what is remembered; functions share such a read (ADR 18) */
  lookup(name: string): Promise<readonly F[]>;
  /** stores the intent under an optimistic lock; rejects when the object changed meanwhile */
  recordIntent(intent: Intent): Promise<void>;
  /** forgets the intent: it is certain that nothing was created */
  clearIntent(): void;
  /** sends the create request. @param beforeSending awaited right before it leaves: what waits for budget records nothing (ADR 21) */
  create(beforeSending: () => Promise<void>): Promise<C>;
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

/** No watch sees what has the name go, or be renamed: looked at again all the same, milliseconds. */
const CONFLICT_LOOK_MS = 600_000;

function conflict(message: string, options: ErrorOptions = {}): ReconcileError {
  return terminal("Conflict", message, { ...options, recheckAfterMs: CONFLICT_LOOK_MS });
}

/** Digest of a create request, for its intent. @param body what is asked for, without its secrets */
export function fingerprintOf(body: object): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex").slice(0, 32);
}

/**
 * The one that an intent made: created since, by the server's clock, no later than what was sent under it can arrive, and no other object's.
 *
 * @param requestDeadlineMs Infinity: however late
 */
export function createdSince<F extends FoundRemote>(
  intent: Intent,
  found: readonly F[],
  requestDeadlineMs: number,
): F | undefined {
  const from = Date.parse(intent.time) - INTENT_MARGIN_MS;
  return found.find(
    ({ createdMs, others }) =>
      !others && createdMs !== undefined && createdMs >= from && inDoubtForMs(intent, requestDeadlineMs, createdMs) > 0,
  );
}

/** How long after an intent nothing that was sent under it can arrive any more, milliseconds by the server's clock; 0 or less: now. */
export function inDoubtForMs(intent: Pick<Intent, "time">, requestDeadlineMs: number, serverNowMs: number): number {
  return Date.parse(intent.time) + requestDeadlineMs + INTENT_MARGIN_MS - serverNowMs;
}

/** Whether others wait for what came of an intent: no longer than one can be in doubt, also where its time was told by a clock that is far ahead. */
export function holdsOthers(intent: Pick<Intent, "time">, requestDeadlineMs: number, serverNowMs: number): boolean {
  const leftMs = inDoubtForMs(intent, requestDeadlineMs, serverNowMs);
  return leftMs > 0 && leftMs <= requestDeadlineMs + 2 * INTENT_MARGIN_MS;
}

/**
 * Creates a remote thing exactly once, whatever is lost on the way: looks before the first request, records the intent, and after any
 * doubt looks again and takes what is ours (engine.md §4). A name that was changed in the spec meanwhile does not hide what was asked for
 * under the old one: that is taken, and renamed by whoever follows.
 *
 * @throws TerminalError Conflict: something of that name is there that this object never asked for
 * @throws WaitingError ConfirmingAbsence: an earlier request may still arrive; look again after the stated time
 */
export async function createOnce<F extends FoundRemote, C>(
  request: CreateOnceRequest<F, C>,
): Promise<CreateOnceResult<F, C>> {
  const intent = request.intent?.uid === request.uid ? request.intent : undefined;
  if (intent === undefined) request.requireName(); // who lost looks for nothing
  const found = await request.lookup(intent?.name ?? request.name);
  const ours = intent === undefined ? undefined : createdSince(intent, found, request.requestDeadlineMs);
  if (ours !== undefined) return { kind: "recovered", found: ours };
  if (intent !== undefined && intent.name !== request.name) {
    waitForLateEffect(request, intent);
    return createOnce({ ...request, intent: undefined });
  }
  const first = found[0];
  if (first !== undefined) return take(request, found, first);
  // A name that the server keeps unique makes a second request harmless; any other must certainly have come to nothing.
  if (intent !== undefined && !request.uniqueNames) waitForLateEffect(request, intent);
  request.requireName();
  return send(request, intent);
}

function take<F extends FoundRemote, C>(
  request: CreateOnceRequest<F, C>,
  found: readonly F[],
  first: F,
): CreateOnceResult<F, C> {
  if (request.adopt && found.length === 1) return { kind: "adopted", found: first };
  throw conflict(request.conflictMessage);
}

function waitForLateEffect(request: CreateOnceRequest<FoundRemote, unknown>, intent: Intent): void {
  const remainingMs = inDoubtForMs(intent, request.requestDeadlineMs, request.serverNow());
  if (remainingMs <= 0) return;
  throw waiting(
    "ConfirmingAbsence",
    "an earlier create request got no answer; looking again before another one is sent",
    Math.min(remainingMs, DOUBT_LOOK_MS),
  );
}

/** Recorded before every request: how long its effect is waited for counts from then. */
async function record(request: CreateOnceRequest<FoundRemote, unknown>, inDoubt: boolean): Promise<void> {
  const { name, fingerprint, uid } = request;
  await request.recordIntent({ name, fingerprint, time: new Date(request.serverNow()).toISOString(), uid });
  try {
    request.requireName();
  } catch (error) {
    if (!inDoubt) request.clearIntent(); // nothing was sent
    throw error;
  }
}

/** @param earlier of a request that was sent before: where names are unique it may still take effect, else it was waited for */
async function send<F extends FoundRemote, C>(
  request: CreateOnceRequest<F, C>,
  earlier: Intent | undefined,
): Promise<CreateOnceResult<F, C>> {
  const inDoubt = earlier !== undefined && request.uniqueNames;
  try {
    return { kind: "created", value: await request.create(() => record(request, inDoubt)) };
  } catch (error) {
    if (request.saysNameTaken(error)) {
      // Between the look and the request something came: what was given up long ago may have been that late all the same.
      const ours =
        earlier === undefined ? undefined : createdSince(earlier, await request.lookup(request.name), Infinity);
      if (ours !== undefined) return { kind: "recovered", found: ours };
      if (!inDoubt) request.clearIntent();
      throw conflict(request.conflictMessage, { cause: error });
    }
    // Only where nothing earlier is in doubt does a refusal mean that there is nothing.
    if (!inDoubt && request.provesNoEffect(error)) request.clearIntent();
    throw error;
  }
}
