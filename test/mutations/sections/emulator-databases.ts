import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/postgres/${file}.loopback.test.ts`], only }) as const;
const SESSION = "src/emulator/postgres/session.ts";

/** That a database is for PostgreSQL to guard and to describe, whatever is in it. */
export const emulatedDatabases: readonly Mutant[] = [
  {
    name: "session-begun-by-the-superuser",
    promise: "SQL becomes nobody whom PostgreSQL would not let it become, wherever it hides that",
    file: SESSION,
    find: '  beginsAs("itself");\n',
    replace: "",
    killer: of("session-authorization", "makes no superuser of postgres"),
  },
  {
    name: "conversions-that-end-the-database",
    promise: "another encoding is refused by the database, which stays",
    file: "src/emulator/postgres/fresh.ts",
    find: "delete from pg_catalog.pg_conversion;",
    replace: "",
    killer: of("statements", "is refused by the database, which stays"),
  },
  {
    name: "enum-without-values-not-read",
    promise: "types can be generated for every database, also for an enum without values",
    file: "src/emulator/postgres/catalog.ts",
    find: "coalesce(jsonb_agg(v.enumlabel order by v.enumsortorder), '[]')",
    replace: "jsonb_agg(v.enumlabel order by v.enumsortorder)",
    killer: of("odd-objects", "where objects have as little as they can"),
  },
  {
    name: "enum-without-values-not-compared",
    promise: "a diff is made of every database, also of an enum without values",
    file: "src/emulator/postgres/schema-objects.ts",
    find: "coalesce(jsonb_agg(v.enumlabel order by v.enumsortorder), '[]')",
    replace: "jsonb_agg(v.enumlabel order by v.enumsortorder)",
    killer: of("odd-objects", "where objects have as little as they can"),
  },
  {
    name: "advice-only-with-the-table-of-users",
    promise: "advisors find what there is where the platform's own objects are gone",
    file: "src/emulator/postgres/lints.ts",
    find: "to_regclass('auth.users')",
    replace: "'auth.users'::regclass",
    killer: of("odd-objects", "where the platform's own objects are gone"),
  },
  {
    name: "advice-only-with-the-roles-of-the-rest-layer",
    promise: "advisors find what there is where the platform's own roles are gone",
    file: "src/emulator/postgres/lints.ts",
    find: "where u.rolname in ('anon', 'authenticated') and has_table_privilege(u.oid, c.oid, 'select'))",
    replace: "where u.rolname = 'authenticated' and has_table_privilege('anon', c.oid, 'select'))",
    killer: of("odd-objects", "where the platform's own objects are gone"),
  },
  {
    name: "secret-of-a-branch-without-a-limit",
    promise: "secrets of a new branch are held to the limits of all secrets",
    file: "src/api/contract/branches.ts",
    find: "secret(z.string().max(SECRET_VALUE_MAX))",
    replace: "secret(z.string())",
    killer: {
      project: "loopback",
      files: ["src/emulator/branches/branches.loopback.test.ts"],
      only: "is refused with",
    },
  },
  {
    name: "keys-and-codes-told",
    promise: "no log and no refusal tells somebody's keys, nor what one signs in with",
    file: "src/api/contract/secret-fields.ts",
    find: " || UNTOLD.has(schema)",
    replace: "",
    killer: { project: "unit", files: ["src/emulator/http/shown.test.ts"], only: "shows nothing of" },
  },
];
