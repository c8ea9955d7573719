import { isDeepStrictEqual } from "node:util";
import type { StateView } from "../../../src/emulator/control/views.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import type { KubeObject } from "../../../src/resources/meta.ts";
import { annotations } from "../../../src/resources/annotations.ts";
import { isReady, type Seen, seenSchema, stalledFor } from "../matrix/seen.ts";
import { branchFaults } from "./branch-verdict.ts";
import { environmentFaults } from "./environment.ts";
import type { Garden, LeftFunction, Place } from "./garden.ts";
import { types } from "./manifests.ts";
import { projectFaults } from "./project-verdict.ts";
import type { World } from "./world.ts";

/** Whether cluster and platform are as the model says. */

const OURS = [types.clusterConnection, types.connection, types.project, types.branch, types.function, types.secret];

/** Every object of ours in the cluster; the namespace of one that has none is "". */
export async function objectsOf(kube: KubeClient): Promise<readonly Seen[]> {
  const lists = await Promise.all(OURS.map((type) => kube.listPage(type, { limit: 0 })));
  return lists.flatMap(({ items }) => items.map(placed));
}

export function placed(object: KubeObject): Seen {
  return seenSchema.parse({ ...object, metadata: { namespace: "", ...object.metadata } });
}

/** Outputs of objects that are gone, by their names: the cluster's garbage collector has them still to take away. */
export async function uncollected(kube: KubeClient): Promise<readonly string[]> {
  const [objects, { items }] = await Promise.all([objectsOf(kube), kube.listPage(types.coreSecret, { limit: 0 })]);
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  const left = items.filter(({ metadata: { ownerReferences = [] } }) => {
    const owners = ownerReferences.filter(({ apiVersion }) => apiVersion.startsWith("baas.dev/"));
    return owners.length > 0 && owners.every(({ uid }) => !uids.has(uid));
  });
  return left.map(({ metadata: { namespace = "", name } }) => `the Secret ${namespace}/${name} is not collected`);
}

/** What is wrong, in words; nothing is where there are none. */
export async function faultsOf(world: World, gardens: readonly Garden[]): Promise<readonly string[]> {
  const [objects, state] = await Promise.all([objectsOf(world.kube), world.emulator.control.state.read({})]);
  const faults = gardens.flatMap((garden) => [...clusterFaults(garden, objects), ...platformFaults(garden, state)]);
  // What it asks the platform for, it asks for only where all the rest is well.
  if (faults.length > 0) return faults;
  const more = gardens.flatMap((garden) => [
    environmentFaults(world, garden, objects),
    projectFaults(world, garden, objects),
    branchFaults(world, garden, objects),
  ]);
  return (await Promise.all(more)).flat();
}

/** The objects that are to be in a garden, by kind and name. */
function wantedIn(garden: Garden): readonly string[] {
  const names = (kind: string, keys: Iterable<string>): string[] => [...keys].map((name) => `${kind} ${name}`);
  if (garden.projectName === undefined) return [];
  return [
    ...(garden.shared ? [] : ["Connection default"]),
    "Project shop",
    ...names("Branch", garden.branches.keys()),
    ...names("EdgeFunction", garden.functions.keys()),
    ...names("EdgeFunction", garden.thieves.keys()),
    ...names("EdgeFunction", garden.watchers.keys()),
    ...names("Secret", garden.secrets.keys()),
  ];
}

