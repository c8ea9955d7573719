import { contract } from "../../api/contract/contract.ts";
import { ORGANIZATION_PLANS } from "../../api/contract/fields.ts";
import type { StorageConfig } from "../../api/contract/storage.ts";
import { valueAt } from "../../resources/settings/setting.ts";
import { dataApiSettings } from "../../resources/settings/data-api.ts";
import { poolerSettings } from "../../resources/settings/pooler.ts";
import { realtimeSettings } from "../../resources/settings/realtime.ts";
import { storageSettings } from "../../resources/settings/storage.ts";
import { writing } from "../shared/shared-write.ts";
import { terminal } from "../shared/failures.ts";
import { fieldSection } from "./field-section.ts";
import type { SectionAt } from "./section.ts";

/** Sections of which nothing is to be said but their settings and their endpoint. */

/** A write whose answer tells nothing of what there is then. */
function untold<Body>(
  write: (at: SectionAt, body: Body) => Promise<unknown>,
): (at: SectionAt, body: Body) => Promise<undefined> {
  return (at, body) => write(at, body).then(() => undefined);
}

/** Off is what serves no schema: the endpoint has no switch (facts.md §2). */
export const dataApiSection = fieldSection({
  name: "dataApi",
  about: "The REST layer over the database. One read and one write.",
  operations: ["dataApi.get", "dataApi.update"],
  title: "the Data API's settings",
  lacks: "jwt_secret, which signs tokens, can be read by the API where the token may, and set by nothing.",
  settings: dataApiSettings,
  declared: ({ dataApi }) => (dataApi?.enabled === false ? { ...dataApi, schemas: [] } : dataApi),
  declaredBy: ({ dataApi }) => new Map(dataApi?.enabled === false ? [["schemas", "enabled"]] : []),
  read: async ({ answers, client, ref, call }) => answers.dataApi.take(ref) ?? client.dataApi.get({ ref }, call),
  body: contract.dataApi.update.body.schema,
  write: ({ client, ref, call }, body) => client.dataApi.update({ ref, body }, call),
});

export const realtimeSection = fieldSection({
  name: "realtime",
  about: "Realtime. One read, one write, and one read after it, since the answer tells nothing.",
  operations: ["realtime.get", "realtime.update"],
  title: "the realtime settings",
  settings: realtimeSettings,
  declared: (spec) => spec.realtime,
  read: async ({ answers, client, ref, call }) => answers.realtime.take(ref) ?? client.realtime.get({ ref }, call),
  body: contract.realtime.update.body.schema,
  write: untold(({ client, ref, call }, body) => client.realtime.update({ ref, body }, call)),
});

/** A feature is written with its switch: whoever declares a limit alone leaves that as it is. */
async function withSwitches(
  body: Readonly<Record<string, unknown>>,
  read: () => Promise<StorageConfig>,
): Promise<Readonly<Record<string, unknown>>> {
  const { features } = body;
  if (typeof features !== "object" || features === null) return body;
  const isWhole = Object.values({ ...features }).every((feature) => valueAt(feature, "enabled") !== undefined);
  const seen = isWhole ? undefined : (await read()).features;
  const switched = Object.entries({ ...features }).map(
    ([name, feature]: readonly [string, unknown]): readonly [string, object] => {
      const enabled = valueAt(feature, "enabled") ?? valueAt(seen, `${name}.enabled`);
      if (enabled !== undefined) return [name, { ...(typeof feature === "object" ? feature : {}), enabled }];
      // Guessing would switch off what nobody declared.
      throw terminal(
        "InvalidSpec",
        `spec.storage.${name}: the platform does not tell whether it is enabled: write enabled too`,
      );
    },
  );
  return { ...body, features: Object.fromEntries(switched) };
}

/** The largest file on the plan free, bytes: what a project begins with (facts.md §4). */
const FREE_FILE_SIZE = 52_428_800;
/** Those with larger ones. */
const LARGE_FILE_PLANS = ORGANIZATION_PLANS.filter((plan) => plan !== "free");

export const storageSection = fieldSection({
  name: "storage",
  about:
    "Storage. One read, one write, and one read after it, since the answer tells nothing; and one right before it where a limit is written and not its feature's switch, which goes with it as it is.",
  operations: ["storage.get", "storage.update"],
  title: "the storage settings",
  lacks: "databasePoolMode, migrationVersion and capabilities can be read by the API and set by nothing.",
  needs: `fileSizeLimit above 50Mi: a plan of ${LARGE_FILE_PLANS.join(", ")}`,
  plans: (wire, value) => (wire === "fileSizeLimit" && Number(value) > FREE_FILE_SIZE ? LARGE_FILE_PLANS : undefined),
  settings: storageSettings,
  declared: (spec) => spec.storage,
  complete: withSwitches,
  read: ({ client, ref, call }) => client.storage.get({ ref }, call),
  body: contract.storage.update.body.schema,
  write: untold(({ client, ref, call }, body) => client.storage.update({ ref, body }, call)),
});

export const poolerSection = fieldSection({
  name: "database.pooler",
  about: "The shared connection pooler of the primary database. One read and one write.",
  operations: ["pooler.get", "pooler.update"],
  title: "the connection pooler's settings",
  lacks:
    "max_client_conn and is_using_scram_auth can be read by the API and set by nothing; so can what it answers of a dedicated pooler alone: ignore_startup_parameters, server_idle_timeout, server_lifetime, query_wait_timeout and reserve_pool_size.",
  settings: poolerSettings,
  declared: (spec) => spec.database?.pooler,
  read: async ({ client, ref, call }) => {
    const poolers = await client.pooler.get({ ref }, call);
    const { default_pool_size, pool_mode } = poolers.find((one) => one.database_type === "PRIMARY") ?? {};
    return { default_pool_size, pool_mode };
  },
  body: contract.pooler.update.body.schema,
  write: async ({ environment, client, ref, call }, body) => {
    const { poolers } = environment.snapshots.of(client, ref);
    const answer = await writing(poolers, () => client.pooler.update({ ref, body }, call));
    poolers.wrote(); // outputs tell of the mode
    return answer;
  },
});
