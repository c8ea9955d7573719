import type { ObjectMeta } from "../../resources/meta.ts";
import type { Environment } from "../environment.ts";
import { claimAt, parentKey, REF_INDEX } from "../indexes.ts";
import { objectNameOf } from "./ownership.ts";
import { type ChildSpec, parentPlace } from "./parents.ts";

/** A remote place, and whose credential reaches it (engine.md §4). */
export interface RemotePlace {
  readonly ref: string;
  readonly account: string;
  /** base URL of the platform: what other accounts have there counts too. Undefined: not known here */
  readonly server?: string | undefined;
}

interface RecordedChild {
  readonly metadata: ObjectMeta;
  readonly status: {
    readonly ref?: string | undefined;
    readonly recordedFor?: string | undefined;
    readonly connection?: { readonly identity: string; readonly server?: string | undefined } | undefined;
  };
}

/** One that cannot be read has no spec, and leads nowhere. */
interface ActingChild extends RecordedChild {
  readonly spec?: ChildSpec | undefined;
}

/**
 * Whether an object is recorded as having something in a place. Who records that has looked there: of two accounts that reach one place neither takes what
 * the other has. What is recorded of another platform says nothing, whatever ref it gives; where it is not known which one it was, it may be this one.
 */
export function isRecordedIn({ metadata, status }: RecordedChild, { ref, account, server }: RemotePlace): boolean {
  const { identity = account, server: recordedOn } = status.connection ?? {};
  const isElsewhere = server !== undefined && recordedOn !== undefined && recordedOn !== server;
  const isReached = identity === account || !isElsewhere;
  return status.ref === ref && status.recordedFor === metadata.uid && isReached;
}

/** Whether an object has, or may now make, something in a place. */
export function actsIn(environment: Environment, child: ActingChild, place: RemotePlace): boolean {
  return isRecordedIn(child, place) || leadsTo(environment, child, place);
}

/**
 * Whether an object may now make something in a place. Who is not known to reach it does not count: else naming somebody's project would be enough to block
 * what lives in it.
 */
function leadsTo(environment: Environment, child: ActingChild, place: RemotePlace): boolean {
  if (child.spec === undefined) return false;
  try {
    const { ref, session } = parentPlace(environment, child.metadata.namespace ?? "", child.spec);
    const isThisServer = place.server === undefined || session.server === place.server;
    return ref === place.ref && session.account === place.account && isThisServer;
  } catch {
    return false; // its parent or connection is not there or not up; its own reconcile says so
  }
}

/**
 * Whether what a child names stands for a place, be it up or not: for as many as are asked for. What is recorded there of one that names another place by now,
 * or nothing that there is, it cannot act on.
 */
export function standingFor(environment: Environment, ref: string): (child: ActingChild) => boolean {
  const parents = new Set(parentsAt(environment, ref));
  return ({ metadata, spec }) => spec !== undefined && parents.has(parentKey(metadata.namespace ?? "", spec));
}

/** What children name to live in a place: as `parentKey` writes it. */
export function parentsAt({ objects: { projects, branches } }: Environment, ref: string): readonly string[] {
  return [
    `ref/${ref}`,
    ...projects.recordsByIndex(REF_INDEX, ref).map((parent) => `Project/${objectNameOf(parent.metadata)}`),
    ...branches.recordsByIndex(REF_INDEX, ref).map((parent) => `Branch/${objectNameOf(parent.metadata)}`),
  ];
}

/** Under what claims of a name in a place stand in `CLAIM_INDEX`: recorded there, or declared by what names it. */
export function claimsAt(environment: Environment, ref: string, name: string): readonly string[] {
  return [ref, ...parentsAt(environment, ref)].map((place) => claimAt(place, name));
}
