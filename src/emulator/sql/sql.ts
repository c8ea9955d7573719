import type { PostgresOverrides, PostgresSettingName } from "../../api/contract/postgres-config.ts";
import { type Caller, visibleProject } from "../access.ts";
import { type CallersJob, type Databases, DatabaseUnavailableError, type ResultSet } from "../postgres/database.ts";
import { sqlErrorText } from "../postgres/sql-error-text.ts";
import { ApiFailure, badRequest, notFound } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { isActive } from "../projects/project-life.ts";
import { refusesWrites } from "../infrastructure/read-only-mode.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import type { World } from "../state/world.ts";

/**
 * src/emulator/sql: operations that ask a project's database: SQL, migrations, documents from the catalog, advisors; and saved snippets. Here is
 * how they all ask it. Never here: PostgreSQL itself, how it is started, parked and spoken to (postgres/), or SQL of branches (branches/).
 */

/** A project whose database runs. @throws ApiFailure 404; 400 while it is paused, being made or otherwise not up; 544 while it gives no answer */
export function runningProject(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = visibleProject(world, caller, ref);
  const refusal = sqlRefusal(world, project);
  if (refusal !== undefined) throw refusal;
  return project;
}

/** Why a project's database runs no SQL now: 400, 544. SQL that waited is asked for it again when its turn comes. */
export function sqlRefusal(world: World, { ref, life }: ProjectRecord): ApiFailure | undefined {
  const status = statusAt(life, world.clock.now());
  if (!isActive(status)) return badRequest(`The database of the project does not run: the project is ${status}`);
  return silenceOf(world, ref);
}

/**
 * What a project's database answers that has trouble for longer than is waited for it: 544. What asks it is told so at once, since that trouble is of
 * the emulated time and no wait would end it; and before it begins, since who is told so is to find nothing done.
 */
export function silenceOf(world: World, ref: string): ApiFailure | undefined {
  const { answersAfterMs = 0 } = world.serviceTroubles.get(ref, "db") ?? {};
  return answersAfterMs > world.settings.sqlTimeoutMs ? noAnswer(NOT_IN_TIME) : undefined;
}

/**
 * Runs SQL in the database of a project, with the settings that it overrides; while the project is in its read-only mode, what writes is refused.
 *
 * @param job.onRun called when the database has come to it
 * @returns the result sets of the last step
 * @throws ApiFailure 400 in the database's words, 544 when it gives no answer, 404 when the project is removed meanwhile
 */
export async function runSql(
  world: World,
  databases: Databases,
  ref: string,
  { onRun = () => undefined, ...job }: CallersJob & { readonly onRun?: (() => void) | undefined },
): Promise<readonly ResultSet[]> {
  const asked = databases.run(ref, () => {
    onRun();
    const settings = sessionSettings(world.postgresConfig.get(ref));
    return { ...job, defaultReadOnly: refusesWrites(world, ref), settings };
  });
  const outcome = await answered(asked);
  if (outcome.kind === "done") return outcome.results;
  const text = sqlErrorText(outcome.error, job.steps[outcome.step]?.sql ?? "");
  throw badRequest(`Failed to run sql query: ${text}`);
}

/** Of the settings that a project can override those that a session can have here: there are no workers, replicas or server log. */
const OF_SESSIONS = [
  "effective_cache_size",
  "logical_decoding_work_mem",
  "maintenance_work_mem",
  "session_replication_role",
  "statement_timeout",
  "work_mem",
] as const satisfies readonly PostgresSettingName[];

function sessionSettings(overrides: PostgresOverrides): Readonly<Record<string, string>> {
  return Object.fromEntries(
    OF_SESSIONS.flatMap((name) => (overrides[name] === undefined ? [] : [[name, overrides[name]]])),
  );
}

/** What a database gives, or the service's words for its silence: 544 upstream timeout (facts.md §5, "SQL"). */
export async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailableError)) throw error;
    if (error.reason === "dropped") throw notFound("Project");
    throw noAnswer(wordsOf(error));
  }
}

function noAnswer(words: string): ApiFailure {
  return new ApiFailure(544, `Failed to run sql query: ${words}`);
}

const NOT_IN_TIME = "upstream timeout";

/** The service has no words for a folder that does not open: whoever keeps it is told what to look for. */
function wordsOf({ reason, message }: DatabaseUnavailableError): string {
  if (reason === "unopened") return message;
  return reason === "timeout" ? NOT_IN_TIME : "connection terminated unexpectedly";
}
