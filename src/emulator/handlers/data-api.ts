import { visibleProject } from "../access.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "./handler.ts";

/** The REST layer's configuration: that of a fresh project (facts.md §4), or off, which an empty db_schema says (facts.md §2). */
export function dataApiHandlers(world: World): SectionHandlers<"dataApi"> {
  return {
    get: ({ params, caller }) => ({
      db_schema: visibleProject(world, caller, params.ref).dataApi ? "public,graphql_public" : "",
      max_rows: 1000,
      db_extra_search_path: "public, extensions",
      db_pool: null,
    }),
  };
}
