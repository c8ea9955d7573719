import { annotations } from "../../resources/annotations.ts";
import type { ProjectObject } from "../environment.ts";
import { requireAllowedRef } from "../shared/connection-lookup.ts";
import { terminal } from "../shared/failures.ts";
import {
  type Holder,
  recordedFirst,
  type RecordedRemote,
  recordedOwnership,
  type RecordedStatus,
} from "../shared/ownership.ts";
import type { Session } from "../shared/sessions.ts";

/** Which remote project an object stands for, before anything is asked of the platform. */
export type ProjectIdentity =
  /** recorded earlier, for this very object */
  | { readonly kind: "recorded"; readonly ref: string }
  /** recorded for this object by its annotation alone: the status was lost, or somebody typed the annotation */
  | { readonly kind: "unconfirmed"; readonly ref: string }
  /** recorded, and the user wants another one in its place if it is gone */
  | { readonly kind: "recreate"; readonly ref: string }
  /** to be taken over: `spec.ref` asks for it */
  | { readonly kind: "adopt"; readonly ref: string }
  /** to be created, or found by name */
  | { readonly kind: "new" };

/**
 * The recorded project of an object that is to be followed. A ref in the annotation that is another than the status has for this very object was typed by
 * somebody, and is no more than a request to take that project over; but where a project that was gone was just made anew, and the annotation names
 * that one still. What the status has is none the less its own, which a deletion goes by (`recordedFirst`).
 */
export function recordedProject(
  metadata: ProjectObject["metadata"],
  status: RecordedStatus,
  holder: Holder,
): RecordedRemote {
  const recorded = recordedOwnership(metadata, status, holder);
  const first = recordedFirst(metadata, status, holder);
  const noted = "ref" in recorded ? recorded.ref : undefined;
  const isTyped = "ref" in first && first.ref !== noted && metadata.annotations?.[annotations.recreate] !== noted;
  return isTyped ? { kind: "foreign", ref: noted } : first;
}

/**
 * Decides which project an object stands for (engine.md §4).
 *
 * @throws TerminalError OwnedElsewhere: the recorded ref is not this object's, and nothing asks for an adoption;
 *   CredentialChanged: it is, but the token now belongs to another account; NotAllowed
 */
export function identifyProject(object: ProjectObject, session: Session, cluster: string): ProjectIdentity {
  const { metadata, spec, status } = object;
  const recorded = recordedProject(metadata, status, { account: session.account, cluster });
  if (recorded.kind === "ours") {
    const { ref, confirmed } = recorded;
    if (!confirmed) requireAllowedRef(session, ref);
    if (!confirmed) return { kind: "unconfirmed", ref };
    return { kind: metadata.annotations?.[annotations.recreate] === ref ? "recreate" : "recorded", ref };
  }
  if (spec.ref !== undefined) {
    requireAllowedRef(session, spec.ref);
    return { kind: "adopt", ref: spec.ref };
  }
  switch (recorded.kind) {
    case "none":
      return { kind: "new" };
    case "accountChanged":
      throw terminal(
        "CredentialChanged",
        `the project ${recorded.ref} was recorded under another account than the token's: put a token of that account back, ` +
          `or set spec.ref: ${recorded.ref} to go on with this one`,
      );
    case "foreign":
      throw terminal("OwnedElsewhere", foreignMessage(recorded.ref));
    default:
      return recorded satisfies never;
  }
}

function foreignMessage(ref: string | undefined): string {
  const start = `the annotation ${annotations.ref} was not written for this object (a copied manifest or a restored backup)`;
  return ref === undefined
    ? `${start}: remove it`
    : `${start}: remove it to create a new project, or set spec.ref: ${ref} to take the project over`;
}
