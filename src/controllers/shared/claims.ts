import type { ObjectMeta } from "../../resources/meta.ts";
import { terminal } from "./failures.ts";

/** An object that claims a remote thing. */
export interface Claimant {
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

function isOlder(a: ObjectMeta, b: ObjectMeta): boolean {
  const createdA = a.creationTimestamp ?? "";
  const createdB = b.creationTimestamp ?? "";
  return createdA === createdB ? a.uid < b.uid : createdA < createdB;
}

/** The one that owns the thing: the oldest, by creationTimestamp and then uid (engine.md §4). */
export function ownerOf<C extends Claimant>(claimants: readonly C[]): C | undefined {
  return claimants.reduce<C | undefined>(
    (oldest, claimant) => (oldest === undefined || isOlder(claimant.metadata, oldest.metadata) ? claimant : oldest),
    undefined,
  );
}

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
    `${thing} belongs to ${owner.kind} ${name} in namespace ${namespace ?? ""}, which is older: delete one of the two objects`,
  );
}
