import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { RequestState } from "../resources/requests.ts";
import type { SectionEntry } from "../resources/settings/status.ts";
import type { Environment } from "./environment.ts";
import { isHeldUp } from "./held-up.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { findCondition, isTrue } from "./shared/conditions.ts";
import { sameJson } from "./shared/merge-patch.ts";
import { objectNameOf } from "./shared/ownership.ts";
import { parentRefIfKnown, standstill } from "./shared/parents.ts";
import { PARENT_INDEX } from "./indexes.ts";
import { childSpecOf, isOrphaned, standstillOf } from "./orphans.ts";
import { hasSpoken, isReadyNow, keyOf, wakeWaiting } from "./watching.ts";

/** How children learn of their parents: those that wait for one, those whose place is another one now, and those whose parent goes. */

/**
 * Wakes the children of a Project or Branch that changes in what they look at. Whatever else is written to it ends nothing that they wait for, and what the
 * platform refused them is not asked for again for it.
 *
 * @param parents the stores of both kinds
 */
export function wireParents(environment: Environment, parents: readonly Store[]): void {
  for (const store of parents) {
    const wake = (object: KubeObject): void => wakeChildren(environment, object);
    /** by uid */
    const known = new Map<string, Said>();
    store.addHandler({
      added: wake,
      updated: (before, now) => {
        const { uid } = now.metadata;
        const was = known.get(uid) ?? saidBy(environment, before);
        const is = saidBy(environment, now, was);
        known.set(uid, is);
        const isOtherwise = !sameJson(standingOf(environment, before), standingOf(environment, now));
        if (isOtherwise || hasComeTrue(was, is)) wake(now);
        const goes = before.metadata.deletionTimestamp !== now.metadata.deletionTimestamp;
        const stops = standstillOf(before) === undefined && standstillOf(now) !== undefined;
        if (goes || stops) wakeOrphans(environment, now);
      },
      deleted: (object) => {
        known.delete(object.metadata.uid);
        wake(object);
        wakeOrphans(environment, object);
      },
      synced: () => wakeOrphaned(environment),
    });
  }
}

/** Those that wait, in its branches too: what a Branch says need not change with what its Project does. */
function wakeChildren(environment: Environment, parent: KubeObject): void {
  const { branches, functions, secrets } = environment.objects;
  for (const children of [branches, functions, secrets]) {
    const found = children.reader.byIndex(PARENT_INDEX, placeOf(parent));
    wakeWaiting(found, environment.enqueue, (child) => isHeldUp(environment, child));
    wakeDisplaced(environment, found);
    for (const child of found) if (child.kind === "Branch") wakeChildren(environment, child);
  }
}

/**
 * What children look at of what they live in: whether, where and how it is there. One that was Ready says so through its edit, to whose end only the
 * generation tells.
 */
function standingOf({ objects }: Environment, parent: KubeObject): unknown {
  const { generation, deletionTimestamp } = parent.metadata;
  const { conditions, recordedFor, ref, connection } = commonStatusOf(parent);
  const stands = { generation, deletionTimestamp, spoken: hasSpoken(parent), standstill: standstill(conditions) };
  const reached = { recordedFor, ref, connection };
  if (parent.kind === "Project") {
    const { state, organization } = objects.projects.kind.parseStatus(parent);
    return { ...stands, ...reached, state, organization };
  }
  const { parentRef, projectState, isDefault } = objects.branches.kind.parseStatus(parent);
  return { ...stands, ...reached, parentRef, projectState, isDefault };
}

/** What a parent said last that is not only that a look failed: through such a flap it stands as it stood. In memory: a life begins with what is stored. */
interface Said {
  /** how it came to rest; undefined: something goes on in it, which the platform may wait for */
  readonly rest: string | undefined;
  /** what is done on the platform: the sections that are in force, and the requests that were carried out */
  readonly done: readonly string[];
}

/** Whether it came to rest otherwise, or something is done on the platform that was not. What drifts or is begun ends no wait. */
function hasComeTrue(was: Said, is: Said): boolean {
  const restsOtherwise = is.rest !== undefined && is.rest !== was.rest;
  return restsOtherwise || is.done.some((one) => !was.done.includes(one));
}

/** How requests end that may have changed something. */
const CARRIED_OUT: readonly string[] = ["Succeeded", "Failed", "Unknown"] satisfies readonly RequestState[];

