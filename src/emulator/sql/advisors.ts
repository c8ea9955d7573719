import type { Caller } from "../access.ts";
import { findLints } from "../postgres/advisors.ts";
import type { Databases } from "../postgres/database.ts";
import type { LintRule } from "../postgres/lints.ts";
import type { World } from "../state/world.ts";
import { exposedSchemas } from "./database.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { answered, runningProject } from "./sql.ts";

/** Findings about a project's database, computed anew at each call. */
export function advisorsHandlers(world: World, databases: Databases): SectionHandlers<"advisors"> {
  const find = async (ref: string, caller: Caller, category: LintRule["category"]) => {
    const project = runningProject(world, caller, ref);
    const served = exposedSchemas(world, project.ref);
    return { lints: await answered(findLints(databases, project.ref, { category, served })) };
  };
  return {
    performance: ({ params, caller }) => find(params.ref, caller, "PERFORMANCE"),
    security: ({ params, caller }) => find(params.ref, caller, "SECURITY"),
  };
}
