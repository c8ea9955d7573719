import type { StateView } from "../../../src/emulator/control/views.ts";
import { setTimeout as wait } from "node:timers/promises";
import { eventually } from "./eventually.ts";
import type { Manifest, Room, SeenObject } from "./room.ts";
import { conditionOf } from "./room.ts";

/** What tests of branches do in a room, again and again. */

type BranchView = StateView["branches"][number];

/** A Branch of the room's Project. */
export function branchOf(room: Room, project: string, name: string, spec: Manifest = {}): Manifest {
  return room.ours("Branch", name, { projectRef: { name: project }, ...spec });
}

/** Applies a Project and waits until it is Ready. @returns its ref */
export async function readyProject(room: Room, name = "shop", spec: Manifest = {}): Promise<string> {
  await room.apply(room.project(name, spec));
  return String((await room.ready("Project", name)).status["ref"]);
}

/** The branches of a project as the platform has them, the default one first. */
export async function remoteBranches(room: Room, projectRef: string): Promise<readonly BranchView[]> {
  const { branches } = await room.emulator.control.state.read({});
  return branches
    .filter(({ parentRef }) => parentRef === projectRef)
    .toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
}

/** The preview branches of a project, by name. */
export async function previews(room: Room, projectRef: string): Promise<readonly string[]> {
  const branches = await remoteBranches(room, projectRef);
  return branches.filter(({ isDefault }) => !isDefault).map(({ name }) => name);
}

/** Between two looks that are asked for, milliseconds: real programs, whose progress cannot be waited for otherwise. */
const LOOK_MS = 500;

/** Asks for looks until the platform is as expected: a list may be shared for ten seconds (engine.md §3). */
export async function looksUntil(
  room: Room,
  name: string,
  holds: (object: SeenObject) => boolean | Promise<boolean>,
  withinMs?: number,
): Promise<SeenObject> {
  let last: SeenObject | undefined;
  return eventually(
    () => `Branch ${name} as expected; it is ${JSON.stringify(last?.status, null, 1)}`,
    async () => {
      last = await room.reconcile("Branch", name);
      if (await holds(last)) return last;
      await wait(LOOK_MS);
      return undefined;
    },
    withinMs,
  );
}

export function isReady(object: SeenObject): boolean {
  return conditionOf(object, "Ready")?.status === "True";
}

/** The bodies of the requests that the room's account made of an operation, oldest first. */
export async function requestBodies(room: Room, operation: string, after: number): Promise<readonly unknown[]> {
  const { entries } = await room.emulator.control.log.read({ operation, after });
  const account = await room.account();
  return entries.filter(({ identity }) => identity === `user:${account}`).map(({ body }) => body);
}
