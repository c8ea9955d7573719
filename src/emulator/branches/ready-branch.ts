import { type Databases, type DatabaseTurn, DatabaseUnavailableError } from "../postgres/database.ts";
import { badRequest, notFound } from "../failure.ts";
import { isActive } from "../projects/project-life.ts";
import { silenceOf } from "../sql/sql.ts";
import { statusAt } from "../state/life.ts";
import { branchesOf, isThere, stayingProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import type { BranchRecord } from "./branch-state.ts";

/** Branches in whose databases something can be done. What waits for a database asks again in its turn, and is refused in the same words. */

/** @throws ApiFailure 404 for one whose project goes; 400 while it is being made, or its project does not run; 544 while its database says nothing */
export function refuseUnlessReady(world: World, { life, projectRef }: BranchRecord): void {
  const project = stayingProject(world, projectRef);
  if (project === undefined) throw notFound("Project");
  const nowMs = world.clock.now();
  const status = statusAt(life, nowMs);
  if (status === "CREATING_PROJECT") throw badRequest(`Branch is not ready, it is ${status}`);
  const projectStatus = statusAt(project.life, nowMs);
  if (!isActive(projectStatus)) throw badRequest(`Branch is not ready, its project is ${projectStatus}`);
  const silence = silenceOf(world, projectRef);
  if (silence !== undefined) throw silence;
}

/** The default branch of the project that a branch belongs to. @throws ApiFailure 404 */
export function defaultBranchOf(world: World, { parentRef }: BranchRecord): BranchRecord {
  const found = branchesOf(world, parentRef).find(({ isDefault }) => isDefault);
  if (found === undefined) throw notFound("Default branch");
  return found;
}

/** The branch as it is now, whatever state it is in. @throws ApiFailure 404 where it, or its project, is gone or going down */
export function presentBranch(world: World, { id }: BranchRecord): BranchRecord {
  const present = world.branches.get(id);
  if (present === undefined || !isThere(world, present)) throw notFound("Branch");
  if (stayingProject(world, present.projectRef) === undefined) throw notFound("Project");
  return present;
}

/**
 * Does something in a database when it is its turn, unless that is refused by then.
 * @param check refuses by throwing; also says why, where the database is nobody's any more
 */
export async function inTurnOf<T>(
  databases: Databases,
  { ref, check }: { readonly ref: string; readonly check: () => unknown },
  work: (turn: DatabaseTurn) => Promise<T>,
): Promise<T> {
  try {
    return await databases.inTurn(ref, async (turn) => {
      check();
      if (await turn.exists()) await turn.open();
      check(); // it may have waited for room
      return work(turn);
    });
  } catch (error) {
    if (error instanceof DatabaseUnavailableError && error.reason === "dropped") check();
    throw error;
  }
}
