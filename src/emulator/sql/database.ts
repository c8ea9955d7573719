import type { database, Rows } from "../../api/contract/database.ts";
import { mayWriteSql } from "../access/database-rights.ts";
import { readCatalog, readSchemas } from "../postgres/catalog.ts";
import type { Databases, SqlStep } from "../postgres/database.ts";
import { READER } from "../postgres/fresh.ts";
import { restOpenApi } from "../postgres/rest-openapi.ts";
import { typescriptTypes } from "../postgres/typescript-types.ts";
import { parameterText, rowsAsJson } from "../postgres/values.ts";
import { WEBHOOKS } from "../postgres/webhooks.ts";
import { badRequest } from "../failure.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";
import { answered, runningProject, runSql } from "./sql.ts";

type SqlQuery = HandlerRequest<(typeof database)["query"]>["body"];

/** SQL, and the documents that are made of a database's catalog. */
export function databaseHandlers(world: World, databases: Databases): SectionHandlers<"database"> {
  return {
    query: async ({ params, body, caller, onSql: onRun }) => {
      const project = runningProject(world, caller, params.ref);
      if (body.read_only === true || !mayWriteSql(world, caller, project)) {
        return readOnly(world, databases, { ref: project.ref, body, onRun });
      }
      const results = await runSql(world, databases, project.ref, { steps: [stepOf(body, "postgres")], onRun });
      return lastRows(results);
    },
    queryReadOnly: async ({ params, body, caller, onSql: onRun }) => {
      const { ref } = runningProject(world, caller, params.ref);
      return readOnly(world, databases, { ref, body, onRun, searchPath: "" });
    },
    typescriptTypes: async ({ params, query, caller }) => {
      const { ref } = runningProject(world, caller, params.ref);
      const schemas = (query.included_schemas ?? "public").split(",").map((name) => name.trim());
      return { types: typescriptTypes(await answered(readCatalog(databases, ref, schemas)), schemas) };
    },
    openapi: async ({ params, query, caller }) => {
      const { ref } = runningProject(world, caller, params.ref);
      const schema = exposedSchema(world, ref, query.schema);
      const catalog = await answered(readCatalog(databases, ref, [schema]));
      return { ...restOpenApi(catalog, { schema, host: `${ref}.${world.settings.domain}:443` }) };
    },
    context: async ({ params, caller }) => {
      const { ref } = runningProject(world, caller, params.ref);
      const schemas = await answered(readSchemas((job) => databases.run(ref, job)));
      return { databases: [{ name: "postgres", schemas: schemas.map((name) => ({ name })) }] };
    },
    enableWebhooks: async ({ params, caller }) => {
      const { ref } = runningProject(world, caller, params.ref);
      await runSql(world, databases, ref, { steps: [WEBHOOKS], transaction: "read-write" });
      return undefined;
    },
  };
}

interface ReadOnlyQuery {
  readonly ref: string;
  readonly body: SqlQuery;
  readonly onRun: () => void;
  readonly searchPath?: string;
}

async function readOnly(
  world: World,
  databases: Databases,
  { ref, body, onRun, searchPath }: ReadOnlyQuery,
): Promise<Rows> {
  const results = await runSql(world, databases, ref, {
    steps: [stepOf(body, READER)],
    transaction: "read-only",
    onRun,
    ...(searchPath === undefined ? {} : { searchPath }),
  });
  return lastRows(results);
}

function stepOf({ query: sql, parameters = [] }: SqlQuery, role: SqlStep["role"]): SqlStep {
  return parameters.length === 0 ? { sql, role } : { sql, parameters: parameters.map(parameterText), role };
}

function lastRows(results: Awaited<ReturnType<typeof runSql>>): Rows {
  const last = results.at(-1);
  return last === undefined ? [] : rowsAsJson(last);
}

/** Schemas that the REST layer serves; none while it is off. */
export function exposedSchemas(world: World, ref: string): readonly string[] {
  const { dbSchema } = world.dataApiConfig.get(ref);
  return dbSchema.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}

/** The schema that is asked for, by default the first one. @throws ApiFailure 400 when the REST layer does not serve it */
function exposedSchema(world: World, ref: string, asked: string | undefined): string {
  const exposed = exposedSchemas(world, ref);
  const [first] = exposed;
  if (first === undefined) throw badRequest("The Data API of the project is off");
  if (asked === undefined || exposed.includes(asked)) return asked ?? first;
  throw badRequest(`schema: The schema must be one of the following: ${exposed.join(", ")}`);
}
