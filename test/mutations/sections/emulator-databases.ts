import type { Mutant } from "../mutant.ts";

const of = (file: string, only: string) =>
  ({ project: "loopback", files: [`src/emulator/postgres/${file}.loopback.test.ts`], only }) as const;
const SESSION = "src/emulator/postgres/session.ts";
const PLATFORM = {
  project: "loopback",
  files: ["src/emulator/sql/platform-role.loopback.test.ts"],
  only: "runs nothing that is the user's",
} as const;
const STARTED = {
  project: "unit",
  files: ["src/emulator/postgres/authenticated-user.test.ts"],
  only: "who began a session",
} as const;
const OPENING = "src/emulator/postgres/at-opening.ts";

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
    name: "user-sought-in-another-place",
    promise: "who began a session is set where PostgreSQL keeps it",
    file: "src/emulator/postgres/authenticated-user.ts",
    find: "const TO_AUTHENTICATED = 5;",
    replace: "const TO_AUTHENTICATED = 4;",
    killer: STARTED,
  },
  {
    name: "database-that-is-not-tried",
    promise: "a database in which a session is not as it began does not start",
    file: "src/emulator/postgres/authenticated-user.ts",
    find: "  await probe(exchange, beginsAs);\n",
    replace: "",
    killer: STARTED,
  },
  {
    name: "session-settled-by-the-one-before",
    promise: "a session has the settings of its project, whoever had the one before",
    file: SESSION,
    find: "  await become(session, ADMIN);\n",
    replace: "",
    killer: of("session-authorization", "begins as the superuser again"),
  },
  {
    name: "conversions-that-end-the-database",
    promise: "another encoding is refused by the database, which stays",
    file: OPENING,
    find: "delete from pg_conversion;",
    replace: "",
    killer: of("statements", "is refused by the database, which stays"),
  },
  {
    name: "conversion-dropped-without-what-depends-on-it",
    promise: "a schema with a conversion can be dropped",
    file: OPENING,
    find: "  delete from pg_depend where classid = 'pg_conversion'::regclass;\n",
    replace: "",
    killer: of("at-opening", "has nothing left of a conversion"),
  },
  {
    name: "conversion-that-anybody-makes",
    promise: "nobody makes a conversion, which would end the database",
    file: OPENING,
    find: "execute format('revoke execute on function %s from public', found.name);",
    replace: "null;",
    killer: of("at-opening", "lets nobody make a conversion"),
  },
  {
    name: "superuser-kept-at-the-opening",
    promise: "a database of an earlier version opens with its rows, and nobody in it is a superuser",
    file: OPENING,
    find: "execute format('alter role %I nosuperuser', found.name);",
    replace: "null;",
    killer: of("at-opening", "keeps its rows, and no caller is a superuser"),
  },
  {
    name: "rights-lent-by-what-a-superuser-left",
    promise: "what a superuser left in a database lends nobody his rights",
    file: OPENING,
    find: "  update pg_proc set prosecdef = false where prosecdef and proowner = ${BOOTSTRAP};\n",
    replace: "",
    killer: of("at-opening", "lends no caller the rights of the superuser"),
  },
  {
    name: "history-kept-by-the-superuser",
    promise: "what the user makes of the history of migrations runs as the user",
    file: "src/emulator/sql/migrations.ts",
    find: 'return { sql, parameters, role: "postgres" };',
    replace: 'return { sql, parameters, role: "platform_admin" };',
    killer: PLATFORM,
  },
  {
    name: "history-read-for-branches-by-the-superuser",
    promise: "what the user makes of the history of migrations runs as the user, also where branches work with it",
    file: "src/emulator/branches/migration-history.ts",
    find: 'role: "postgres"',
    replace: 'role: "platform_admin"',
    killer: PLATFORM,
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
