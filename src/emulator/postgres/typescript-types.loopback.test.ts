import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import { readCatalog } from "./catalog.ts";
import { typescriptTypes } from "./typescript-types.ts";

const pool = testPool();
const folder = mkdtempSync(join(tmpdir(), "baas-types-test-"));
afterAll(async () => {
  await pool.stop();
  rmSync(folder, { recursive: true, force: true });
});

const SCHEMA = `
  create type mood as enum ('sad', 'happy "quoted"');
  create domain positive as int check (value > 0);
  create type address as (street text, "house number" int);
  create table people (
    id bigint generated always as identity primary key,
    name varchar(20) not null,
    nick text,
    mood mood not null default 'happy "quoted"',
    moods mood[],
    age positive,
    home address,
    extra jsonb not null default '{}',
    upper_name text generated always as (upper(name)) stored,
    "odd column" timestamptz not null default now()
  );
  create table passports (person bigint primary key references people (id), number text not null unique);
  create table visits (person bigint not null references people, place uuid not null, primary key (person, place));
  create table empty ();
  create view grown_ups as select id, name from people where age > 17;
  create materialized view counts as select count(*) as n from people;
  create function add(a int, b int default 1) returns int language sql as 'select a + b';
  create function add(a text, b text) returns text language sql as 'select a || b';
  create function everybody() returns setof people language sql as 'select * from people';
  create function pairs(wanted int) returns table (k text, v numeric[]) language sql as 'select null::text, null::numeric[]';
  create type span as range (subtype = float8); -- makes functions of that name
  create function nothing() returns void language sql as '';
  create function on_change() returns trigger language plpgsql as 'begin return new; end';
  create schema other;
  create table other.things (id int primary key, state mood, owner uuid references auth.users (id));`;

/** What may and may not be written against the types; every line that is no type fails the compiler. */
const USE = `
import type { Database, Enums, Json, Tables, TablesInsert, TablesUpdate } from "./database.types";
type Is<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const check = <T extends true>(..._: T[]): void => undefined;
type Person = Tables<"public", "people">;
check<Is<Person["id"], number>>();
check<Is<Person["name"], string>>();
check<Is<Person["nick"], string | null>>();
check<Is<Person["mood"], 'sad' | 'happy "quoted"'>>();
check<Is<Person["moods"], ('sad' | 'happy "quoted"')[] | null>>();
check<Is<Person["age"], number | null>>();
check<Is<Person["home"], { street: string | null; "house number": number | null } | null>>();
check<Is<Person["extra"], Json>>();
check<Is<Person["odd column"], string>>();
check<Is<Enums<"public", "mood">, Person["mood"]>>();
const least: TablesInsert<"public", "people"> = { name: "Ann" };
const change: TablesUpdate<"public", "people"> = { nick: null, mood: "sad" };
// @ts-expect-error a name is needed
const none: TablesInsert<"public", "people"> = {};
// @ts-expect-error the database gives it
const given: TablesInsert<"public", "people"> = { name: "Ann", id: 1 };
// @ts-expect-error computed
const computed: TablesUpdate<"public", "people"> = { upper_name: "ANN" };
// @ts-expect-error no such mood
const mood: TablesInsert<"public", "people"> = { name: "Ann", mood: "angry" };
type Public = Database["public"];
check<Is<Public["Tables"]["passports"]["Relationships"][0]["isOneToOne"], true>>();
check<Is<Public["Tables"]["visits"]["Relationships"][0]["isOneToOne"], false>>();
check<Is<Public["Tables"]["visits"]["Relationships"][0]["referencedRelation"], "people">>();
check<Is<keyof Public["Views"], "counts" | "grown_ups">>();
check<Is<Public["Views"]["grown_ups"]["Row"]["name"], string | null>>();
check<Is<keyof Public["Functions"], "add" | "everybody" | "nothing" | "pairs">>();
check<Is<Public["Functions"]["add"]["Returns"], number | string>>();
const added: Public["Functions"]["add"]["Args"] = { a: 1 };
check<Is<Public["Functions"]["everybody"]["Returns"][number]["name"], string>>();
check<Is<Public["Functions"]["pairs"], { Args: { wanted: number }; Returns: { k: string; v: number[] }[] }>>();
check<Is<Public["Functions"]["nothing"]["Returns"], undefined>>();
check<Is<Database["other"]["Tables"]["things"]["Row"]["state"], Person["mood"] | null>>();
export { added, change, computed, given, least, mood, none };
`;

const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");

/** What the compiler has against the types and their use. */
function complaints(types: string, use: string): string {
  writeFileSync(join(folder, "database.types.ts"), types);
  writeFileSync(join(folder, "use.ts"), use);
  const flags = ["--noEmit", "--strict", "--exactOptionalPropertyTypes", "--skipLibCheck", "--types", ""];
  return spawnSync(process.execPath, [compiler, ...flags, join(folder, "use.ts")], { cwd: folder, encoding: "utf8" })
    .stdout;
}

beforeAll(async () => {
  const refusal = await rowsOf(pool, "a", SCHEMA);
  if (typeof refusal === "string") throw new Error(refusal);
});

describe("TypeScript types of a database", () => {
  it("compile strictly, and say what may be read and written", async () => {
    const types = typescriptTypes(await readCatalog(pool, "a", ["public", "other"]), ["public", "other"]);
    expect(complaints(types, USE)).toBe("");
    expect(complaints(types, USE.replace('{ name: "Ann" }', "{ name: 1 }")), "the compiler does look").toContain(
      "TS2322",
    );
  });

  it("name types of schemas that are not asked for by what they are", async () => {
    const types = typescriptTypes(await readCatalog(pool, "a", ["other"]), ["other"]);
    expect(types).toContain(`state: "sad" | "happy \\"quoted\\"" | null`);
    expect(types).not.toContain("people");
    expect(complaints(types, 'export type { Database } from "./database.types";')).toBe("");
  });

  it("of a schema that is empty, or not there, compile as well", async () => {
    const types = typescriptTypes(await readCatalog(pool, "a", ["nowhere"]), ["nowhere"]);
    expect(complaints(types, 'export type { Database } from "./database.types";')).toBe("");
    expect(types).toContain("nowhere: {\n    Tables: {\n      [_ in never]: never\n    }");
  });
});
