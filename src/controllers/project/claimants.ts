import type { ProjectObject } from "../environment.ts";
import { serverOf } from "../shared/dependents.ts";
import type { ProjectRun } from "./context.ts";

/** The Projects that claim a ref, or an `organization/name`, on the same server as this one. */
export function claimants(
  { environment }: ProjectRun,
  object: ProjectObject,
  index: "ref" | "name",
  value: string,
): readonly ProjectObject[] {
  const server = serverOf(environment, object);
  return environment.objects.projects
    .byIndex(index, value)
    .filter((candidate) => candidate === object || serverOf(environment, candidate) === server);
}
