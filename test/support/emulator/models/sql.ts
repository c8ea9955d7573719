import fc from "fast-check";
import { z } from "zod";
import type { EmulatorUnderTest } from "../api.ts";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** What a project's database holds, and the history of its migrations. */

type Rows = Readonly<Record<string, string>>;
type SqlCommand =
  | { readonly insert: number; readonly text: string }
  | { readonly change: number; readonly text: string }
  | { readonly remove: number }
  /** fails at its end, or may only read: nothing of it is kept */
  | { readonly spoiled: "fails" | "read only" };

const QUERY = `${PROJECT}/database/query`;
const id = fc.nat(2);
const text = fc.constantFrom("a", "it's", "ä");
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

function statement(command: SqlCommand): string {
  if ("insert" in command) return `insert into notes values (${command.insert}, ${quoted(command.text)})`;
  if ("change" in command) return `update notes set text = ${quoted(command.text)} where id = ${command.change}`;
  if ("remove" in command) return `delete from notes where id = ${command.remove}`;
  return command.spoiled === "fails" ? "delete from notes; select 1 / 0" : "delete from notes";
}

const sql: Resource<Rows, SqlCommand> = {
  name: "sql",
  forms: ["insert", "change", "remove"],
  command: fc.oneof(
    fc.record({ insert: id, text }),
    fc.record({ change: id, text }),
    fc.record({ remove: id }),
    fc.record({ spoiled: fc.constantFrom("fails", "read only") }),
  ),
  initial: async ({ call }) => {
    await call("POST", QUERY, { body: { query: "create table if not exists notes (id int primary key, text text)" } });
    return {};
  },
  request: (command) => {
    const read_only = "spoiled" in command && command.spoiled === "read only";
    return { method: "POST", path: QUERY, body: { query: statement(command), read_only } };
  },
  after: (command, rows) => {
    if ("insert" in command) return { ...rows, [command.insert]: command.text };
    if ("remove" in command) {
      return Object.fromEntries(Object.entries(rows).filter(([at]) => at !== String(command.remove)));
    }
    if ("spoiled" in command || rows[command.change] === undefined) return rows;
    return { ...rows, [command.change]: command.text };
  },
  read: async ({ call }) => {
    const query = "select id, text from public.notes";
    const { json } = await call("POST", QUERY, { body: { query } });
    const rows = z.array(z.object({ id: z.number(), text: z.string() })).parse(json);
    return Object.fromEntries(rows.map((row) => [row.id, row.text]));
  },
  shown: (rows) => rows,
};

interface Entry {
  readonly version: string;
  readonly name: string;
  /** the table that its rollback drops; undefined: its rollback does nothing */
  readonly drops: string | undefined;
}
interface Migrations {
  readonly history: readonly Entry[];
  readonly tables: readonly string[];
}
type MigrationCommand =
  | { readonly apply: string; readonly broken: boolean }
  | { readonly upsert: string; readonly empty: boolean }
  | { readonly nth: number; readonly change: { readonly name?: string; readonly rollback?: string } }
  | { readonly rollBack: number };

const MIGRATIONS = `${PROJECT}/database/migrations`;
const history = z.array(z.object({ version: z.string(), name: z.string().optional() }));
const table = fc.constantFrom("one", "two", "three");

async function historyOf({ call }: EmulatorUnderTest): Promise<z.output<typeof history>> {
  return history.parse((await call("GET", MIGRATIONS)).json);
}

const UNDOES_NOTHING = "select 1";
const drop = (name: string): string => `drop table ${name}`;
const versionAt = ({ history: entries }: Migrations, nth: number): string => entries[nth]?.version ?? "x";