function clusterFaults(garden: Garden, all: readonly Seen[]): readonly string[] {
  const own = all.filter(({ metadata }) => metadata.namespace.startsWith(`${garden.organization}-`));
  const wanted = wantedIn(garden);
  const there = new Map(own.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
  const missing = wanted.filter((name) => !there.has(name)).map((name) => `${name} is not there`);
  const more = [...there.keys()].filter((name) => !wanted.includes(name)).map((name) => `${name} is there still`);
  const wrong = wanted.flatMap((name) => {
    const object = there.get(name);
    return object === undefined ? [] : objectFaults(garden, object);
  });
  return [...missing, ...more, ...wrong, ...sharedFaults(garden, all)].map((fault) => `${garden.namespace}: ${fault}`);
}

/** The ClusterConnection is there, and well, as long as nobody has deleted it, and held only while something depends on it. */
function sharedFaults(garden: Garden, all: readonly Seen[]): readonly string[] {
  if (!garden.shared) return [];
  const shared = all.find(({ kind }) => kind === "ClusterConnection");
  if (shared === undefined) return garden.isOpen ? ["the ClusterConnection is not there"] : [];
  if (!garden.isOpen) return ["the ClusterConnection is there still"];
  // It is let go of by its own next look: until then there is something to be written, however long everything else has been at rest.
  const isHeld = garden.projectName === undefined && shared.metadata.finalizers.length > 0;
  if (isHeld) return ["the ClusterConnection is held still for what is gone"];
  return restFaults(garden, shared).map((fault) => `the ClusterConnection ${fault}: ${conditionsOf(shared)}`);
}

/** Conditions that an object at rest has not. */
const UNREST = ["Reconciling", "Stalled", "Converging", "Paused"];

function objectFaults(garden: Garden, object: Seen): readonly string[] {
  const { kind, metadata } = object;
  const name = `${kind} ${metadata.name}`;
  const { namespace } = garden;
  if (metadata.namespace !== namespace) return [`${name} is in ${metadata.namespace}`];
  if (metadata.deletionTimestamp !== undefined) return [`${name} is being deleted`];
  return stateFaults(garden, object).map((fault) => `${name} ${fault}: ${conditionsOf(object)}`);
}

function conditionsOf({ status }: Seen): string {
  return JSON.stringify(status.conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message]));
}

function stateFaults(garden: Garden, object: Seen): readonly string[] {
  const { kind, metadata } = object;
  const { name } = metadata;
  const says = (reason: string): readonly string[] => (stalledFor(object) === reason ? [] : [`does not say ${reason}`]);
  if (kind === "Project" && garden.pausedAs !== undefined) {
    return isTrue(object, "Paused") ? [] : ["does not say Paused"];
  }
  if (kind === "Branch" && garden.branchNow(name) === undefined) return says("RemoteMissing");
  if (kind !== "EdgeFunction") return restFaults(garden, object);
  if (garden.thieves.has(name)) return says("Conflict");
  const looked = observedBy(garden, name);
  if (looked !== undefined && looked.found === undefined) return says("InvalidSpec");
  const isGone = garden.functions.has(name) && garden.functionNow(name) === undefined;
  return isGone ? goneFaults(garden, object) : restFaults(garden, object);
}

/** What an EdgeFunction that only observes looks at, and what it declares of that; undefined for one that manages. */
function observedBy(
  { functions, watchers, theirFunctions, observedFunctions }: Garden,
  name: string,
): { readonly found: LeftFunction; readonly verifyJwt: boolean } | undefined {
  const watcher = watchers.get(name);
  if (watcher !== undefined) return { found: theirFunctions.get(watcher.slug), verifyJwt: watcher.verifyJwt };
  const declared = observedFunctions.has(name) ? functions.get(name) : undefined;
  return declared === undefined ? undefined : { found: observedFunctions.get(name), verifyJwt: declared.verifyJwt };
}

/** Whether somebody deleted a function whose object ignores that, and nobody has looked since: whoever leads newly does so within a drift interval. */
export async function isGoneUntold({ kube }: World, gardens: readonly Garden[]): Promise<boolean> {
  const objects = await objectsOf(kube);
  return gardens.some((garden) =>
    objects.some(
      (object) =>
        object.kind === "EdgeFunction" &&
        object.metadata.namespace === garden.namespace &&
        ignoresAbsence(garden, object) &&
        isReady(object),
    ),
  );
}

function ignoresAbsence(garden: Garden, { metadata: { name } }: Seen): boolean {
  return garden.functions.get(name)?.driftPolicy === "Ignore" && garden.functionNow(name) === undefined;
}

/** What is wrong with an object whose function somebody deleted, which its drift policy leaves so. */
function goneFaults(garden: Garden, object: Seen): readonly string[] {
  const isIgnored = ignoresAbsence(garden, object);
  const saysSo = object.status.conditions.some(({ type, reason }) => type === "Ready" && reason === "DriftDetected");
  // Who does not look for drift does not see it, unless something else made it look.
  if (isIgnored) return saysSo || isReady(object) ? [] : ["is neither Ready nor says that it is gone"];
  return saysSo && isTrue(object, "Drifted") ? [] : ["does not say that it is gone"];
}

