import fc from "fast-check";
import { z } from "zod";
import { contract } from "../../../src/api/contract/contract.ts";
import { POSTGRES_SETTINGS, type PostgresSetting } from "../../../src/api/contract/postgres-config.ts";
import { bodyOf } from "../../../src/controllers/sections/field-plan.ts";
import { dataApiSettings } from "../../../src/resources/settings/data-api.ts";
import { AUTOMATIC } from "../../../src/resources/settings/automatic.ts";
import { backupsSettings, sslSettings } from "../../../src/resources/settings/database.ts";
import { poolerSettings } from "../../../src/resources/settings/pooler.ts";
import { postgresSettings } from "../../../src/resources/settings/postgres-settings.ts";
import { realtimeSettings } from "../../../src/resources/settings/realtime.ts";
import { isSameWire, valueAt, type Wire } from "../../../src/resources/settings/setting.ts";
import { storageSettings } from "../../../src/resources/settings/storage.ts";
import { type DeclaredSetting, declaredSettings, valuesOf, wordForNull } from "./declared.ts";
import { type Lever, nested } from "./lever.ts";
import type { AnyStage } from "./stage.ts";

/** Levers of everything that is a setting (src/resources/settings), auth apart: what its section's schema lists is moved, without a line for each. */

interface Endpoint {
  readonly section: string;
  readonly settings: z.ZodObject;
  readonly get: string;
  readonly update: string;
  /** of each setting in the request, as `requestedConfig.` */
  readonly under?: string;
  /** the answer does not tell what there is then */
  readonly readsAfter?: true;
  readonly restMs?: number;
  readonly body: z.ZodType;
  read(stage: AnyStage): Promise<unknown>;
  write(stage: AnyStage, body: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const { dataApi, realtime, storage, pooler, sslEnforcement, backups, postgresConfig } = contract;
const HOUR_MS = 3_600_000;
const postgres: Readonly<Record<string, PostgresSetting>> = POSTGRES_SETTINGS;

const endpoints: readonly Endpoint[] = [
  {
    section: "dataApi",
    settings: dataApiSettings,
    get: "dataApi.get",
    update: "dataApi.update",
    body: dataApi.update.body.schema,
    read: ({ client, ref }) => client.dataApi.get({ ref }),
    write: ({ client, ref }, body) => client.dataApi.update({ ref, body: dataApi.update.body.schema.parse(body) }),
  },
  {
    section: "realtime",
    settings: realtimeSettings,
    get: "realtime.get",
    update: "realtime.update",
    body: realtime.update.body.schema,
    readsAfter: true,
    read: ({ client, ref }) => client.realtime.get({ ref }),
    write: ({ client, ref }, body) => client.realtime.update({ ref, body: realtime.update.body.schema.parse(body) }),
  },
  {
    section: "storage",
    settings: storageSettings,
    get: "storage.get",
    update: "storage.update",
    body: storage.update.body.schema,
    readsAfter: true,
    read: ({ client, ref }) => client.storage.get({ ref }),
    write: ({ client, ref }, body) => client.storage.update({ ref, body: storage.update.body.schema.parse(body) }),
  },
  {
    section: "database.pooler",
    settings: poolerSettings,
    get: "pooler.get",
    update: "pooler.update",
    body: pooler.update.body.schema,
    read: async ({ client, ref }) => (await client.pooler.get({ ref }))[0],
    write: ({ client, ref }, body) => client.pooler.update({ ref, body: pooler.update.body.schema.parse(body) }),
  },
  {
    section: "database.ssl",
    settings: sslSettings,
    get: "sslEnforcement.get",
    update: "sslEnforcement.update",
    body: sslEnforcement.update.body.schema.shape.requestedConfig,
    under: "requestedConfig.",
    read: async ({ client, ref }) => (await client.sslEnforcement.get({ ref })).currentConfig,
    write: ({ client, ref }, body) =>
      client.sslEnforcement.update({
        ref,
        body: sslEnforcement.update.body.schema.parse({ requestedConfig: body }),
      }),
  },
  {
    section: "database.backups",
    settings: backupsSettings,
    get: "backups.getSchedule",
    update: "backups.updateSchedule",
    body: backups.updateSchedule.body.schema,
    restMs: 24 * HOUR_MS, // three changes a day
    read: ({ client, ref }) => client.backups.getSchedule({ ref }),
    write: ({ client, ref }, body) =>
      client.backups.updateSchedule({ ref, body: backups.updateSchedule.body.schema.parse(body) }),
  },
  {
    section: "database.settings",
    settings: postgresSettings,
    get: "postgresConfig.get",
    update: "postgresConfig.replace",
    body: postgresConfig.replace.body.schema,
    read: ({ client, ref }) => client.postgresConfig.get({ ref }),
    // The request replaces the whole: what else there is stays.
    write: async ({ client, ref }, body) => {
      const whole = { ...(await client.postgresConfig.get({ ref })), ...body, restart_database: false };
      await client.postgresConfig.replace({ ref, body: postgresConfig.replace.body.schema.parse(whole) });
    },
  },
];

/** A feature is written with its switch. */
function withSwitch(body: unknown): unknown {
  const features = valueAt(body, "features");
  if (typeof features !== "object" || features === null) return body;
  const switched = Object.entries(features).map(([name, feature]): readonly [string, unknown] => [
    name,
    { enabled: false, ...z.looseObject({}).parse(feature) },
  ]);
  return { features: Object.fromEntries(switched) };
}

interface Sample {
  readonly declared: unknown;
  readonly seen: Wire;
}

/** Two values that the schema takes and that mean different things to the platform. */
function twoOf(setting: DeclaredSetting): readonly [Sample, Sample] {
  const drawn = fc
    .sample(valuesOf(setting), { numRuns: 60, seed: 3 })
    .map((declared): Sample => ({ declared, seen: setting.encode(declared) }))
    .filter(({ seen }) => !isSameWire(null, seen));
  const [first] = drawn;
  const second = drawn.find(({ seen }) => first !== undefined && !setting.isSame(seen, first.seen));
  if (first === undefined || second === undefined) throw new Error(`no two values of ${setting.path}`);
  return [first, second];
}

/** The request carries what is not declared as well: that is read right before. */
function isCompleted(section: string, wire: string): boolean {
  return section === "database.settings" || (wire.startsWith("features.") && !wire.endsWith(".enabled"));
}

type Positions = Pick<Lever, "mine" | "theirs" | "way"> & Readonly<Record<"mine" | "theirs", Sample>>;

/** Where there is a word for what the platform chooses, both ways between it and a value as well. */
function waysOf(setting: DeclaredSetting): readonly Positions[] {
  const [theirs, mine] = twoOf(setting);
  const word = wordForNull(setting);
  if (word !== AUTOMATIC) return [{ theirs, mine }];
  const left: Sample = { declared: word, seen: null };
  return [
    { theirs, mine },
    { way: "to Automatic", theirs, mine: left },
    { way: "from Automatic", theirs: left, mine },
  ];
}

function leverOf(endpoint: Endpoint, setting: DeclaredSetting, { mine, theirs, way }: Positions): Lever {
  const { section, get, update, under = "", readsAfter, restMs } = endpoint;
  const { path, wire } = setting;
  const change = [get, ...(isCompleted(section, wire) ? [get] : []), update, ...(readsAfter === true ? [get] : [])];
  return {
    path: `${section}.${path}`,
    ...(way === undefined ? {} : { way }),
    section,
    moves: [`${update} ${under}${wire}`],
    mine,
    theirs,
    costs: { set: change, look: [get], repair: change },
    seen: async (stage) => ofWire(await endpoint.read(stage), wire),
    isSame: (wanted, seen) => setting.isSame(wireOf(wanted), seen),
    byHand: (stage) => endpoint.write(stage, z.looseObject({}).parse(asBody(section, wire, theirs.seen))),
    spec: (declared) => nested(`${section}.${path}`, declared),
    ...(restMs === undefined ? {} : { restMs }),
  };
}

/** Names with a dot in them are names, and no paths. */
function ofWire(answer: unknown, wire: string): unknown {
  return postgres[wire] === undefined ? valueAt(answer, wire) : z.looseObject({}).parse(answer)[wire];
}

function wireOf(value: unknown): Wire {
  return z.union([z.string(), z.number(), z.boolean(), z.null()]).parse(value);
}

/** A setting, with the values that its schema takes and the request that must take all of them. */
interface Taken {
  readonly at: string;
  readonly values: fc.Arbitrary<unknown>;
  request(declared: unknown): z.ZodSafeParseResult<unknown>;
}

export const settingRequests: readonly Taken[] = endpoints.flatMap(({ section, settings, body }) =>
  declaredSettings(settings).map((setting) => ({
    at: `${section}.${setting.path}`,
    values: valuesOf(setting),
    request: (declared) => body.safeParse(asBody(section, setting.wire, setting.encode(declared))),
  })),
);

function asBody(section: string, wire: string, value: unknown): unknown {
  if (section === "database.settings") return { [wire]: value };
  const body = bodyOf([{ wire, value: wireOf(value) }]);
  return section === "storage" ? withSwitch(body) : body;
}

export const settingLevers: readonly Lever[] = endpoints.flatMap((endpoint) =>
  declaredSettings(endpoint.settings).flatMap((setting) =>
    waysOf(setting).map((positions) => leverOf(endpoint, setting, positions)),
  ),
);
