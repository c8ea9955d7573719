import { HEALTH_SERVICES } from "../../api/contract/fields.ts";
import type { ServiceHealth } from "../../api/contract/projects.ts";
import { calling } from "./failures.ts";
import type { Run } from "./run.ts";
import type { Session } from "./sessions.ts";
import type { CommonStatus } from "./status-draft.ts";

/** Services that a project needs to be called healthy; `pg_bouncer` and `db_postgres_user` exist on some projects only. */
const SERVICES = HEALTH_SERVICES.filter((name) => name !== "pg_bouncer" && name !== "db_postgres_user");

/** Health of the services of a project or branch. */
export function readHealth<Status extends CommonStatus>(
  run: Run<Status>,
  session: Session,
  ref: string,
): Promise<readonly ServiceHealth[]> {
  return calling("read the health of the services", () =>
    session.client.projects.health({ ref, services: [...SERVICES] }, run.call),
  );
}

/**
 * Names of the services that are not healthy. `rest` counts only while the Data API is on: it is unhealthy for ever while that is off (facts.md §6.5). So
 * does `realtime` while it is suspended.
 */
export async function unhealthyServices<Status extends CommonStatus>(
  run: Run<Status>,
  session: Session,
  { ref, services }: { readonly ref: string; readonly services: readonly ServiceHealth[] },
): Promise<readonly string[]> {
  const names = services.filter(({ healthy }) => !healthy).map(({ name }) => name);
  const unwell =
    names.includes("realtime") && (await isSuspended(run, session, ref)) ? without(names, "realtime") : names;
  if (!unwell.includes("rest")) return unwell;
  const config = await calling("read the Data API's configuration", () =>
    session.client.dataApi.get({ ref }, run.call),
  );
  run.answers.dataApi.keep(ref, config);
  return config.db_schema === "" ? without(unwell, "rest") : unwell;
}

async function isSuspended<Status extends CommonStatus>(
  run: Run<Status>,
  session: Session,
  ref: string,
): Promise<boolean> {
  const config = await calling("read the realtime settings", () => session.client.realtime.get({ ref }, run.call));
  run.answers.realtime.keep(ref, config);
  return config.suspend === true;
}

function without(names: readonly string[], left: string): readonly string[] {
  return names.filter((name) => name !== left);
}
