import { z } from "zod";
import type { ProjectRecord } from "../projects/project-state.ts";
import { projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { notThere } from "./not-there.ts";

/** Control calls on one project: how they name it, and what they say where there is none. */

export const ofProject = z.strictObject({ ref: z.string() });

/** The project of a ref, preview projects of branches included. @throws ApiFailure 404 that names the ref */
export function existingProject(world: World, ref: string): ProjectRecord {
  const project = projectByRef(world, ref);
  if (project === undefined) {
    const refs = [...world.projects.keys()].filter((one) => projectByRef(world, one) !== undefined);
    throw notThere("Project", ref, refs);
  }
  return project;
}