/** What is applied is in the history and in the schema, what is upserted in the history alone, and what was refused in neither. */
const migrations: Resource<Migrations, MigrationCommand> = {
  name: "migrations",
  forms: ["apply", "upsert", "change", "rollBack"],
  command: fc.oneof(
    { weight: 4, arbitrary: fc.record({ apply: table, broken: fc.boolean() }) },
    { weight: 4, arbitrary: fc.record({ upsert: table, empty: fc.boolean() }) },
    {
      weight: 2,
      arbitrary: fc.record({
        nth: fc.nat(2),
        change: fc.record(
          { name: fc.constantFrom("one", "renamed"), rollback: fc.constant(UNDOES_NOTHING) },
          { requiredKeys: [] },
        ),
      }),
    },
    { weight: 2, arbitrary: fc.record({ rollBack: fc.nat(1) }) },
  ),
  initial: async () => ({ history: [], tables: [] }),
  request: (command, known) => {
    if ("rollBack" in command) {
      return { method: "DELETE", path: `${MIGRATIONS}?gte=${versionAt(known, command.rollBack)}` };
    }
    if ("change" in command) {
      return { method: "PATCH", path: `${MIGRATIONS}/${versionAt(known, command.nth)}`, body: command.change };
    }
    if ("upsert" in command) {
      const query = command.empty ? "" : "select 2";
      return { method: "PUT", path: MIGRATIONS, body: { query, name: command.upsert, rollback: UNDOES_NOTHING } };
    }
    const made = `create table ${command.apply} (a int)`;
    const query = command.broken ? `${made}; select nonsense` : made;
    return {
      method: "POST",
      path: MIGRATIONS,
      body: { query, name: command.apply, rollback: drop(command.apply) },
    };
  },
  after: async (command, known, _received, under) => {
    const { history: entries, tables } = known;
    if ("rollBack" in command) {
      const dropped = new Set(entries.slice(command.rollBack).map(({ drops }) => drops));
      return { history: entries.slice(0, command.rollBack), tables: tables.filter((one) => !dropped.has(one)) };
    }
    if ("change" in command) {
      const { name, rollback } = command.change;
      const change = (one: Entry): Entry => ({
        ...one,
        name: name ?? one.name,
        drops: rollback === undefined ? one.drops : undefined,
      });
      return { tables, history: entries.map((one, at) => (at === command.nth ? change(one) : one)) };
    }
    const version = (await historyOf(under)).at(-1)?.version ?? "";
    if ("apply" in command) {
      const { apply: name } = command;
      return { history: [...entries, { version, name, drops: name }], tables: [...tables, name] };
    }
    const { upsert: name } = command;
    const same = entries.findLastIndex((one) => one.name === name);
    if (same === -1) return { tables, history: [...entries, { version, name, drops: undefined }] };
    return { tables, history: entries.map((one, at) => (at === same ? { ...one, drops: undefined } : one)) };
  },
  read: async (under) => {
    const query = "select table_name from information_schema.tables where table_name in ('one', 'two', 'three')";
    const { json } = await under.call("POST", QUERY, { body: { query } });
    const tables = z.array(z.object({ table_name: z.string() })).parse(json);
    return { history: await historyOf(under), tables: tables.map((row) => row.table_name).toSorted() };
  },
  shown: ({ history: entries, tables }) => ({
    history: entries.map(({ version, name }) => ({ version, name })),
    tables: tables.toSorted(),
  }),
};

/** What triggers call that send to a webhook: it is in the schema as soon as it was asked for. */
const webhooks: Resource<boolean, string> = {
  name: "webhooks",
  command: fc.constantFrom("", "?colour=red"),
  initial: async () => false,
  request: (query) => ({ method: "POST", path: `${PROJECT}/database/webhooks/enable${query}` }),
  mustAccept: (query) => query === "",
  after: () => true,
  read: async ({ call }) => {
    const query = "select to_regproc('platform_functions.http_request') is not null as there";
    const { json } = await call("POST", QUERY, { body: { query } });
    return z.array(z.object({ there: z.boolean() })).parse(json)[0]?.there;
  },
  shown: (areEnabled) => areEnabled,
};

/** All of them. */
export const databaseModels: readonly Modelled[] = [modelled(sql), modelled(migrations), modelled(webhooks)];
