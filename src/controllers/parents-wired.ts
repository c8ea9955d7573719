import type { Store } from "../kube/store.ts";
import type { KubeObject } from "../resources/meta.ts";
import type { RequestState } from "../resources/requests.ts";
import type { SectionEntry } from "../resources/settings/status.ts";
import type { Environment } from "./environment.ts";
import { isHeldUp } from "./held-up.ts";
import { commonStatusOf } from "./shared/common-status.ts";
import { isTrue } from "./shared/conditions.ts";
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
    store.addHandler({
      added: wake,
      updated: (before, now) => {
        const isOtherwise = !sameJson(standingOf(environment, before), standingOf(environment, now));
        if (isOtherwise || hasComeTrue(environment, before, now)) wake(now);
        const goes = before.metadata.deletionTimestamp !== now.metadata.deletionTimestamp;
        const stops = standstillOf(before) === undefined && standstillOf(now) !== undefined;
        if (goes || stops) wakeOrphans(environment, now);
      },
      deleted: (object) => {
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
 * What children look at of what they live in: whether, where and how it is there, and whether something goes on in it, which the platform may wait for.
 * One that was Ready says so through its edit, to whose end only the generation tells.
 */
function standingOf({ objects }: Environment, parent: KubeObject): unknown {
  const { generation, deletionTimestamp } = parent.metadata;
  const { conditions, recordedFor, ref, connection } = commonStatusOf(parent);
  const rests = isReadyNow(parent) || isTrue(conditions, "Stalled");
  const says = { spoken: hasSpoken(parent), rests, standstill: standstill(conditions) };
  const stands = { generation, deletionTimestamp, ...says };
  const reached = { recordedFor, ref, connection };
  if (parent.kind === "Project") {
    const { state, organization } = objects.projects.kind.parseStatus(parent);
    return { ...stands, ...reached, state, organization };
  }
  const { parentRef, projectState, isDefault } = objects.branches.kind.parseStatus(parent);
  return { ...stands, ...reached, parentRef, projectState, isDefault };
}

/** Whether something is done on the platform that was not: a section is in force, or a request carried out. What drifts or is begun ends no wait. */
function hasComeTrue(environment: Environment, before: KubeObject, now: KubeObject): boolean {
  const [was, is] = [before, now].map((parent) => doneFor(environment, parent));
  return is?.some((one) => was?.includes(one) !== true) ?? false;
}

/** How requests end that may have changed something. */
const CARRIED_OUT: readonly string[] = ["Succeeded", "Failed", "Unknown"] satisfies readonly RequestState[];

function doneFor({ objects }: Environment, parent: KubeObject): readonly string[] {
  const { requests = [], effective } = commonStatusOf(parent);
  const isObserved = effective?.managementPolicy?.value === "Observe";
  const { kind } = parent.kind === "Project" ? objects.projects : objects.branches;
  const inForce = (kind.parseStatus(parent).sections ?? []).filter((entry) => isInForce(entry, isObserved));
  const ended = requests.filter(({ state }) => CARRIED_OUT.includes(state));
  return [
    ...inForce.map(({ name, applied = "" }) => `${name} ${applied}`),
    ...ended.map(({ verb, request, state }) => `${verb} ${request}: ${state}`),
  ];
}

/**
 * Whether the platform has a section as it had it in force, as far as is known: found so, or looked at in vain since. A look that fails names the section, and
 * passes again without having done anything; a write that fails names what differs, or what was sent and may come.
 */
function isInForce({ name, state, applied, sending, fields = [], left }: SectionEntry, isObserved: boolean): boolean {
  if (state === "InSync") return left === undefined;
  if (state !== "Waiting" && state !== "Failed") return false;
  const isKnown = applied !== undefined || isObserved;
  return isKnown && sending === undefined && fields.every((field) => field === `spec.${name}`);
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