function saidBy({ objects }: Environment, parent: KubeObject, before?: Said): Said {
  const { requests = [], effective } = commonStatusOf(parent);
  const isObserved = effective?.managementPolicy?.value === "Observe";
  const { kind } = parent.kind === "Project" ? objects.projects : objects.branches;
  const entries = kind.parseStatus(parent).sections ?? [];
  const inVain = entries.filter((entry) => isLookedAtInVain(entry, isObserved));
  const inForce = entries.filter(({ state, left }) => state === "InSync" && left === undefined).map(inForceAs);
  const inForceStill = inVain.map(inForceAs).filter((one) => before?.done.includes(one) === true);
  const ended = requests.filter(({ state }) => CARRIED_OUT.includes(state));
  return {
    rest: isFlap(parent, entries, inVain) ? before?.rest : restOf(parent, before),
    done: [...inForce, ...inForceStill, ...ended.map(({ verb, request, state }) => `${verb} ${request}: ${state}`)],
  };
}

function inForceAs({ name, applied = "" }: SectionEntry): string {
  return `${name} ${applied}`;
}

/**
 * Whether a look at a section failed, and is all that is known to be the matter with it: it may pass without that anything was done. Such a look names the
 * section; a write that fails names what differs, or what was sent and may come.
 */
function isLookedAtInVain({ name, state, applied, sending, fields = [] }: SectionEntry, isObserved: boolean): boolean {
  if (state !== "Waiting" && state !== "Failed") return false;
  const isKnown = applied !== undefined || isObserved;
  return isKnown && sending === undefined && fields.every((field) => field === `spec.${name}`);
}

const READY = "Ready";

/** One that must be seen to, and says for a moment that a look failed, is to be seen to still. */
function restOf(parent: KubeObject, before: Said | undefined): string | undefined {
  if (isReadyNow(parent)) return READY;
  const stalled = findCondition(commonStatusOf(parent).conditions, "Stalled");
  if (stalled?.status === "True") return `Stalled: ${stalled.reason}`;
  return before?.rest === READY ? undefined : before?.rest;
}

/** Whether it is not Ready for nothing else than looks at sections that failed. */
function isFlap(parent: KubeObject, entries: readonly SectionEntry[], inVain: readonly SectionEntry[]): boolean {
  const { conditions } = commonStatusOf(parent);
  if (isReadyNow(parent)) return false;
  const states = isTrue(conditions, "Stalled") ? ["Failed"] : ["Waiting", "Applying"];
  const toldOf = entries.filter(({ state }) => states.includes(state));
  const reason = findCondition(conditions, "Ready")?.reason;
  return toldOf.every((one) => inVain.includes(one)) && toldOf.some((one) => one.reason === reason);
}

/** What an object is to its children, as they stand in the index. */
function placeOf({ kind, metadata }: KubeObject): string {
  return `${kind}/${objectNameOf(metadata)}`;
}

/**
 * Everything that lives in a parent that goes, in its branches too: what is Ready there would call itself as declared until its drift check. To be
 * called when the parent's deletion begins and when it has gone, not at what happens between, and when what it stands for was found to be gone.
 */
function wakeOrphans(environment: Environment, parent: KubeObject): void {
  const { branches, functions, secrets } = environment.objects;
  for (const children of [branches, functions, secrets]) {
    for (const child of children.reader.byIndex(PARENT_INDEX, placeOf(parent))) {
      if (!isHeldUp(environment, child)) {
        environment.enqueue(keyOf(child), { lane: "change", wasReady: isReadyNow(child) });
      }
      if (child.kind === "Branch") wakeOrphans(environment, child);
    }
  }
}

/** Children that a start found before it was known that what they live in is not there any more: each is looked at once more. */
function wakeOrphaned(environment: Environment): void {
  const { branches, functions, secrets } = environment.objects;
  for (const { reader } of [branches, functions, secrets]) {
    for (const child of reader.list()) {
      if (isOrphaned(environment, child)) environment.enqueue(keyOf(child), { lane: "change", wasReady: true });
    }
  }
}

/** Wakes children that are Ready in another place than their parent now has: with `driftPolicy: Ignore` no drift check would ever look at them. */
function wakeDisplaced(environment: Environment, children: Iterable<KubeObject>): void {
  for (const child of children) {
    if (!isDisplaced(environment, child) || !isReadyNow(child)) continue;
    environment.enqueue(keyOf(child), { lane: "change", wasReady: true });
  }
}

/** Whether the parent of a child stands for another place than the child was in when it was last looked at: it was made anew. */
export function isDisplaced(environment: Environment, object: KubeObject): boolean {
  const spec = childSpecOf(environment, object);
  if (spec === undefined) return false;
  const ref = parentRefIfKnown(environment, object.metadata.namespace ?? "", spec);
  const { parentRef } = environment.objects.branches.kind.parseStatus(object);
  const known = object.kind === "Branch" ? parentRef : commonStatusOf(object).ref;
  return known !== undefined && ref !== undefined && known !== ref;
}