/** Whether the condition Drifted belongs to it. */
function hasDrifted(garden: Garden, { kind, metadata: { name } }: Seen): boolean {
  switch (kind) {
    case "Project":
      return garden.isDrifted && garden.settings.driftPolicy === "Report";
    case "Branch":
      return garden.driftedBranches.has(name) && garden.branches.get(name)?.driftPolicy === "Report";
    case "EdgeFunction":
      return functionHasDrifted(garden, name);
    case "Secret":
      return secretHasDrifted(garden, name);
    default:
      return false;
  }
}

function functionHasDrifted(garden: Garden, name: string): boolean {
  const looked = observedBy(garden, name);
  if (looked !== undefined) return looked.found?.verifyJwt !== looked.verifyJwt;
  return garden.drifted.has(name) && garden.functions.get(name)?.driftPolicy === "Report";
}

/** One that only observes tells of every difference. */
function secretHasDrifted(garden: Garden, name: string): boolean {
  const declared = garden.secrets.get(name);
  if (!garden.observedSecrets.has(name)) return garden.driftedSecrets.has(name) && declared?.driftPolicy === "Report";
  const found = garden.secretNow(name);
  return [...(declared?.values ?? [])].some(([key, value]) => found.get(key) !== value);
}

/** What is wrong with an object that is to be as declared, or as it is left. */
function restFaults(garden: Garden, object: Seen): readonly string[] {
  const { kind, metadata, status } = object;
  if (!isReady(object)) return ["is not Ready"];
  if (status.conditions.some(({ type }) => UNREST.includes(type))) return ["is not at rest"];
  if (status.intent !== undefined) return ["is Ready and has an intent"];
  const told = isTrue(object, "Drifted");
  if (hasDrifted(garden, object) !== told) return [told ? "says that it drifted" : "does not say that it drifted"];
  // It outlives a status that is lost (engine.md §4): nobody is to wait for the next look until it is there.
  const isRecorded = !UNRECORDED.includes(kind) && !garden.watchers.has(metadata.name);
  if (isRecorded && metadata.annotations[annotations.ref] === undefined) return ["has no record"];
  const asked = metadata.annotations[annotations.reconcileAt];
  return asked === status.lastHandledReconcileAt ? [] : ["has not looked"];
}

/** Kinds that have nothing remote of their own. */
const UNRECORDED = ["Connection", "ClusterConnection"];

function isTrue({ status }: Seen, condition: string): boolean {
  return status.conditions.some(({ type, status: is }) => type === condition && is === "True");
}

function platformFaults(garden: Garden, state: StateView): readonly string[] {
  const expected = garden.expected();
  const found = projectsIn(state, garden);
  const names = [...new Set([...Object.keys(expected), ...found.map(([name]) => name)])];
  return names.flatMap((name) => {
    const places = found.filter(([one]) => one === name).map(([, place]) => place);
    const [place] = places;
    const what = `${garden.organization}: the project ${name}`;
    const wanted = withDigests(expected[name]);
    if (places.length > 1) return [`${what} is there ${places.length} times`];
    if (isDeepStrictEqual(place, wanted)) return [];
    return [`${what} is ${JSON.stringify(place)} instead of ${JSON.stringify(wanted)}`];
  });
}

function projectsIn({ projects, branches }: StateView, { organization }: Garden): readonly [string, Place][] {
  return projects
    .filter(
      ({ organization: owner, branchOf, status }) =>
        owner === organization && branchOf === undefined && status !== "REMOVED",
    )
    .map(({ name, ref, functions, secrets }) => [
      name,
      {
        functions: byName(
          functions.map(({ slug, files, verifyJwt }) => [slug, { sha256: files[0]?.sha256 ?? "", verifyJwt }]),
        ),
        secrets: byName(secrets.filter(({ platform }) => !platform).map((one) => [one.name, one.digest])),
        branches: branches
          .filter(({ parentRef }) => parentRef === ref)
          .map((one) => one.name)
          .toSorted(),
      },
    ]);
}

function withDigests(place: Place | undefined): Place | undefined {
  if (place === undefined) return undefined;
  const { functions, secrets, branches } = place;
  return { functions: byName(Object.entries(functions)), secrets: byName(Object.entries(secrets)), branches };
}

function byName<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
