import { begin, type Phases } from "../state/life.ts";
import type { ProjectRecord, ProjectStatus } from "./project-state.ts";
import { underHolds } from "../state/holds.ts";
import { updateProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";

/** Lets a project go through the phases from now on, under the holds that are set. */
export function goThrough(world: World, project: ProjectRecord, phases: Phases<ProjectStatus>): ProjectRecord {
  const life = underHolds(
    world,
    { kind: "project", names: [project.ref, project.name] },
    begin(world.clock.now(), phases),
  );
  return updateProject(world, project, { life });
}
