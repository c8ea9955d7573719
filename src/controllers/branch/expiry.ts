import type { Branch } from "../../api/contract/branches.ts";
import { annotations } from "../../resources/annotations.ts";
import type { BranchSpec } from "../../resources/branch/spec.ts";
import type { BranchStatus } from "../../resources/branch/status.ts";
import { durationMs } from "../../resources/duration.ts";
import type { DeepReadonly } from "../../resources/kind.ts";
import { requestAnnotation } from "../../resources/requests.ts";
import { withdrawOutputs } from "../outputs/publish.ts";
import { kubeTime } from "../shared/conditions.ts";
import { observeDrift } from "../shared/drift.ts";
import { terminal } from "../shared/failures.ts";
import { FIELD_MANAGER } from "../shared/finalizers.ts";
import { summarizeReady } from "../shared/ready.ts";
import { identify } from "../shared/record-identity.ts";
import { noteFound } from "../shared/require-absence.ts";
import { soughtBranch } from "../shared/sought.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import type { BranchesOf } from "./observe.ts";

/**
 * The end of a branch's ttl: the remote branch is deleted and the object stays, Expired and Ready, until its spec changes, so that
 * GitOps, which applies the same manifest for ever, does not revive it (resources.md, Branch).
 */

/** When a ttl that counts from a moment ends, milliseconds since the epoch; undefined without ttl, or where that moment cannot be read. */
export function expiresAtMs(
  { ttl }: Pick<DeepReadonly<BranchSpec>, "ttl">,
  from: string | undefined,
): number | undefined {
  const fromMs = Date.parse(from ?? "");
  return ttl === undefined || Number.isNaN(fromMs) ? undefined : fromMs + durationMs(ttl);
}

/** What a status says of the end of a branch. */
type NotedEnd = Pick<BranchStatus, "ttl" | "expiresAt">;

/** No end was counted yet: it is counted from the run that does. */
export const UNCOUNTED: NotedEnd = { ttl: undefined, expiresAt: undefined };

/** The end of what this object made itself: counted from its creation. */
export function endOfOwn({ ttl }: Pick<DeepReadonly<BranchSpec>, "ttl">, { created_at: createdAt }: Branch): NotedEnd {
  const endMs = expiresAtMs({ ttl }, createdAt);
  return endMs === undefined ? UNCOUNTED : { ttl, expiresAt: kubeTime(endMs) };
}

/**
 * When a declared ttl ends, milliseconds since the epoch: as it was counted when it was seen first, or from now on. What somebody else made is therefore
 * never deleted for the time before this object had it, nor for the time before the ttl was declared. Pure.
 */
export function countedEndMs(ttl: string, noted: NotedEnd, nowMs: number): number {
  const endMs = Date.parse(noted.expiresAt ?? "");
  return noted.ttl === ttl && !Number.isNaN(endMs) ? endMs : nowMs + durationMs(ttl);
}

/** The platform's time, by which it dates its branches; milliseconds since the epoch. */
export function platformNow(run: BranchRun, { place }: { readonly place: Pick<BranchesOf, "session"> }): number {
  return place.session.client.serverNow() ?? run.environment.clock.now();
}

/** Whether the ttl of this very spec ended: the condition stands for the generation that it was set at. */
export function restsExpired(run: BranchRun): boolean {
  const expired = run.status.condition("Expired");
  return expired?.status === "True" && expired.observedGeneration === run.raw.metadata.generation;
}

/** The spec changed after the end: the branch is made again, with a ttl that begins anew. */
export function endRest(run: BranchRun): void {
  if (run.status.condition("Expired") === undefined) return;
  run.status.remove("Expired");
  run.status.update({ ...UNCOUNTED, id: undefined, deletionScheduledAt: undefined });
}

/**
 * The platform keeps the branch after all: it is the object's, with a ttl that begins anew. To be written with what tells that it is kept, since whoever
 * dies between the two would leave a branch that nobody has.
 */
export function haveBack(run: BranchRun, { place }: BranchContext, { id, project_ref: ref }: Branch): void {
  run.status.update({ ...UNCOUNTED, id, deletionScheduledAt: undefined });
  identify(run, place.session, ref);
  // That it is deleted was agreed to, and is no more.
  noteFound(run, soughtBranch({ ref, id }));
  if (run.status.condition("Expired") === undefined) return;
  for (const ofItsEnd of ["Expired", "Ready"] as const) run.status.remove(ofItsEnd);
}

