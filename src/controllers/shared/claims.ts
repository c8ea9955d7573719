import type { ObjectMeta } from "../../resources/meta.ts";
import { terminal } from "./failures.ts";

/** An object that claims a remote thing: it was recorded as its owner, or asks to be. */
export interface Claimant {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly status: { readonly recordedFor?: string | undefined };
}

/** An owner of record goes before who merely asks: else an older object could take a thing away by naming it. */
function isRecorded({ metadata, status }: Claimant): boolean {
  return status.recordedFor === metadata.uid;
}

function goesBefore(a: Claimant, b: Claimant): boolean {
  if (isRecorded(a) !== isRecorded(b)) return isRecorded(a);
  const createdA = a.metadata.creationTimestamp ?? "";
  const createdB = b.metadata.creationTimestamp ?? "";
  return createdA === createdB ? a.metadata.uid < b.metadata.uid : createdA < createdB;
}

/** The one that owns the thing: owners of record first, then the oldest by creationTimestamp and uid (engine.md §4). */
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

/** How often a thing that another object owns is looked at, milliseconds: its deletion wakes who waits, its being renamed does not. */
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
  const { namespace, name } = owner.metadata;
  throw terminal(
    "Conflict",
    `${thing} belongs to ${owner.kind} ${name} in namespace ${namespace ?? ""}, and only one object may have it: give this one another name or ref, or delete this one`,
    { recheckAfterMs: OWNED_LOOK_MS },
  );
}
