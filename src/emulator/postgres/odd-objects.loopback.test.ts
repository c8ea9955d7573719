import { afterAll, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import { findLints } from "./advisors.ts";
import { readCatalog, readSchemas } from "./catalog.ts";
import { restOpenApi } from "./rest-openapi.ts";
import { schemaDiff } from "./schema-diff.ts";
import { freshObjects, readObjects, type SchemaObjects } from "./schema-objects.ts";
import { typescriptTypes } from "./typescript-types.ts";

const pool = testPool();
afterAll(() => pool.stop());

const objectsOf = (ref: string) => readObjects((job) => pool.run(ref, job), ["public"]);
const rulesFound = async (ref: string) => {
  const find = (category: "PERFORMANCE" | "SECURITY") => findLints(pool, ref, { category, served: ["public"] });
  return [...(await find("PERFORMANCE")), ...(await find("SECURITY"))].map(({ cache_key: key }) => key);
};

interface Readings {
  readonly types: string;
  readonly openapi: string;
  readonly objects: SchemaObjects;
  readonly found: readonly string[];
}

/** All that is made of what a database's catalog says. */
async function readAll(ref: string): Promise<Readings> {
  expect(await readSchemas((job) => pool.run(ref, job))).toContain("public");
  const catalog = await readCatalog(pool, ref, ["public"]);
  return {
    types: typescriptTypes(catalog, ["public"]),
    openapi: JSON.stringify(restOpenApi(catalog, { schema: "public", host: "y" })),
    objects: await objectsOf(ref),
    found: await rulesFound(ref),
  };
}

/** One of each kind of objects that has as little as PostgreSQL lets it have. */
const LEAST = `
  create type no_value as enum ();
  create type no_attribute as ();
  create domain no_rule as int;
  create domain of_domain as no_rule[];
  create type least_range as range (subtype = int4);
  create table no_column ();
  create table lost_column (a int);
  alter table lost_column drop column a;
  create table uses (a no_value, b no_attribute, c of_domain, d no_value[], e least_range);
  create view view_of_nothing as select;
  create materialized view kept_nothing as select;
  create function no_argument() returns no_value language sql as 'select null::no_value';
  create function nothing(no_value) returns setof no_attribute language plpgsql as 'begin end';
  create procedure no_step() language sql as '';
  create sequence alone;
  create table parts (a int) partition by list (a);
  create table rest_of_parts partition of parts default;
  create table closed (a int primary key);
  alter table closed enable row level security;
  create policy nobody on closed`;

it("is read where objects have as little as they can", async () => {
  expect(await rowsOf(pool, "least", LEAST)).toEqual([]);
  const { types, openapi, objects, found } = await readAll("least");
  expect(types).toContain("no_value: never");
  expect(openapi).not.toContain('"enum":[]');
  expect(found).toContain("no_primary_key_public_no_column");
  expect(await rowsOf(pool, "made", schemaDiff(freshObjects(["public"]), objects))).toEqual([]);
  expect(schemaDiff(await objectsOf("made"), objects)).toBe("");
});

const EXPOSED = "create view shown as select id from auth.users; create table t (a int);";

const USERS = "auth_users_exposed_public_shown";
const OPEN = "rls_disabled_in_public_public_t";

it.each([
  { sql: "drop table auth.users", key: USERS, stays: false },
  { sql: `${EXPOSED} alter table auth.users rename to people`, key: USERS, stays: false },
  { sql: `${EXPOSED} drop schema auth cascade`, key: USERS, stays: false },
  { sql: `${EXPOSED} drop schema platform_migrations cascade`, key: USERS, stays: true },
  { sql: `${EXPOSED} alter role anon rename to anyone`, key: USERS, stays: true },
  { sql: `${EXPOSED} drop owned by anon; drop role anon`, key: OPEN, stays: true },
  {
    sql: `${EXPOSED} drop owned by anon, authenticated; drop role anon, authenticated`,
    key: OPEN,
    stays: false,
  },
  { sql: `${EXPOSED} drop owned by authenticator; drop role authenticator`, key: OPEN, stays: true },
  { sql: `${EXPOSED} drop owned by service_role; drop role service_role`, key: OPEN, stays: true },
  {
    sql: `drop schema extensions, storage, realtime, graphql, graphql_public, vault cascade`,
    key: USERS,
    stays: false,
  },
])("is read where the platform's own objects are gone: $sql", async ({ sql, key, stays }) => {
  const ref = `gone${sql}`.replaceAll(/[^a-z]/g, "").slice(-60);
  expect(await rowsOf(pool, ref, sql)).toEqual([]);
  const { found } = await readAll(ref);
  expect(found.includes(key)).toBe(stays);
});
