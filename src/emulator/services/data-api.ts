import { dataApi } from "../../api/contract/data-api.ts";
import { visibleProject } from "../access.ts";
import { missingForSecrets } from "../access/secret-rights.ts";
import type { DataApiRecord } from "./data-api-state.ts";
import { jwtSecretOf } from "../keys/project-keys.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/**
 * src/emulator/services: configuration of the services beside a project's database: the REST layer, realtime, storage. Never here: the services
 * themselves; nothing is served, stored or sent to anybody.
 */

/** The REST layer's configuration. An empty db_schema turns the Data API off (facts.md §2). */
export function dataApiHandlers(world: World): SectionHandlers<"dataApi"> {
  return {
    get: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const isHidden = missingForSecrets(world, caller, { operation: dataApi.get, ref }) !== undefined;
      return { ...output(world.dataApiConfig.get(ref)), ...(isHidden ? {} : { jwt_secret: jwtSecretOf(world, ref) }) };
    },
    update: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const known = world.dataApiConfig.get(ref);
      const changed: DataApiRecord = {
        dbSchema: body.db_schema === undefined ? known.dbSchema : names(body.db_schema).join(","),
        maxRows: body.max_rows ?? known.maxRows,
        dbExtraSearchPath:
          body.db_extra_search_path === undefined
            ? known.dbExtraSearchPath
            : names(body.db_extra_search_path).join(", "),
        dbPool: body.db_pool === undefined ? known.dbPool : body.db_pool,
      };
      world.dataApiConfig.set(ref, changed);
      return output(changed);
    },
  };
}

/** A list as the service writes it: each name once, without the blanks around it. */
function names(text: string): readonly string[] {
  const given = text.split(",").map((name) => name.trim());
  return [...new Set(given)].filter((name) => name !== "");
}

function output({ dbSchema, maxRows, dbExtraSearchPath, dbPool }: DataApiRecord) {
  return { db_schema: dbSchema, max_rows: maxRows, db_extra_search_path: dbExtraSearchPath, db_pool: dbPool };
}
