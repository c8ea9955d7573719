import { INTERNAL_SCHEMAS } from "./fresh.ts";

/** What the advisors look for. Each finding follows from the catalog alone, so it goes when its cause goes. */
export interface LintRule {
  readonly name: string;
  readonly title: string;
  readonly level: "ERROR" | "WARN" | "INFO";
  readonly category: "PERFORMANCE" | "SECURITY";
  /** what it is about, for all findings */
  readonly description: string;
  readonly remediation: string;
  /**
   * A query for findings: `key`, unique among those of the rule; `detail`, what is wrong here; `metadata`, a JSON object that names the
   * thing. $1 are the schemas that the REST layer serves.
   */
  readonly sql: string;
}

const INTERNAL = `'{${INTERNAL_SCHEMAS.join(",")},graphql_public}'::text[]`;
/** Schemas of users; `n` is the row of pg_namespace. */
const OWN = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema' and n.nspname <> all (${INTERNAL})`;
const SERVED = `n.nspname = any ($1::text[]) and ${OWN}`;
/** Somebody who uses the REST layer may read it, as far as these roles are still there. */
const READABLE = `exists (
  select from pg_roles u where u.rolname in ('anon', 'authenticated') and has_table_privilege(u.oid, c.oid, 'select'))`;
/** What extensions bring along is not the user's to mend. */
const notOfExtension = (catalog: string, oid: string): string =>
  `not exists (select from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${oid} and x.deptype = 'e')`;

const TABLES = `pg_class c join pg_namespace n on n.oid = c.relnamespace`;
const thing = (type: string, more = ""): string =>
  `jsonb_build_object('schema', n.nspname, 'name', c.relname, 'type', '${type}'${more})`;
const keyOf = (...parts: readonly string[]): string => ["n.nspname", "c.relname", ...parts].join(" || '_' || ");

