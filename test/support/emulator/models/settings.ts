import fc from "fast-check";
import type { EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** Settings of a project: what a PATCH merges, a PUT or an apply replaces (facts.md §6). */

type Fields = Readonly<Record<string, unknown>>;

interface Merged {
  readonly fresh: Fields;
  readonly now: Fields;
}

async function fieldsOf({ call }: EmulatorUnderTest, path: string, names: readonly string[]): Promise<Fields> {
  const json = (await call("GET", path)).json;
  const answered: Fields = typeof json === "object" && json !== null ? { ...json } : {};
  return Object.fromEntries(names.map((name) => [name, answered[name]]));
}

/** A PATCH whose fields are merged; `null` is the value of a fresh project. */
function merged(
  name: string,
  path: string,
  values: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): Resource<Merged, Fields> {
  const names = Object.keys(values);
  return {
    name,
    command: fc.record(values, { requiredKeys: [] }),
    initial: async (under) => {
      const fresh = await fieldsOf(under, path, names);
      return { fresh, now: fresh };
    },
    request: (body) => ({ method: "PATCH", path, body }),
    after: (said, { fresh, now }) => ({
      fresh,
      now: Object.fromEntries(
        names.map((field) => [
          field,
          said[field] === undefined ? now[field] : said[field] === null ? fresh[field] : said[field],
        ]),
      ),
    }),
    read: (under) => fieldsOf(under, path, names),
    shown: ({ now }) => now,
  };
}

const count = (most: number) => fc.integer({ min: 1, max: most + 1 });

const authConfig = merged("authConfig", `${PROJECT}/config/auth`, {
  site_url: fc.constantFrom("https://a.test", "https://b.test", "https://a.test,https://b.test", null),
  jwt_exp: count(604_800),
  disable_signup: fc.boolean(),
  external_github_client_id: fc.constantFrom("one", "two", null),
  password_min_length: fc.integer({ min: 4, max: 40 }),
});
const realtime = merged("realtime", `${PROJECT}/config/realtime`, {
  private_only: fc.boolean(),
  max_concurrent_users: count(50_000),
  max_channels_per_client: count(10_000),
});
const dataApi = merged("dataApi", `${PROJECT}/postgrest`, {
  db_schema: fc.constantFrom("public", "public,api", ""),
  max_rows: fc.integer({ min: 0, max: 1_000_001 }),
});

const STORAGE = `${PROJECT}/config/storage`;
const STORAGE_FIELDS = ["fileSizeLimit", "features", "external"];
const amount = fc.constantFrom(0, 5, -1);
const withSome = <T>(values: { readonly [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record({ enabled: fc.boolean(), ...values }, { requiredKeys: ["enabled"] });

/** "features each {enabled,…}" (facts.md §2): each is merged by itself, and what is said of one leaves the others. */
const storage: Resource<Fields, Fields> = {
  name: "storage",
  forms: STORAGE_FIELDS,
  command: fc.record<Fields>(
    {
      fileSizeLimit: fc.constantFrom(0, 1, 536_870_912_000, 536_870_912_001),
      features: fc.record(
        {
          imageTransformation: withSome({}),
          s3Protocol: withSome({}),
          icebergCatalog: withSome({ maxNamespaces: amount, maxTables: amount }),
          vectorBuckets: withSome({ maxBuckets: amount }),
        },
        { requiredKeys: [] },
      ),
      external: fc.record({ upstreamTarget: fc.constantFrom("main", "canary", "main", "nowhere") }),
    },
    { requiredKeys: [] },
  ),
  initial: (under) => fieldsOf(under, STORAGE, STORAGE_FIELDS),
  request: (body) => ({ method: "PATCH", path: STORAGE, body }),
  after: (said, known) => deepMerged(known, said),
  read: (under) => fieldsOf(under, STORAGE, STORAGE_FIELDS),
  shown: (known) => known,
};

function deepMerged(known: Fields, said: Fields): Fields {
  const both = Object.entries(said).map(([name, value]): [string, unknown] => {
    const before = known[name];
    return [name, isFields(value) && isFields(before) ? deepMerged(before, value) : value];
  });
  return { ...known, ...Object.fromEntries(both) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const pooler: Resource<Fields, Fields> = {
  name: "pooler",
  command: fc.record(
    { default_pool_size: fc.integer({ min: 0, max: 3001 }), pool_mode: fc.constantFrom("transaction", "session", "x") },
    { requiredKeys: [] },
  ),
  initial: async () => ({ default_pool_size: null, pool_mode: "transaction" }),
  request: (body) => ({ method: "PATCH", path: `${PROJECT}/config/database/pooler`, body }),
  after: (said, state) => ({ ...state, ...said }),
  read: async ({ call }) => {
    const json = (await call("GET", `${PROJECT}/config/database/pooler`)).json;
    const [first] = Array.isArray(json) ? (json as readonly Fields[]) : []; // a list, as the contract's schema says
    return { default_pool_size: first?.["default_pool_size"], pool_mode: first?.["pool_mode"] };
  },
  shown: (state) => state,
};

/** What is sent is all that is set afterwards (facts.md §6.1). */
const postgresConfig: Resource<Fields, Fields> = {
  name: "postgresConfig",
  command: fc.record(
    {
      max_connections: fc.integer({ min: 0, max: 500 }),
      work_mem: fc.constantFrom("4MB", "8MB"),
      statement_timeout: fc.constantFrom("10s", "1min", "soon"),
    },
    { requiredKeys: [] },
  ),
  initial: async () => ({}),
  request: (body) => ({ method: "PUT", path: `${PROJECT}/config/database/postgres`, body }),
  after: (said) => said,
  read: async ({ call }) => (await call("GET", `${PROJECT}/config/database/postgres`)).json,
  shown: (state) => state,
};

const projectName: Resource<string, string> = {
  name: "projectName",
  command: fc.constantFrom("shop", "store", "", "x".repeat(257)),
  initial: async () => "shop",
  request: (name) => ({ method: "PATCH", path: PROJECT, body: { name } }),
  after: (name) => name,
  read: async (under) => (await fieldsOf(under, PROJECT, ["name"]))["name"],
  shown: (name) => name,
};

/** All of them. */
export const settings: readonly Modelled[] = [
  modelled(authConfig),
  modelled(realtime),
  modelled(dataApi),
  modelled(storage),
  modelled(pooler),
  modelled(postgresConfig),
  modelled(projectName),
];
