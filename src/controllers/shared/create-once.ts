import { createHash } from "node:crypto";
import type { Intent } from "../../resources/status.ts";
import { type ReconcileError, terminal, waiting } from "./failures.ts";

/**
 * The doubt over a create whose answer was lost, which the object's intent stands for:
 * - it begins when a request is about to be sent: what dies before the answer may have sent it
 * - each further request that may have had an effect begins it anew; one that had none leaves it as it was before
 * - by itself it ends when nothing that was sent can arrive any more, by the server's clock
 * - it is ended by what is found of it, by an answer, and by a look that finds nothing once it is over: what comes by that name later is not its
 */

/** How far the server's `created` may lie before the intent's time and still be ours: clocks differ (engine.md §4). */
export const INTENT_MARGIN_MS = 60_000;
/** How often something is looked for whose request got no answer, milliseconds. */
export const DOUBT_LOOK_MS = 15_000;

/** A remote thing of the wanted name. `createdMs` is the server's time of its creation, absent where the server does not say. */
export interface FoundRemote {
  readonly createdMs?: number | undefined;
  /** whether it is known to be another's, as where another object is recorded as the one that has it: no request of this one made it, whenever that was */
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
   * The object may make or take over something of the wanted name. Asked whenever nothing is found that it made itself, and again when the intent is
   * recorded: of two objects that do so at the same time, one sees the other's.
   *
   * @throws TerminalError where another object has the name; WaitingError where another one asked for it and got no answer
   */
  requireName(): void;
  /** what has the wanted name now: always read live, never from what is remembered; functions share such a read (ADR 18) */
  lookup(): Promise<readonly F[]>;
  /**
   * What has another name now, by which the object asked for something before: live as well. What keeps the wanted name from being had says nothing here.
   *
   * @param isOver whether nothing can arrive any more: where nobody may look there by then, there is nothing to be found
   */
  lookupFormer(name: string, isOver: boolean): Promise<readonly F[]>;
  /** stores the intent under an optimistic lock; rejects when the object changed meanwhile */
  recordIntent(intent: Intent): Promise<void>;
  /** puts back what was in doubt before, or that nothing was: what was recorded last had certainly no effect, or what was before can have none any more */
  restoreIntent(before: Intent | undefined): void;
  /** sends the create request. @param beforeSending awaited right before it leaves: what waits for budget records nothing (ADR 21) */
  create(beforeSending: () => Promise<void>): Promise<C>;
  /** whether a failed create proves that nothing happened */
  provesNoEffect(error: unknown): boolean;
  /** whether a failed create says that the name is taken */
  saysNameTaken(error: unknown): boolean;
  /** the message of a Conflict. @param found what has the name; empty: the answer alone says that something has */
  conflictMessage(found: readonly F[]): string;
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

/** The one that an intent made: while something that was sent under it could arrive, by the server's clock, and no other object's. */
export function createdSince<F extends FoundRemote>(
  intent: Intent,
  found: readonly F[],
  requestDeadlineMs: number,
): F | undefined {
  return found.find(
    ({ createdMs, others }) =>
      !others && createdMs !== undefined && inDoubtForMs(intent, requestDeadlineMs, createdMs) > 0,
  );
}

/**
 * How long after an intent nothing that was sent under it can arrive any more, milliseconds by the server's clock; 0 or less: it cannot now. Clocks differ
 * by the margin at most: a time that lies further ahead says nothing, and holds nobody.
 */
export function inDoubtForMs(intent: Pick<Intent, "time">, requestDeadlineMs: number, serverNowMs: number): number {
  return isAhead(intent, serverNowMs)
    ? 0
    : Date.parse(intent.time) + requestDeadlineMs + INTENT_MARGIN_MS - serverNowMs;
}

function isAhead({ time }: Pick<Intent, "time">, serverNowMs: number): boolean {
  return Date.parse(time) > serverNowMs + INTENT_MARGIN_MS;
}

/** Whether an intent may have made what has the name, and nothing tells: its time lies too far ahead for what was made since it to be told from the rest. */
export function mayHaveMade(intent: Intent, found: readonly FoundRemote[], serverNowMs: number): boolean {
  return isAhead(intent, serverNowMs) && found.some(({ others }) => !others);
}

/** An intent as it is followed: one whose time was told by a clock that was far ahead is as of now, since it was sent by now. */
function believable(intent: Intent, serverNowMs: number): Intent {
  return isAhead(intent, serverNowMs) ? { ...intent, time: new Date(serverNowMs).toISOString() } : intent;
}

/** What a run waits for that must not go on while something of a lost request may still arrive. */
export function doubted(message: string, leftMs: number): ReconcileError {
  return waiting("ConfirmingAbsence", message, Math.min(leftMs, DOUBT_LOOK_MS));
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
  const intent = ownIntent(request);
  if (intent === undefined) return begin(request);
  const { requestDeadlineMs } = request;
  const leftMs = inDoubtForMs(intent, requestDeadlineMs, request.serverNow()); // before the look, which must be after its end
  const isFormer = intent.name !== request.name;
  const found = await (isFormer ? request.lookupFormer(intent.name, leftMs <= 0) : request.lookup());
  const ours = createdSince(intent, found, requestDeadlineMs);
  if (ours !== undefined) return { kind: "recovered", found: ours };
  if (leftMs <= 0) {
    request.restoreIntent(undefined);
    return begin(request);
  }
  if (isFormer) throw lateEffect(leftMs);
  return goOn(request, found, { intent, leftMs });
}

/** An earlier request for the wanted name, which may still take effect. */
interface Doubt {
  readonly intent: Intent;
  readonly leftMs: number;
}

function ownIntent(request: CreateOnceRequest<FoundRemote, unknown>): Intent | undefined {
  const { intent, uid } = request;
  if (intent?.uid !== uid) return undefined;
  const followed = believable(intent, request.serverNow());
  if (followed !== intent) request.restoreIntent(followed);
  return followed;
}

/** Nothing of an earlier request is in doubt. */
async function begin<F extends FoundRemote, C>(request: CreateOnceRequest<F, C>): Promise<CreateOnceResult<F, C>> {
  request.requireName(); // who lost looks for nothing
  return goOn(request, await request.lookup(), undefined);
}

/** Takes what has the wanted name, or makes it, where no earlier request did. */
function goOn<F extends FoundRemote, C>(
  request: CreateOnceRequest<F, C>,
  found: readonly F[],
  doubt: Doubt | undefined,
): CreateOnceResult<F, C> | Promise<CreateOnceResult<F, C>> {
  request.requireName();
  const first = found[0];
  if (first !== undefined) return take(request, found, first);
  // A name that the server keeps unique makes a second request harmless; any other must certainly have come to nothing.
  if (doubt !== undefined && !request.uniqueNames) throw lateEffect(doubt.leftMs);
  return send(request, doubt?.intent);
}

function take<F extends FoundRemote, C>(
  request: CreateOnceRequest<F, C>,
  found: readonly F[],
  first: F,
): CreateOnceResult<F, C> {
  if (request.adopt && found.length === 1) return { kind: "adopted", found: first };
  throw conflict(request.conflictMessage(found));
}

function lateEffect(leftMs: number): ReconcileError {
  return doubted("an earlier create request got no answer; looking again before another one is sent", leftMs);
}

/** Recorded before every request: how long its effect is waited for counts from then. */
async function record(request: CreateOnceRequest<FoundRemote, unknown>, inDoubt: Intent | undefined): Promise<void> {
  const { name, fingerprint, uid } = request;
  await request.recordIntent({ name, fingerprint, time: new Date(request.serverNow()).toISOString(), uid });
  try {
    request.requireName();
  } catch (error) {
    request.restoreIntent(inDoubt); // nothing was sent
    throw error;
  }
}

/** @param inDoubt of an earlier request, where names are unique */
async function send<F extends FoundRemote, C>(
  request: CreateOnceRequest<F, C>,
  inDoubt: Intent | undefined,
): Promise<CreateOnceResult<F, C>> {
  try {
    return { kind: "created", value: await request.create(() => record(request, inDoubt)) };
  } catch (error) {
    const nameTaken = request.saysNameTaken(error);
    // Between the look and the request something came.
    const ours =
      nameTaken && inDoubt !== undefined
        ? createdSince(inDoubt, await request.lookup(), request.requestDeadlineMs)
        : undefined;
    if (ours !== undefined) return { kind: "recovered", found: ours };
    if (nameTaken || request.provesNoEffect(error)) request.restoreIntent(inDoubt);
    throw nameTaken ? conflict(request.conflictMessage([]), { cause: error }) : error;
  }
}