export const LINT_RULES: readonly LintRule[] = [
  {
    name: "unindexed_foreign_keys",
    title: "Unindexed foreign keys",
    level: "INFO",
    category: "PERFORMANCE",
    description:
      "A foreign key without an index that begins with its columns makes changes of the referenced table and joins slow.",
    remediation: "Create an index that begins with the columns of the foreign key.",
    sql: `
      select ${keyOf("k.conname")} as key,
        format('Table %I.%I has a foreign key %I without a covering index.', n.nspname, c.relname, k.conname) as detail,
        ${thing("table", ", 'fkey_name', k.conname, 'fkey_columns', to_jsonb(k.conkey)")} as metadata
      from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and k.conparentid = 0 and ${OWN} and ${notOfExtension("pg_class", "c.oid")} and not exists (
        select from pg_index i where i.indrelid = k.conrelid and i.indpred is null
          and (string_to_array(i.indkey::text, ' ')::int2[])[1:array_length(k.conkey, 1)] @> k.conkey
          and (string_to_array(i.indkey::text, ' ')::int2[])[1:array_length(k.conkey, 1)] <@ k.conkey)`,
  },
  {
    name: "no_primary_key",
    title: "No primary key",
    level: "INFO",
    category: "PERFORMANCE",
    description: "A table without a primary key can be inefficient to work with at scale.",
    remediation: "Add a primary key to the table.",
    sql: `
      select ${keyOf()} as key, format('Table %I.%I does not have a primary key.', n.nspname, c.relname) as detail,
        ${thing("table")} as metadata
      from ${TABLES}
      where c.relkind in ('r', 'p') and not c.relispartition and ${OWN} and ${notOfExtension("pg_class", "c.oid")}
        and not exists (select from pg_constraint k where k.conrelid = c.oid and k.contype = 'p')`,
  },
  {
    name: "duplicate_index",
    title: "Duplicate index",
    level: "WARN",
    category: "PERFORMANCE",
    description: "Two or more identical indexes cost space and time at every write and help no more than one.",
    remediation: "Drop all of them but one.",
    sql: `
      select n.nspname || '_' || c.relname || '_' || string_agg(x.relname, ',' order by x.relname) as key,
        format('Table %I.%I has identical indexes %s. Drop all except one of them.', n.nspname, c.relname,
          '{' || string_agg(x.relname, ',' order by x.relname) || '}') as detail,
        jsonb_build_object('schema', n.nspname, 'name', c.relname, 'type', 'table',
          'indexes', jsonb_agg(x.relname order by x.relname)) as metadata
      from pg_index i join pg_class x on x.oid = i.indexrelid join pg_class c on c.oid = i.indrelid
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'm') and ${OWN} and ${notOfExtension("pg_class", "c.oid")}
      group by n.nspname, c.relname, c.oid, regexp_replace(pg_get_indexdef(i.indexrelid), 'INDEX .+? ON', 'INDEX ON')
      having count(*) > 1`,
  },
  {
    name: "multiple_permissive_policies",
    title: "Multiple permissive policies",
    level: "WARN",
    category: "PERFORMANCE",
    description: "Each permissive policy for the same role and action is evaluated for every row of every query.",
    remediation: "Merge the policies into one.",
    sql: `
      select ${keyOf("r.rolname", "a.action")} as key,
        format('Table %I.%I has multiple permissive policies for role %I for action %s. Policies include {%s}', n.nspname, c.relname,
          r.rolname, a.action, string_agg(p.polname, ',' order by p.polname)) as detail,
        ${thing("table")} as metadata
      from ${TABLES} join pg_policy p on p.polrelid = c.oid
      join pg_roles r on r.rolname in ('anon', 'authenticated', 'authenticator') and (r.oid = any (p.polroles) or p.polroles = '{0}')
      join (values ('r', 'SELECT'), ('a', 'INSERT'), ('w', 'UPDATE'), ('d', 'DELETE')) a (code, action)
        on p.polcmd::text in ('*', a.code)
      where c.relrowsecurity and p.polpermissive and ${OWN}
      group by n.nspname, c.relname, r.rolname, a.action having count(*) > 1`,
  },
  {
    name: "auth_rls_initplan",
    title: "Auth functions called for every row",
    level: "WARN",
    category: "PERFORMANCE",
    description: "A call of an auth function or of current_setting in a policy is evaluated again for each row.",
    remediation: "Write the call as a scalar subquery: (select auth.uid()).",
    sql: `
      select ${keyOf("p.polname")} as key,
        format('Table %I.%I has a row level security policy %I that re-evaluates an auth function for each row.', n.nspname, c.relname,
          p.polname) as detail,
        ${thing("table")} as metadata
      from ${TABLES} join pg_policy p on p.polrelid = c.oid
      cross join lateral (select regexp_replace(
        coalesce(pg_get_expr(p.polqual, c.oid), '') || ' ' || coalesce(pg_get_expr(p.polwithcheck, c.oid), ''),
        'SELECT (auth\\.(uid|jwt|role|email)\\(\\)|current_setting\\()', '', 'gi') as text) e
      where c.relrowsecurity and ${OWN} and e.text ~* '(auth\\.(uid|jwt|role|email)\\(\\)|current_setting\\()'`,
  },
  {
    name: "rls_disabled_in_public",
    title: "RLS disabled in public",
    level: "ERROR",
    category: "SECURITY",
    description:
      "A table in a schema that the REST layer serves can be read and written by anybody without row level security.",
    remediation: "Enable row level security on the table.",
    sql: `
      select ${keyOf()} as key, format('Table %I.%I is public, but RLS has not been enabled.', n.nspname, c.relname) as detail,
        ${thing("table")} as metadata
      from ${TABLES}
      where c.relkind in ('r', 'p') and not c.relrowsecurity and ${SERVED} and ${READABLE} and ${notOfExtension("pg_class", "c.oid")}`,
  },
  {
    name: "policy_exists_rls_disabled",
    title: "Policy exists, RLS disabled",
    level: "ERROR",
    category: "SECURITY",
    description: "Policies do nothing while row level security is off.",
    remediation: "Enable row level security on the table.",
    sql: `
      select ${keyOf()} as key,
        format('Table %I.%I has RLS policies but RLS is not enabled on the table. Policies include {%s}.', n.nspname, c.relname,
          string_agg(p.polname, ',' order by p.polname)) as detail,
        ${thing("table")} as metadata
      from ${TABLES} join pg_policy p on p.polrelid = c.oid
      where not c.relrowsecurity and ${OWN} group by n.nspname, c.relname`,
  },
  {
    name: "rls_enabled_no_policy",
    title: "RLS enabled, no policy",
    level: "INFO",
    category: "SECURITY",
    description: "With row level security and without a policy nobody but the owner gets a row.",
    remediation: "Create a policy, or leave it where nobody shall read the table.",
    sql: `
      select ${keyOf()} as key, format('Table %I.%I has RLS enabled, but no policies exist', n.nspname, c.relname) as detail,
        ${thing("table")} as metadata
      from ${TABLES}
      where c.relkind in ('r', 'p') and c.relrowsecurity and ${OWN} and ${notOfExtension("pg_class", "c.oid")}
        and not exists (select from pg_policy p where p.polrelid = c.oid)`,
  },
  {
    name: "security_definer_view",
    title: "Security definer view",
    level: "ERROR",
    category: "SECURITY",
    description: "A view reads with the rights of who made it, past the row level security of who asks.",
    remediation: "Create the view with security_invoker = on.",
    sql: `
      select ${keyOf()} as key,
        format('View %I.%I is defined with the SECURITY DEFINER property', n.nspname, c.relname) as detail,
        ${thing("view")} as metadata
      from ${TABLES}
      where c.relkind = 'v' and ${SERVED} and ${READABLE} and ${notOfExtension("pg_class", "c.oid")}
        and not (lower(coalesce(c.reloptions::text, '{}'))::text[] && array['security_invoker=1', 'security_invoker=true',
          'security_invoker=yes', 'security_invoker=on'])`,
  },
  {
    name: "auth_users_exposed",
    title: "Exposed auth users",
    level: "ERROR",
    category: "SECURITY",
    description: "A view that the REST layer serves shows users' data of the schema auth.",
    remediation: "Take the view out of the schema, or away from the roles of the REST layer.",
    sql: `
      select ${keyOf()} as key,
        format('View/Materialized View "%s" in the public schema may expose auth.users data to anon or authenticated roles.', c.relname)
          as detail,
        ${thing("view")} as metadata
      from ${TABLES}
      where c.relkind in ('v', 'm') and ${SERVED} and ${READABLE} and exists (
        select from pg_rewrite w join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = w.oid
        where w.ev_class = c.oid and d.refclassid = 'pg_class'::regclass and d.refobjid = to_regclass('auth.users'))`,
  },
  {
    name: "materialized_view_in_api",
    title: "Materialized view in API",
    level: "WARN",
    category: "SECURITY",
    description: "Materialized views have no row level security; the REST layer serves this one to everybody.",
    remediation: "Revoke the right to read it from anon and authenticated.",
    sql: `
      select ${keyOf()} as key,
        format('Materialized view %I.%I is selectable by anon or authenticated roles', n.nspname, c.relname) as detail,
        ${thing("materialized view")} as metadata
      from ${TABLES} where c.relkind = 'm' and ${SERVED} and ${READABLE} and ${notOfExtension("pg_class", "c.oid")}`,
  },
  {
    name: "function_search_path_mutable",
    title: "Function search path mutable",
    level: "WARN",
    category: "SECURITY",
    description: "A function without a search_path of its own finds what its caller's search_path leads to.",
    remediation: "Set search_path in the definition of the function.",
    sql: `
      select n.nspname || '_' || p.proname || '_' || md5(p.oid::regprocedure::text) as key,
        format('Function %I.%I has a role mutable search_path', n.nspname, p.proname) as detail,
        jsonb_build_object('schema', n.nspname, 'name', p.proname, 'type', 'function') as metadata
      from pg_proc p join pg_namespace n on n.oid = p.pronamespace
      where p.prokind = 'f' and ${OWN} and ${notOfExtension("pg_proc", "p.oid")}
        and not exists (select from unnest(p.proconfig) s where s like 'search_path=%')`,
  },
  {
    name: "extension_in_public",
    title: "Extension in public",
    level: "WARN",
    category: "SECURITY",
    description:
      "What an extension brings along is served by the REST layer when the extension is in the schema public.",
    remediation: "Move the extension to another schema.",
    sql: `
      select e.extname as key,
        format('Extension %I is installed in the public schema. Move it to another schema.', e.extname) as detail,
        jsonb_build_object('schema', n.nspname, 'name', e.extname, 'type', 'extension') as metadata
      from pg_extension e join pg_namespace n on n.oid = e.extnamespace where n.nspname = 'public'`,
  },
];
