import { type Ownership, annotations, parseOwnership, sameOwner } from "../../resources/annotations.ts";
import type { ObjectMeta } from "../../resources/meta.ts";
import { type ConnectionInUse, isElsewhere, type Session } from "./sessions.ts";

/** The record is of this very object. */
export interface RecordedAsOurs {
  readonly kind: "ours";
  readonly ref: string;
  readonly id: string | undefined;
  /** the account that it was recorded under, as far as that is known */
  readonly account: string | undefined;
  /**
   * whether the status says so, which the operator alone writes. An annotation can be typed by whoever may edit the object, and all that is in it
   * stands in the tenant's other objects: by itself it asks for no less than an adoption does of what the connection allows
   */
  readonly confirmed: boolean;
}

/** Which remote thing an object says it has, as far as it can be believed (engine.md §4). */
export type RecordedRemote =
  /** it never had one */
  | { readonly kind: "none" }
  | RecordedAsOurs
  /** recorded for this object, but the credential now belongs to another account */
  | { readonly kind: "accountChanged"; readonly ref: string }
  /** recorded for another object or cluster, or typed by hand: a request for adoption at most */
  | { readonly kind: "foreign"; readonly ref: string | undefined };

/** Who is looking. */
export interface Holder {
  /** account that the credential belongs to; undefined while that is not known (a deletion without a credential) */
  readonly account: string | undefined;
  readonly cluster: string;
}

/** What a status says of identity. */
export interface RecordedStatus {
  readonly ref?: string | undefined;
  readonly id?: string | undefined;
  readonly recordedFor?: string | undefined;
  readonly connection?: { readonly identity: string } | undefined;
}

/**
 * Whether an object is recorded as the one that has a thing (engine.md §4): by its status, which the operator alone writes. An annotation says nothing to
 * others: whoever may make an object can type one.
 */
function isRecordedWith(
  { metadata, status }: { readonly metadata: ObjectMeta; readonly status: RecordedStatus },
  ref: string,
): boolean {
  return status.ref === ref && status.recordedFor === metadata.uid;
}

/** An object by what its status says of identity. */
interface RecordedObject {
  readonly metadata: ObjectMeta;
  readonly status: RecordedStatus & { readonly connection?: ConnectionInUse | undefined };
}

/**
 * Whether another object is recorded as the one that has a thing, on the platform that is looked at.
 *
 * @param named objects of the kind that have to do with the ref
 */
export function isOthers(
  named: readonly RecordedObject[],
  { uid, ref, session }: { readonly uid: string; readonly ref: string; readonly session: Pick<Session, "server"> },
): boolean {
  return named.some(
    ({ metadata, status }) =>
      metadata.uid !== uid && !isElsewhere(status.connection, session) && isRecordedWith({ metadata, status }, ref),
  );
}

/** The ref that the annotation of this very object gives it; one that was copied from another object gives none. */
export function notedRef(metadata: ObjectMeta): string | undefined {
  const noted = parseOwnership(metadata.annotations?.[annotations.ref] ?? "");
  return noted?.object === objectNameOf(metadata) ? noted.ref : undefined;
}

/** namespace/name, as an ownership record names its object. */
export function objectNameOf(metadata: ObjectMeta): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

/**
 * Reads the recorded identity. The annotation decides where there is one: it counts only if account, object and cluster match. Without it
 * (`kubectl replace` drops annotations) the status counts if it was recorded for this very object, told by its uid, which no copy
 * and no restored backup has.
 */
export function recordedOwnership(metadata: ObjectMeta, status: RecordedStatus, holder: Holder): RecordedRemote {
  const text = metadata.annotations?.[annotations.ref];
  if (text !== undefined) return judgeAnnotation(text, { metadata, status }, holder);
  if (status.ref === undefined) return { kind: "none" };
  if (status.recordedFor !== metadata.uid) return { kind: "foreign", ref: status.ref };
  const account = status.connection?.identity;
  if (holder.account !== undefined && account !== undefined && account !== holder.account) {
    return { kind: "accountChanged", ref: status.ref };
  }
  return { kind: "ours", ref: status.ref, id: status.id, account, confirmed: true };
}

/**
 * As `recordedOwnership`, of what has a ref of its own. Where the status names another one for this very object than the annotation does, it was written
 * later: it comes first, and from the operator alone. The annotation then has the one that was gone before this one was made, or what somebody typed.
 */
export function recordedFirst(metadata: ObjectMeta, status: RecordedStatus, holder: Holder): RecordedRemote {
  const recorded = recordedOwnership(metadata, status, holder);
  if (recorded.kind !== "ours" && recorded.kind !== "accountChanged") return recorded;
  const later = status.recordedFor === metadata.uid && status.ref !== undefined && status.ref !== recorded.ref;
  return later ? recordedOwnership({ ...metadata, annotations: {} }, status, holder) : recorded;
}

interface Judged {
  readonly metadata: ObjectMeta;
  readonly status: RecordedStatus;
}

function judgeAnnotation(text: string, { metadata, status }: Judged, holder: Holder): RecordedRemote {
  const ownership = parseOwnership(text);
  if (ownership === undefined) return { kind: "foreign", ref: undefined };
  const expected: Ownership = {
    ...ownership,
    identity: holder.account ?? ownership.identity,
    object: objectNameOf(metadata),
    cluster: holder.cluster,
  };
  if (sameOwner(ownership, expected)) {
    const { ref, id, identity: account } = ownership;
    return { kind: "ours", ref, id, account, confirmed: status.recordedFor === metadata.uid && status.ref === ref };
  }
  const otherAccount = sameOwner({ ...ownership, identity: expected.identity }, expected);
  return otherAccount ? { kind: "accountChanged", ref: ownership.ref } : { kind: "foreign", ref: ownership.ref };
}
