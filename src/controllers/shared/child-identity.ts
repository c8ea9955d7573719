import { annotations } from "../../resources/annotations.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import type { AdoptionPolicy } from "../../resources/policies.ts";
import { parentOf } from "../../resources/references.ts";
import { terminal } from "./failures.ts";
import { recordedOwnership, type RecordedStatus } from "./ownership.ts";
import type { ChildSpec, ParentPlace } from "./parents.ts";

/** The fields of a child from which its remote thing is known. */
export interface ChildObject {
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ChildSpec & { readonly adoptionPolicy: AdoptionPolicy };
  readonly status: RecordedStatus;
}

/**
 * Whether what a child has in its place is recorded as this very object's (engine.md §4). The status alone is enough: it is written, under
 * a lock, before the first request, and the annotation after it.
 *
 * @throws TerminalError OwnedElsewhere: a copied manifest; CredentialChanged: recorded under another account. Neither where
 *   `adoptionPolicy` asks for what is there
 */
export function ownsInPlace(object: ChildObject, place: ParentPlace, cluster: string): boolean {
  const { metadata, spec, status } = object;
  const recorded = recordedOwnership(metadata, status, { account: place.session.account, cluster });
  const adopt = spec.adoptionPolicy === "IfNameMatches";
  switch (recorded.kind) {
    case "none":
      return false;
    case "ours":
      return recorded.ref === place.ref || (status.recordedFor === metadata.uid && status.ref === place.ref);
    case "accountChanged":
      // Whose account reaches a managed project is settled by its Project; its children follow.
      if (parentOf(spec).kind !== "UnmanagedProject") return recorded.ref === place.ref;
      if (adopt) return false;
      throw terminal(
        "CredentialChanged",
        "recorded under another account than the token's: put a token of that account back, or set adoptionPolicy: IfNameMatches to go on with this one",
      );
    case "foreign":
      if (adopt || metadata.annotations?.[annotations.ref] === undefined) return false;
      throw terminal(
        "OwnedElsewhere",
        `the annotation ${annotations.ref} was not written for this object (a copied manifest or a restored backup): ` +
          "remove it to begin anew, or set adoptionPolicy: IfNameMatches to take over what is there",
      );
    default:
      return recorded satisfies never;
  }
}

/** Where an object under deletion has something that is recorded as its own. */
export interface RecordedPlace {
  readonly ref: string;
  /** whether the status says so, which the operator alone writes; else the annotation alone does, which people can type */
  readonly confirmed: boolean;
}

/**
 * Where an object under deletion has something that is recorded as its own, whatever became of its parent; undefined where nothing is.
 * Looks at nothing remote and needs no credential.
 */
export function recordedPlace(
  metadata: ObjectMeta,
  status: RecordedStatus,
  cluster: string,
): RecordedPlace | undefined {
  const recorded = recordedOwnership(metadata, status, { account: undefined, cluster });
  if (recorded.kind !== "ours") return undefined;
  const { ref } = status;
  return status.recordedFor === metadata.uid && ref !== undefined
    ? { ref, confirmed: true }
    : { ref: recorded.ref, confirmed: false };
}
