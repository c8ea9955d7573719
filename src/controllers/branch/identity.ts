import { annotations } from "../../resources/annotations.ts";
import { parentOf } from "../../resources/references.ts";
import type { BranchObject } from "../environment.ts";
import { terminal } from "../shared/failures.ts";
import { recordedFirst } from "../shared/ownership.ts";
import type { Session } from "../shared/sessions.ts";
import type { BranchIdentity } from "./observe.ts";

/** Which remote branch an object stands for, before anything is asked of the platform. */
export type IdentifiedBranch =
  /** recorded earlier, for this very object */
  | { readonly kind: "recorded"; readonly identity: BranchIdentity }
  /** to be found by name and taken over, never created: a record of somebody else's, and adoptionPolicy asks for it */
  | { readonly kind: "adopt" }
  /** to be created, or found by name */
  | { readonly kind: "new" };

/**
 * Decides which branch an object stands for (engine.md §4).
 *
 * @throws TerminalError OwnedElsewhere or CredentialChanged where the record is not this object's and nothing asks for an adoption
 */
export function identifyBranch(object: BranchObject, session: Session, cluster: string): IdentifiedBranch {
  const { metadata, spec, status } = object;
  const recorded = recordedFirst(metadata, status, { account: session.account, cluster });
  switch (recorded.kind) {
    case "ours":
      return { kind: "recorded", identity: { ref: recorded.ref, id: recorded.id } };
    case "none":
      return { kind: "new" };
    case "accountChanged":
      // Whose account reaches a managed project is settled by its Project; its branches follow.
      if (parentOf(spec).kind === "Project") {
        return {
          kind: "recorded",
          identity: { ref: recorded.ref, id: status.ref === recorded.ref ? status.id : undefined },
        };
      }
      if (spec.adoptionPolicy === "IfNameMatches") return { kind: "adopt" };
      throw credentialChanged(recorded.ref);
    case "foreign":
      if (spec.adoptionPolicy === "IfNameMatches") return { kind: "adopt" };
      throw ownedElsewhere();
    default:
      return recorded satisfies never;
  }
}

function ownedElsewhere(): Error {
  return terminal(
    "OwnedElsewhere",
    `the annotation ${annotations.ref} was not written for this object (a copied manifest or a restored backup): ` +
      "remove it to create a new branch, or set adoptionPolicy: IfNameMatches to take the branch of this name over",
  );
}

function credentialChanged(ref: string): Error {
  return terminal(
    "CredentialChanged",
    `the branch ${ref} was recorded under another account than the token's: put a token of that account back, ` +
      "or set adoptionPolicy: IfNameMatches to go on with this one",
  );
}