/** A ttl on what cannot expire is refused rather than not honoured in silence; all else of the branch goes on. */
function whyImmortal({ object }: BranchContext, remote: Branch): Error | undefined {
  if (remote.is_default) {
    return terminal("InvalidSpec", "spec.ttl: the default branch of a project cannot be deleted alone: remove ttl");
  }
  if (remote.persistent && object.spec.persistent === undefined) {
    return terminal(
      "InvalidSpec",
      "spec.ttl: the branch is persistent on the platform and does not expire: remove ttl, or set persistent: false",
    );
  }
  return undefined;
}

/** What the ttl of a branch makes of it. */
export type Expiry =
  /** @property elapsedMs for how long it is over, milliseconds */
  { readonly kind: "over"; readonly elapsedMs: number } | Lasting;

interface Lasting {
  readonly kind: "lasts";
  /** until the end, milliseconds; undefined for one without end */
  readonly untilEndMs: number | undefined;
  /** why the declared ttl does not hold */
  readonly pending: Error | undefined;
}

/** Notes in the status when the ttl of the branch ends. @returns whether it has */
export function noteEnd(run: BranchRun, context: BranchContext, remote: Branch): Expiry {
  const { object, policies } = context;
  const ttl = policies.managementPolicy.value === "Observe" ? undefined : object.spec.ttl;
  const pending = ttl === undefined ? undefined : whyImmortal(context, remote);
  if (ttl === undefined || pending !== undefined) {
    run.status.update(UNCOUNTED);
    return lasts(run, { untilEndMs: undefined, pending });
  }
  const nowMs = platformNow(run, context);
  const endMs = countedEndMs(ttl, run.status.current, nowMs);
  run.status.update({ ttl, expiresAt: kubeTime(endMs) });
  const untilEndMs = endMs - nowMs;
  return untilEndMs > 0 ? lasts(run, { untilEndMs, pending: undefined }) : { kind: "over", elapsedMs: -untilEndMs };
}

/** Whatever was seen of an earlier end, which a restoration or another ttl has put off, says nothing of the next one. */
function lasts({ environment, raw }: BranchRun, how: Omit<Lasting, "kind">): Lasting {
  environment.deletions.forgetEnd(raw.metadata.uid);
  return { kind: "lasts", ...how };
}

/** Whether a recorded branch that is gone went because its ttl had ended: by this operator, before it could say so. */
export function hadExpired(run: BranchRun, context: BranchContext): boolean {
  const { ttl, expiresAt } = run.status.current;
  return (
    ttl !== undefined && ttl === context.object.spec.ttl && Date.parse(expiresAt ?? "") <= platformNow(run, context)
  );
}

/** A branch that the platform keeps for a while after its end. */
interface KeptBranch {
  readonly id: string;
  readonly until: string;
}

/**
 * The remote branch is gone, or is about to be: forgets it, so that nothing takes the end for a loss.
 *
 * @param kept what of it can be had back (after-end.ts)
 */
export async function settleExpired(run: BranchRun, { object }: BranchContext, kept?: KeptBranch): Promise<void> {
  const { environment, raw, type, key, signal } = run;
  const { ref = "", id } = run.status.current;
  await withdrawOutputs(run, object); // they lead to what is no more
  if (raw.metadata.annotations?.[annotations.ref] !== undefined) {
    const patch = { metadata: { uid: raw.metadata.uid, annotations: { [annotations.ref]: null } } };
    await environment.kube.patchMerge(type, key, patch, { fieldManager: FIELD_MANAGER, signal });
  }
  const message =
    `the ttl ${object.spec.ttl ?? ""} ended at ${run.status.current.expiresAt ?? ""} and the branch was deleted: ` +
    "change the spec to have it made again" +
    (kept === undefined ? "" : `, or, until ${kept.until}, annotate it ${requestAnnotation("restore")}: <a new id>`);
  run.status.update({
    id: kept?.id,
    ref: undefined,
    recordedFor: undefined,
    name: undefined,
    state: undefined,
    projectState: undefined,
    isDefault: undefined,
    persistent: undefined,
    host: undefined,
    createdAt: undefined,
    deletionScheduledAt: kept?.until,
    services: undefined,
    underway: undefined,
  });
  observeDrift(run, []); // nothing is left that could differ
  run.status.set("Expired", "True", "Expired", message);
  summarizeReady(run.status, "Expired", message);
  run.wrote("Expired", message);
  // That it is deleted was agreed to, and is over: nobody looks for it any more, or only to have it back.
  noteFound(run, soughtBranch({ ref, id }));
}
