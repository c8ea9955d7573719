import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { StateView } from "../../../src/emulator/control/views.ts";
import type { KubeClient } from "../../../src/kube/client.ts";
import { annotations } from "../../../src/resources/annotations.ts";
import { isReady, type Seen, seenSchema, stalledFor } from "../matrix/seen.ts";
import type { Garden, Place } from "./garden.ts";
import { types } from "./manifests.ts";
import type { World } from "./world.ts";

/** Whether cluster and platform are as the model says. */

const OURS = [types.connection, types.project, types.branch, types.function, types.secret];

const kindsList = z.array(seenSchema);

/** Every object of ours in the cluster. */
export async function objectsOf(kube: KubeClient): Promise<readonly Seen[]> {
  const lists = await Promise.all(OURS.map((type) => kube.listPage(type, { limit: 0 })));
  return kindsList.parse(lists.flatMap(({ items }) => items));
}

/** What is wrong, in words; nothing is where there are none. */
export async function faultsOf(world: World, gardens: readonly Garden[]): Promise<readonly string[]> {
  const [objects, state] = await Promise.all([objectsOf(world.kube), world.emulator.control.state.read({})]);
  return gardens.flatMap((garden) => [...clusterFaults(garden, objects), ...platformFaults(garden, state)]);
}

function clusterFaults(garden: Garden, all: readonly Seen[]): readonly string[] {
  const own = all.filter(({ metadata }) => metadata.namespace.startsWith(`${garden.organization}-`));
  const names = (kind: string, keys: Iterable<string>): string[] => [...keys].map((name) => `${kind} ${name}`);
  const wanted =
    garden.projectName === undefined
      ? []
      : [
          "Connection default",
          "Project shop",
          ...names("Branch", garden.branches.keys()),
          ...names("EdgeFunction", garden.functions.keys()),
          ...names("EdgeFunction", garden.thieves.keys()),
          ...names("Secret", garden.secrets.keys()),
        ];
  const there = new Map(own.map((object) => [`${object.kind} ${object.metadata.name}`, object]));
  const missing = wanted.filter((name) => !there.has(name)).map((name) => `${name} is not there`);
  const more = [...there.keys()].filter((name) => !wanted.includes(name)).map((name) => `${name} is there still`);
  const wrong = wanted.flatMap((name) => {
    const object = there.get(name);
    return object === undefined ? [] : objectFaults(garden, object);
  });
  return [...missing, ...more, ...wrong].map((fault) => `${garden.namespace}: ${fault}`);
}

/** Conditions that an object at rest has not. */
const UNREST = ["Reconciling", "Stalled", "Converging", "Paused"];

function objectFaults(garden: Garden, object: Seen): readonly string[] {
  const { kind, metadata, status } = object;
  const name = `${kind} ${metadata.name}`;
  const { namespace } = garden;
  if (metadata.namespace !== namespace) return [`${name} is in ${metadata.namespace}`];
  if (metadata.deletionTimestamp !== undefined) return [`${name} is being deleted`];
  const shown = JSON.stringify(
    status.conditions.map(({ type, status: is, reason, message }) => [type, is, reason, message]),
  );
  if (garden.thieves.has(metadata.name)) {
    return stalledFor(object) === "Conflict" ? [] : [`${name} does not say Conflict: ${shown}`];
  }
  if (kind === "Project" && garden.pausedAs !== undefined) {
    return isTrue(object, "Paused") ? [] : [`${name} does not say Paused: ${shown}`];
  }
  return restFaults(garden, object).map((fault) => `${name} ${fault}: ${shown}`);
}

/** What is wrong with an object that is to be as declared. */
function restFaults(garden: Garden, object: Seen): readonly string[] {
  const { kind, metadata, status } = object;
  if (!isReady(object)) return ["is not Ready"];
  if (status.conditions.some(({ type }) => UNREST.includes(type))) return ["is not at rest"];
  if (status.intent !== undefined) return ["is Ready and has an intent"];
  const drifted = kind === "EdgeFunction" && garden.drifted.has(metadata.name);
  const told = isTrue(object, "Drifted");
  if (drifted !== told) return [told ? "says that it drifted" : "does not say that it drifted"];
  // It outlives a status that is lost (engine.md §4): nobody is to wait for the next look until it is there.
  if (kind !== "Connection" && metadata.annotations[annotations.ref] === undefined) return ["has no record"];
  const asked = metadata.annotations[annotations.reconcileAt];
  return asked === status.lastHandledReconcileAt ? [] : ["has not looked"];
}

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
