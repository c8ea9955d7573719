import { notFound, paymentRequired } from "../failure.ts";
import type { FunctionRecord } from "./function-state.ts";
import { stayingProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/** Stores functions in a project as it is now. @throws ApiFailure 404 once it is going down, 402 when they are more than the plan allows */
export function storeFunctions(world: World, ref: string, changed: readonly FunctionRecord[]): void {
  const project = stayingProject(world, ref);
  if (project === undefined) throw notFound("Project");
  const known = world.functions.of(ref);
  const after = new Set([...known.keys(), ...changed.map(({ slug }) => slug)]).size;
  const limit = organizationOf(world, project).quotas.functionsPerProject;
  if (after > limit && after > known.size) {
    throw paymentRequired(`Max number of functions reached for project: ${limit} on the plan of its organization`);
  }
  for (const one of changed) world.functions.set(ref, one.slug, one);
}
