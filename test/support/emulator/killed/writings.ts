import { z } from "zod";
import { bodyAs, deployForm, type Received } from "../api.ts";
import type { Called } from "./process.ts";
import { nextName, type Writing } from "./writer.ts";

/** What clients write at the same time, each to something of its own. */

/** Refs of projects that have to be there. Those of branches and of restores need the add-on for it, and a table `kept` of three rows. */
export const [SHOP = "", TREE = "", PAST = ""] = ["s", "t", "p"].map((letter) => letter.repeat(20));
export const KEPT = "create table kept (x text); insert into kept values ('1'), ('2'), ('3')";

const FILES = 30;

const counts = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.null()])));

export function sql(emulator: Called, ref: string, query: string): Promise<Received> {
  return emulator.call("POST", `/v1/projects/${ref}/database/query`, { query });
}

export async function row(emulator: Called, ref: string, query: string) {
  return bodyAs(counts, await sql(emulator, ref, query))[0] ?? {};
}

export async function names(emulator: Called, path: string): Promise<readonly string[]> {
  const listed = bodyAs(z.array(z.looseObject({ name: z.string().optional() })), await emulator.call("GET", path));
  return listed.map(({ name = "" }) => name);
}

const own = (prefix: string, all: readonly string[]): readonly string[] =>
  all.filter((name) => name.startsWith(prefix)).toSorted();

export const rows: Writing<{ readonly left: unknown; readonly right: unknown }> = {
  name: "rows of one transaction",
  start: { left: 0, right: 0 },
  read: async (emulator) => {
    const count = "select count(x) filter (where x = 'l') as left, count(x) filter (where x = 'r') as right from pairs";
    const { left, right } = await row(emulator, SHOP, count);
    return { left, right };
  },
  plan: (emulator, { left, right }) => ({
    next: { left: Number(left) + 1, right: Number(right) + 1 },
    send: () => sql(emulator, SHOP, "insert into pairs values ('l'); insert into pairs values ('r')"),
  }),
};

export const migrations: Writing<{ readonly tables: unknown; readonly rows: unknown; readonly history: number }> = {
  name: "migrations",
  start: { tables: 0, rows: 0, history: 0 },
  read: async (emulator) => {
    const { tables } = await row(
      emulator,
      SHOP,
      "select count(*) as tables from pg_tables where tablename ~ '^m[0-9]'",
    );
    const { rows: moved } = await row(emulator, SHOP, "select count(*) as rows from moved");
    return { tables, rows: moved, history: (await names(emulator, `/v1/projects/${SHOP}/database/migrations`)).length };
  },
  plan: (emulator, { tables, rows: moved, history }) => ({
    next: { tables: Number(tables) + 2, rows: Number(moved) + 1, history: history + 1 },
    send: () =>
      emulator.call("POST", `/v1/projects/${SHOP}/database/migrations`, {
        query: `create table m${history} (); insert into moved values ('x'); create table m${history}b ()`,
      }),
  }),
};

export const projects: Writing<{ readonly names: readonly string[] }> = {
  name: "projects",
  start: { names: [] },
  read: async (emulator) => ({ names: own("made-", await names(emulator, "/v1/projects")) }),
  plan: async (emulator, { names: now }) => {
    const [oldest] = now;
    if (oldest === undefined || now.length < 3) {
      const name = nextName("made-"); // sorts behind the others
      const body = { name, organization_slug: "acme", db_pass: "correct horse" };
      return { next: { names: [...now, name] }, send: () => emulator.call("POST", "/v1/projects", body) };
    }
    const listed = z.array(z.looseObject({ name: z.string(), ref: z.string() }));
    const ref = bodyAs(listed, await emulator.call("GET", "/v1/projects")).find(({ name }) => name === oldest)?.ref;
    return { next: { names: now.slice(1) }, send: () => emulator.call("DELETE", `/v1/projects/${ref ?? ""}`) };
  },
};

/** Projects with SQL in them: made, filled, deleted. The rows that each has, null where nobody filled it. */
export const filled: Writing<Readonly<Record<string, unknown>>> = {
  name: "projects with rows",
  start: {},
  read: async (emulator) => {
    const all = await filledProjects(emulator);
    const read = async (ref: string): Promise<unknown> => {
      const there = await row(emulator, ref, "select to_regclass('kept')::text as found");
      if (there["found"] === null) return null;
      return (await row(emulator, ref, "select count(*) as rows from kept"))["rows"];
    };
    return Object.fromEntries(await Promise.all(all.map(async ({ name, ref }) => [name, await read(ref)] as const)));
  },
  plan: async (emulator, now) => {
    const [name, ...more] = Object.keys(now);
    if (name === undefined) {
      const made = nextName("filled-");
      const body = { name: made, organization_slug: "acme", db_pass: "correct horse" };
      return { next: { [made]: null }, send: () => emulator.call("POST", "/v1/projects", body) };
    }
    if (more.length > 0) throw new Error("one at a time");
    const ref = (await filledProjects(emulator))[0]?.ref ?? "";
    if (now[name] === null) return { next: { [name]: 3 }, send: () => sql(emulator, ref, KEPT) };
    return { next: {}, send: () => emulator.call("DELETE", `/v1/projects/${ref}`) };
  },
};

async function filledProjects(emulator: Called) {
  const listed = z.array(z.looseObject({ name: z.string(), ref: z.string() }));
  const all = bodyAs(listed, await emulator.call("GET", "/v1/projects"));
  return all.filter(({ name }) => name.startsWith("filled-"));
}

export const functions: Writing<{ readonly version: number; readonly contents: readonly string[] }> = {
  name: "a function of many files",
  start: { version: 0, contents: [] },
  read: async (emulator) => {
    const path = `/v1/projects/${SHOP}/functions/hello`;
    const found = await emulator.call("GET", path);
    if (found.status === 404) return { version: 0, contents: [] };
    const { text } = await emulator.call("GET", `${path}/body`);
    const { version } = bodyAs(z.looseObject({ version: z.number() }), found);
    return { version, contents: text.match(/of version \d+/g) ?? [] };
  },
  plan: (emulator, { version }) => {
    const content = `of version ${version + 1}`;
    const contents = Array.from({ length: FILES }, () => content);
    const files = contents.map((text, index): [string, string] => [`f${index}.ts`, `// ${index} ${text}`]);
    const form = deployForm({ entrypoint_path: "f0.ts" }, Object.fromEntries(files));
    return {
      next: { version: version + 1, contents },
      send: () => emulator.call("POST", `/v1/projects/${SHOP}/functions/deploy?slug=hello`, form),
    };
  },
};

export const secrets: Writing<{ readonly names: readonly string[] }> = {
  name: "secrets by the pair",
  start: { names: [] },
  read: async (emulator) => ({ names: own("PAIR_", await names(emulator, `/v1/projects/${SHOP}/secrets`)) }),
  plan: (emulator, { names: now }) => {
    const path = `/v1/projects/${SHOP}/secrets`;
    if (now.length >= 10) return { next: { names: [] }, send: () => emulator.call("DELETE", path, now) };
    const pair = ["A", "B"].map((end) => `PAIR_${now.length}_${end}`);
    const body = pair.map((name) => ({ name, value: "x" }));
    return { next: { names: [...now, ...pair].toSorted() }, send: () => emulator.call("POST", path, body) };
  },
};
