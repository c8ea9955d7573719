import type { PoolerConfig } from "../../api/contract/pooler.ts";
import { visibleProject } from "../access.ts";
import { computeSize } from "../projects/compute-sizes.ts";
import { type Database, databasesOf } from "./primary-and-replicas.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { databaseHost } from "../projects/database-host.ts";

const PORT = 6543;
const DATABASE = "postgres";

/** Connection pooling: one pooler for each database of the project, all with the same settings. */
export function poolerHandlers(world: World): SectionHandlers<"pooler"> {
  return {
    get: ({ params, caller }) =>
      databasesOf(world, visibleProject(world, caller, params.ref))
        .filter(isPooled)
        .map((database) => poolerOutput(world, params.ref, database)),
    update: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const known = world.pooler.get(ref);
      // null is a value, "as follows from the compute size": only what is left out stays
      const { default_pool_size: defaultPoolSize = known.defaultPoolSize, pool_mode: poolMode = known.poolMode } = body;
      world.pooler.set(ref, { defaultPoolSize, poolMode });
      return { default_pool_size: defaultPoolSize, pool_mode: poolMode };
    },
    getPgbouncer: ({ params, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { poolerClients, poolSize } = computeSize(project.instanceSize);
      const { defaultPoolSize, poolMode } = world.pooler.get(project.ref);
      return {
        default_pool_size: defaultPoolSize ?? poolSize,
        ignore_startup_parameters: "extra_float_digits",
        max_client_conn: poolerClients,
        pool_mode: poolMode,
        connection_string: connectionString(DATABASE, databaseHost(world, project.ref)),
        server_idle_timeout: 600,
        server_lifetime: 3600,
        query_wait_timeout: 120,
        reserve_pool_size: 0,
      };
    },
  };
}

/** A replica is pooled from when it is up until it is taken down. */
function isPooled({ type, status }: Database): boolean {
  return type === "PRIMARY" || !NOT_POOLED.has(status);
}

const NOT_POOLED: ReadonlySet<string> = new Set(["INIT_READ_REPLICA", "INIT_READ_REPLICA_FAILED", "GOING_DOWN"]);

function poolerOutput(world: World, ref: string, { identifier, type, region }: Database): PoolerConfig {
  const { defaultPoolSize, poolMode } = world.pooler.get(ref);
  const host = `aws-0-${region}.pooler.${world.settings.domain}`;
  const user = `${DATABASE}.${identifier}`;
  return {
    identifier,
    database_type: type,
    is_using_scram_auth: true,
    db_user: user,
    db_host: host,
    db_port: PORT,
    db_name: DATABASE,
    connection_string: connectionString(user, host),
    connectionString: connectionString(user, host),
    default_pool_size: defaultPoolSize,
    max_client_conn: null,
    pool_mode: poolMode,
  };
}

/** With a place for the password, which nothing shows. */
function connectionString(user: string, host: string): string {
  return `postgresql://${user}:[YOUR-PASSWORD]@${host}:${PORT}/${DATABASE}`;
}
