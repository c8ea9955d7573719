import { notFound, paymentRequired } from "../failure.ts";
import type { FunctionRecord } from "../state/records.ts";
import { projectByRef, updateProject, type World } from "../state/world.ts";

/** Stores functions in a project as it is now. @throws ApiFailure 402 when they are more than the plan allows */
export function storeFunctions(world: World, ref: string, changed: readonly FunctionRecord[]): void {
  const project = projectByRef(world, ref);
  if (project === undefined) throw notFound("Project");
  const all = new Map(project.functions);
  for (const one of changed) all.set(one.slug, one);
  const limit = world.organizations.get(project.organizationSlug)?.quotas.functionsPerProject ?? Infinity;
  if (all.size > limit && all.size > project.functions.size) {
    throw paymentRequired(`Max number of functions reached for project: ${limit} on the plan of its organization`);
  }
  updateProject(world, project, { functions: all });
}
