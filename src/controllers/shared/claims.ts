import { annotations } from "../../resources/annotations.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import type { Intent } from "../../resources/status.ts";
import type { TerminalError } from "../../runtime/outcome.ts";
import { terminal, waiting } from "./failures.ts";
import type { KnownObject } from "./object-store.ts";

/** An object that claims a remote thing: it was recorded as its owner, or asks to be. */
export interface Claimant {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status: { readonly recordedFor?: string | undefined };
  /** whether it cannot act on the thing now: its spec cannot be read, leads elsewhere, or what is recorded was made on another platform */
  readonly isIdle?: boolean;
}

/** What an object that stands under its ref claims of it. */
export function claimOf({ kind, metadata, spec, status }: KnownObject<unknown, Claimant["status"]>): Claimant {
  return { kind, metadata, status, isIdle: spec === undefined };
}

/** One that may have asked the platform for a thing of some name, and knows of no answer. */
export interface Asker extends Claimant {
  readonly status: Claimant["status"] & { readonly intent?: Intent | undefined };
}

/** A name, as it is claimed. */
export interface ClaimedName {
  /** as intents have it */
  readonly name: string;
  /** what is claimed, as "project shop of acme" */
  readonly thing: string;
  /** whether what was sent under an intent may still arrive; what comes later is certainly not its (create-once.ts) */
  readonly isInDoubt: (intent: Intent) => boolean;
}

/** Whether its request for a thing of that name may have taken effect, or may still, without its knowing. */
function asksFor({ metadata, status: { intent } }: Asker, { name, isInDoubt }: ClaimedName): boolean {
  return intent?.uid === metadata.uid && intent.name === name && isInDoubt(intent);
}

/** Whether it has nothing of that name, for all that is known, beside declaring it: neither on record nor noted, nor asked for. */
function merelyDeclares(one: Asker, { name }: ClaimedName): boolean {
  const { metadata, status } = one;
  const asked = status.intent?.uid === metadata.uid && status.intent.name === name;
  return !asked && !isRecorded(one) && metadata.annotations?.[annotations.ref] === undefined;
}

/** An owner of record goes before who merely asks: else an older object could take a thing away by naming it. */
function isRecorded({ metadata, status }: Claimant): boolean {
  return status.recordedFor === metadata.uid;
}

function goesBefore(a: Claimant, b: Claimant): boolean {
  if (isRecorded(a) !== isRecorded(b)) return isRecorded(a);
  // Of two on record the one that cannot act has nothing of it, and what the other took over while nobody saw that record is the other's.
  if (isRecorded(a) && (a.isIdle === true) !== (b.isIdle === true)) return a.isIdle !== true;
  const createdA = a.metadata.creationTimestamp ?? "";
  const createdB = b.metadata.creationTimestamp ?? "";
  return createdA === createdB ? a.metadata.uid < b.metadata.uid : createdA < createdB;
}

/** The one that owns the thing: owners of record first, of these who can act on it, then the oldest by creationTimestamp and uid (engine.md §4). */
export function ownerOf<C extends Claimant>(claimants: readonly C[]): C | undefined {
  return claimants.reduce<C | undefined>(
    (first, claimant) => (first === undefined || goesBefore(claimant, first) ? claimant : first),
    undefined,
  );
}

/** Whether the object may act on the thing; nobody else's claim counts where there is none. */
export function isOwner(object: Claimant, claimants: readonly Claimant[]): boolean {
  const owner = ownerOf(claimants);
  return owner === undefined || owner.metadata.uid === object.metadata.uid;
}

/** How often a thing that another object owns is looked at, milliseconds: its letting go wakes who waits (claims-wired.ts), this is the net below. */
const OWNED_LOOK_MS = 600_000;

/**
 * Lets the object go on only if it is the one that owns the remote thing.
 *
 * @param thing what is claimed, as "project abcdefghijklmnopqrst"
 * @throws TerminalError Conflict, naming the owner
 */
export function requireClaim(object: Claimant, claimants: readonly Claimant[], thing: string): void {
  const owner = ownerOf(claimants);
  if (owner === undefined || owner.metadata.uid === object.metadata.uid) return;
  const message = `${thing} belongs to ${placed(owner)}, and only one object may have it: give this one another name or ref, or delete this one`;
  throw terminal("Conflict", message, { recheckAfterMs: OWNED_LOOK_MS });
}

function placed({ kind, metadata: { namespace = "", name } }: Claimant): string {
  return `${kind} ${name} in namespace ${namespace}`;
}

/** Nothing is there that could belong to it. Why it has not come to that is its own namespace's business, and so is what to do about it. */
function cameFirst(first: Asker, { metadata }: Claimant, { thing }: ClaimedName): TerminalError {
  const isNear = first.metadata.namespace === metadata.namespace;
  const orElse = isNear ? ", or see to that one, whose conditions say why, or delete it" : "";
  const message = `${thing} is asked for by ${placed(first)}, which came first and has not made it yet: choose another spec.name here${orElse}`;
  return terminal("Conflict", message, { recheckAfterMs: OWNED_LOOK_MS });
}

/** How often it is looked whether another object has learned what came of its request, milliseconds: nothing remote is asked for that. */
const ASKED_LOOK_MS = 15_000;

/**
 * What another object asked for by that name may be there, or come yet. If it were made or taken by somebody else now, nobody could tell whose it is.
 *
 * @throws WaitingError ConfirmingAbsence, naming who asked
 */
export function requireNobodyAsks(object: Claimant, asking: readonly Asker[], claimed: ClaimedName): void {
  const asker = asking.find((other) => other.metadata.uid !== object.metadata.uid && asksFor(other, claimed));
  if (asker === undefined) return;
  const message = `${claimed.thing}: ${placed(asker)} asked for it and got no answer: waiting until it is known what came of that`;
  throw waiting("ConfirmingAbsence", message, ASKED_LOOK_MS);
}

/** The objects that have to do with a name. */
export interface NameClaimants {
  /** what has it, or declares it now */
  readonly declaring: readonly Asker[];
  /** what may have asked for it, whatever it declares now */
  readonly asking: readonly Asker[];
}

/**
 * Lets the object make or take over a thing by its name. Who has asked for it goes before who merely declares the name.
 *
 * @throws TerminalError Conflict, naming the owner; WaitingError as `requireNobodyAsks`
 */
export function requireName(object: Claimant, { declaring, asking }: NameClaimants, claimed: ClaimedName): void {
  requireNobodyAsks(object, asking, claimed);
  const claimants = declaring.map((one): Claimant => {
    const { kind, metadata } = one;
    return asksFor(one, claimed) ? { kind, metadata, status: { recordedFor: metadata.uid } } : one;
  });
  const uid = ownerOf(claimants)?.metadata.uid;
  const first = uid === object.metadata.uid ? undefined : declaring.find(({ metadata }) => metadata.uid === uid);
  if (first !== undefined && merelyDeclares(first, claimed)) throw cameFirst(first, object, claimed);
  requireClaim(object, claimants, claimed.thing);
}
