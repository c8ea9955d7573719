import { createHash } from "node:crypto";
import { isPaused } from "../../resources/annotations.ts";
import { MOST_REVISIONS } from "../../resources/edge-function/status.ts";
import { type ParentSpec } from "../../resources/references.ts";
import type { Environment, FunctionObject, SecretObject } from "../environment.ts";
import { versionsChangedSince } from "../references.ts";
import { PARENT_INDEX, parentKey, REF_INDEX } from "../indexes.ts";
import { isTrue } from "./conditions.ts";
import { objectNameOf } from "./ownership.ts";

/**
 * Changes of the environment of a place's functions, as the Secret objects there recorded them under `redeployOnSecretChange`, and whether a
 * function was deployed since (ADR 19). Reads the stores and nothing remote.
 */

/** The last change of the environment by one Secret object. */
export interface Revision {
  /** namespace and name of the Secret object */
  readonly name: string;
  readonly uid: string;
  /** differs from that of every other change by the object */
  readonly revision: string;
}

/** A revision that stands, and whether functions are to be deployed again for it. */
export interface StandingRevision extends Revision {
  readonly asks: boolean;
}

/** What lives in a project or branch: refs of different platforms do not meet. */
interface EnvironmentPlace {
  readonly ref: string;
  readonly server: string | undefined;
}

function isIn({ metadata, status }: SecretObject, { ref, server }: EnvironmentPlace): boolean {
  const other = status.connection?.server;
  const samePlatform = server === undefined || other === undefined || server === other;
  return status.ref === ref && status.recordedFor === metadata.uid && samePlatform;
}

function asks({ metadata, spec }: SecretObject): boolean {
  return spec.redeployOnSecretChange && metadata.deletionTimestamp === undefined;
}

/** The revisions of every Secret object that has set something in the place. */
export function revisionsAt({ objects }: Environment, place: EnvironmentPlace): readonly StandingRevision[] {
  return objects.secrets.byIndex(REF_INDEX, place.ref).flatMap((secret) => {
    const { metadata, status } = secret;
    const revision = status.environment?.revision;
    if (revision === undefined || !isIn(secret, place)) return [];
    return [{ name: objectNameOf(metadata), uid: metadata.uid, revision, asks: asks(secret) }];
  });
}

/** Whether a function that was deployed with the one has not read what the other says. A revision is compared, never ordered. */
export function isOutdated(seen: readonly Revision[] | undefined, standing: readonly StandingRevision[]): boolean {
  return outdatedBy(seen, standing).length > 0;
}

/** The uid of no object: of what stands for all Secret objects that a status does not list. */
const OTHERS = "others";

/** Revisions in the order of their objects: those that a status lists, and one that stands for all others. */
interface Folded<One> {
  readonly listed: readonly One[];
  readonly others: { readonly all: readonly One[]; readonly revision: string } | undefined;
}

function folded<One extends Revision>(revisions: readonly One[]): Folded<One> {
  const sorted = revisions.toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  if (sorted.length <= MOST_REVISIONS) return { listed: sorted, others: undefined };
  const all = sorted.slice(MOST_REVISIONS - 1);
  const digest = createHash("sha256").update(JSON.stringify(all.map(({ uid, revision }) => [uid, revision])));
  return { listed: sorted.slice(0, MOST_REVISIONS - 1), others: { all, revision: digest.digest("hex") } };
}

/** Those that a status lists and that do not stand: they keep their places in its list, or all after them would seem to be others. */
function beside(seen: readonly Revision[] | undefined, standing: readonly Revision[]): readonly Revision[] {
  const standingUids = new Set(standing.map(({ uid }) => uid));
  return (seen ?? []).filter(({ uid }) => uid !== OTHERS && !standingUids.has(uid));
}

/**
 * Of the revisions that ask for it, those that a function was not deployed with. Of those that no status lists, that is all of them where any is
 * another one, or there no more.
 */
export function outdatedBy(
  seen: readonly Revision[] | undefined,
  standing: readonly StandingRevision[],
): readonly StandingRevision[] {
  const known = new Map((seen ?? []).map(({ uid, revision }) => [uid, revision]));
  const { listed, others } = folded([...beside(seen, standing).map((one) => ({ ...one, asks: false })), ...standing]);
  const unlisted = others === undefined || known.get(OTHERS) === others.revision ? [] : others.all;
  return [...listed, ...unlisted].filter((one) => one.asks && known.get(one.uid) !== one.revision);
}

/**
 * What a function has seen once it is deployed: all that stands, and what it saw of objects that are there and cannot be read just now, as far as a
 * status lists those. Undefined where there is nothing.
 */
export function seenWith(
  { objects }: Environment,
  seen: readonly Revision[] | undefined,
  standing: readonly StandingRevision[],
): readonly Revision[] | undefined {
  const exists = ({ name, uid }: Revision): boolean => {
    const slash = name.indexOf("/");
    return objects.secrets.raw(name.slice(0, slash), name.slice(slash + 1))?.metadata.uid === uid;
  };
  const kept = beside(seen, standing).filter(exists);
  const all = standing.map(({ name, uid, revision }) => ({ name, uid, revision }));
  // Of what no status lists nobody could tell afterwards that it does not stand.
  const places = new Set(folded([...kept, ...all]).listed.map(({ uid }) => uid));
  const { listed, others } = folded([...kept.filter(({ uid }) => places.has(uid)), ...all]);
  if (others === undefined) return listed.length === 0 ? undefined : listed;
  return [...listed, { name: `${others.all.length} others`, uid: OTHERS, revision: others.revision }];
}

/** Whether a Secret object is about to change the environment, or may be, as far as the cluster tells. */
export function isChanging({ coreSecrets }: Environment, secret: SecretObject): boolean {
  const { metadata, status } = secret;
  const { conditions, environment, observedGeneration, sources: versions = [] } = status;
  const idle = isPaused(metadata) || isTrue(conditions, "Stalled");
  if (!asks(secret) || idle) return false;
  return (
    environment?.pending !== undefined ||
    observedGeneration !== metadata.generation ||
    isTrue(conditions, "Reconciling") ||
    versionsChangedSince({ store: coreSecrets, versions }, metadata.namespace)
  );
}

interface ChildOfParent {
  readonly metadata: { readonly namespace?: string | undefined };
  readonly spec: ParentSpec;
}

/** Whether a Secret object of the place is about to change the environment; also one that has set nothing there yet, under the same parent. */
export function isEnvironmentChanging(
  environment: Environment,
  child: ChildOfParent,
  place: EnvironmentPlace,
): boolean {
  const { secrets } = environment.objects;
  const parent = parentKey(child.metadata.namespace ?? "", child.spec);
  return (
    secrets.byIndex(REF_INDEX, place.ref).some((one) => isIn(one, place) && isChanging(environment, one)) ||
    secrets.byIndex(PARENT_INDEX, parent).some((one) => isChanging(environment, one))
  );
}

/** Whether a function is to be deployed again, by what its status says; who does nothing at all now is not. */
export function awaitsRedeployment(environment: Environment, { metadata, status }: FunctionObject): boolean {
  const { ref, recordedFor, connection, effective } = status;
  // Also while it is deployed for the first time: what changes meanwhile it may not have read.
  if (ref === undefined || recordedFor !== metadata.uid) return false;
  if (metadata.deletionTimestamp !== undefined || isPaused(metadata)) return false;
  if (effective?.managementPolicy?.value === "Observe") return false;
  return isOutdated(status.environment, revisionsAt(environment, { ref, server: connection?.server }));
}
