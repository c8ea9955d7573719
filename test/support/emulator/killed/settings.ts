import { z } from "zod";
import { bodyAs } from "../api.ts";
import type { Called } from "./process.ts";
import { nextName, type Writing } from "./writer.ts";
import { row, SHOP, sql } from "./writings.ts";

/** Writes of one row each, and what control calls write. */

const AUTH = `/v1/projects/${SHOP}/config/auth`;
const DRAINS = `/v2/projects/${SHOP}/analytics/log-drains`;
const BUCKETS = `/v1/projects/${SHOP}/storage/buckets`;

const authConfig = z.looseObject({ site_url: z.string().nullable(), jwt_exp: z.number().nullable() });

/** Two fields of the same request. */
export const auth: Writing<{ readonly site: unknown; readonly expiry: unknown }> = {
  name: "the auth config",
  start: { site: "http://localhost:3000", expiry: 3600 },
  read: async (emulator) => {
    const { site_url: site, jwt_exp: expiry } = bodyAs(authConfig, await emulator.call("GET", AUTH));
    return { site, expiry };
  },
  plan: (emulator, { expiry }) => {
    const next = { site: `https://${Number(expiry) + 1}.test`, expiry: Number(expiry) + 1 };
    return { next, send: () => emulator.call("PATCH", AUTH, { site_url: next.site, jwt_exp: next.expiry }) };
  },
};

const sections = {
  rest: { path: `/v1/projects/${SHOP}/postgrest`, field: "max_rows" },
  storage: { path: `/v1/projects/${SHOP}/config/storage`, field: "fileSizeLimit" },
  realtime: { path: `/v1/projects/${SHOP}/config/realtime`, field: "max_concurrent_users" },
} as const;
type Section = keyof typeof sections;
type Sections = Readonly<Record<Section, unknown>>;

async function readSection(emulator: Called, section: Section): Promise<unknown> {
  const { path, field } = sections[section];
  return bodyAs(z.looseObject({}), await emulator.call("GET", path))[field];
}

async function readSections(emulator: Called): Promise<Sections> {
  const [rest, storage, realtime] = [
    await readSection(emulator, "rest"),
    await readSection(emulator, "storage"),
    await readSection(emulator, "realtime"),
  ];
  return { rest, storage, realtime };
}

/** Sections in turn, each of which has the number after the one before it. */
export const config: Writing<Sections> = {
  name: "sections of the configuration",
  start: { rest: 1, storage: 1, realtime: 1 },
  read: readSections,
  plan: (emulator, now) => {
    const [rest, storage] = [Number(now.rest), Number(now.storage)];
    const section = rest > storage ? "storage" : storage > Number(now.realtime) ? "realtime" : "rest";
    const { path, field } = sections[section];
    const value = Number(now[section]) + 1;
    return { next: { ...now, [section]: value }, send: () => emulator.call("PATCH", path, { [field]: value }) };
  },
};

/** What `config` begins with. */
export async function prepareSections(emulator: Called): Promise<readonly number[]> {
  const patched = Object.values(sections).map(({ path, field }) => emulator.call("PATCH", path, { [field]: 1 }));
  return (await Promise.all(patched)).map(({ status }) => status);
}

const drainList = z.object({
  data: z.array(z.looseObject({ id: z.string(), attributes: z.looseObject({ name: z.string() }) })),
});

async function drains(emulator: Called) {
  const { data } = bodyAs(drainList, await emulator.call("GET", DRAINS));
  return data.map(({ id, attributes }) => ({ id, name: attributes.name }));
}

const drain = (name: string) => ({
  data: {
    type: "log_drain",
    attributes: { name, backend_type: "sentry", config: { dsn: "https://key@sentry.test/1" } },
  },
});

/** Made, and deleted with the next one but one. */
export const logDrains: Writing<{ readonly names: readonly string[] }> = {
  name: "log drains",
  start: { names: [] },
  read: async (emulator) => ({ names: (await drains(emulator)).map(({ name }) => name).toSorted() }),
  plan: async (emulator, { names }) => {
    const [oldest] = names;
    if (oldest !== undefined && names.length >= 3) {
      const id = (await drains(emulator)).find(({ name }) => name === oldest)?.id ?? "";
      return { next: { names: names.slice(1) }, send: () => emulator.call("DELETE", `${DRAINS}/${id}`) };
    }
    const name = nextName("d"); // sorts behind the others
    return { next: { names: [...names, name] }, send: () => emulator.call("POST", DRAINS, drain(name)) };
  },
};

/** By control calls: no operation makes one. */
export const buckets: Writing<{ readonly names: readonly string[] }> = {
  name: "buckets",
  start: { names: [] },
  read: async (emulator) => {
    const listed = bodyAs(z.array(z.looseObject({ name: z.string() })), await emulator.call("GET", BUCKETS));
    return { names: listed.map(({ name }) => name).toSorted() };
  },
  plan: (emulator, { names }) => {
    const [oldest] = names;
    const control = (call: string, name: string) => () =>
      emulator.call("POST", `/_emulator/storage.${call}`, { ref: SHOP, name });
    if (oldest !== undefined && names.length >= 3) {
      return { next: { names: names.slice(1) }, send: control("removeBucket", oldest) };
    }
    const name = nextName("b");
    return { next: { names: [...names, name] }, send: control("putBucket", name) };
  },
};

const moment = z.object({ nowMs: z.number() });
const HOUR_MS = 3_600_000;

/** The clock, by hours: a start takes seconds. */
export function clock(): Writing<{ readonly isBack: boolean }> {
  let told = 0;
  return {
    name: "the clock",
    start: { isBack: false },
    read: async (emulator) => {
      const { nowMs } = bodyAs(moment, await emulator.call("POST", "/_emulator/time.read", {}));
      return { isBack: nowMs < told };
    },
    plan: (emulator, now) => ({
      next: now,
      send: async () => {
        const received = await emulator.call("POST", "/_emulator/time.advance", { ms: HOUR_MS });
        if (received.status === 200) told = bodyAs(moment, received).nowMs;
        return received;
      },
    }),
  };
}

/** Of statements that are committed each by itself. */
export const lone: Writing<{ readonly rows: unknown }> = {
  name: "rows of statements alone",
  start: { rows: 0 },
  read: async (emulator) => ({ rows: (await row(emulator, SHOP, "select count(*) as rows from lone"))["rows"] }),
  plan: (emulator, { rows }) => ({
    next: { rows: Number(rows) + 1 },
    send: () => sql(emulator, SHOP, "insert into lone values ('x')"),
  }),
};
