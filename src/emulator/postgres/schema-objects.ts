import { z } from "zod";
import { readDocument } from "./catalog.ts";
import type { RunJob } from "./database.ts";

/** What schemas consist of, in the database's own words: what a difference between two databases is found from. Names are quoted. */

const column = z.object({
  name: z.string(),
  type: z.string(),
  notNull: z.boolean(),
  /** of a generated column what it is computed from */
  default: z.string().nullable(),
  /** a: always, d: by default; empty: none */
  identity: z.string(),
  /** s: stored, v: virtual; empty: no */
  generated: z.string(),
});
export type ColumnObject = z.output<typeof column>;

const table = z.object({
  name: z.string(),
  columns: z.array(column),
  partitionKey: z.string().nullable(),
  partitionOf: z.string().nullable(),
  bound: z.string().nullable(),
  rowSecurity: z.boolean(),
  forced: z.boolean(),
});
export type TableObject = z.output<typeof table>;

/** Something that is made by one statement and stands on a table, or on its own where `table` is empty. */
const definition = z.object({ table: z.string(), name: z.string(), create: z.string() });
export type DefinedObject = z.output<typeof definition>;

const view = z.object({
  name: z.string(),
  materialized: z.boolean(),
  create: z.string(),
  /** relations that it reads */
  reads: z.array(z.string()),
});
export type ViewObject = z.output<typeof view>;

const routine = z.object({
  name: z.string(),
  procedure: z.boolean(),
  create: z.string(),
  result: z.string().nullable(),
});
export type RoutineObject = z.output<typeof routine>;

const objectsSchema = z.object({
  schemas: z.array(z.string()),
  enums: z.array(z.object({ name: z.string(), values: z.array(z.string()) })),
  types: z.array(definition),
  sequences: z.array(definition.extend({ ownedBy: z.string().nullable() })),
  tables: z.array(table),
  constraints: z.array(definition.extend({ foreign: z.boolean() })),
  indexes: z.array(definition),
  routines: z.array(routine),
  views: z.array(view),
  triggers: z.array(definition),
  policies: z.array(definition),
});
export type SchemaObjects = z.output<typeof objectsSchema>;

/** What a fresh database has in these schemas, told without one: its user's schemas are there and empty. */
export function freshObjects(schemas: readonly string[] = FRESH_SCHEMAS): SchemaObjects {
  return {
    schemas: FRESH_SCHEMAS.filter((name) => schemas.includes(name)),
    enums: [],
    types: [],
    sequences: [],
    tables: [],
    constraints: [],
    indexes: [],
    routines: [],
    views: [],
    triggers: [],
    policies: [],
  };
}

const FRESH_SCHEMAS = ["graphql_public", "public"];

const NAME = "format('%I.%I', n.nspname, c.relname)";
const IN_SCHEMAS = "n.nspname = any ($1::text[])";
const ofNoExtension = (catalog: string, oid: string): string => `not exists (
  select from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = ${oid} and x.deptype = 'e')`;
const list = (object: string, order: string, rest: string): string =>
  `(select coalesce(jsonb_agg(jsonb_build_object(${object}) order by ${order}), '[]') ${rest})`;

const OF_RELATIONS = "from pg_class c join pg_namespace n on n.oid = c.relnamespace";
const RELATIONS = (kinds: string): string =>
  `${OF_RELATIONS} where ${IN_SCHEMAS} and c.relkind in (${kinds}) and ${ofNoExtension("pg_class", "c.oid")}`;

const COLUMNS = list(
  `'name', quote_ident(a.attname), 'type', format_type(a.atttypid, a.atttypmod), 'notNull', a.attnotnull,
   'default', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity, 'generated', a.attgenerated`,
  "a.attnum",
  `from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`,
);

const TABLES = list(
  `'name', ${NAME}, 'columns', ${COLUMNS}, 'rowSecurity', c.relrowsecurity, 'forced', c.relforcerowsecurity,
   'partitionKey', case c.relkind when 'p' then pg_get_partkeydef(c.oid) end, 'bound', pg_get_expr(c.relpartbound, c.oid),
   'partitionOf', (select i.inhparent::regclass::text from pg_inherits i where c.relispartition and i.inhrelid = c.oid)`,
  "c.oid",
  RELATIONS("'r', 'p'"),
);

const ENUMS = list(
  `'name', format('%I.%I', n.nspname, t.typname),
   'values', (select coalesce(jsonb_agg(v.enumlabel order by v.enumsortorder), '[]') from pg_enum v where v.enumtypid = t.oid)`,
  "t.oid",
  `from pg_type t join pg_namespace n on n.oid = t.typnamespace
   where ${IN_SCHEMAS} and t.typtype = 'e' and ${ofNoExtension("pg_type", "t.oid")}`,
);

const COMPOSITE = `(
  select format('create type %I.%I as (%s)', n.nspname, t.typname,
    string_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)), ', ' order by a.attnum))
  from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped)`;
const DOMAIN = `format('create domain %I.%I as %s', n.nspname, t.typname, format_type(t.typbasetype, t.typtypmod))
  || coalesce(' default ' || t.typdefault, '') || case when t.typnotnull then ' not null' else '' end
  || coalesce((select string_agg(format(' constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), '' order by k.conname)
    from pg_constraint k where k.contypid = t.oid and k.contype = 'c'), '')`;
/** What is not the default of a range, but for what it is a range of, is not told. */
const RANGE = `(
  select format('create type %I.%I as range (subtype = %s, multirange_type_name = %s)', n.nspname, t.typname,
    format_type(g.rngsubtype, null), g.rngmultitypid::regtype)
  from pg_range g where g.rngtypid = t.oid)`;
const TYPES = list(
  `'table', '', 'name', format('%s %I.%I', case t.typtype when 'd' then 'domain' else 'type' end, n.nspname, t.typname),
   'create', case t.typtype when 'd' then ${DOMAIN} when 'r' then ${RANGE} else ${COMPOSITE} end`,
  "t.oid",
  `from pg_type t join pg_namespace n on n.oid = t.typnamespace left join pg_class r on r.oid = t.typrelid
   where ${IN_SCHEMAS} and (t.typtype in ('d', 'r') or t.typtype = 'c' and r.relkind = 'c') and ${ofNoExtension("pg_type", "t.oid")}`,
);

/** Those of identity columns come with their column. */
const SEQUENCES = list(
  `'table', '', 'name', ${NAME}, 'create', format(
     'create sequence %s as %s increment by %s minvalue %s maxvalue %s start with %s cache %s%s', ${NAME},
     format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache, case when s.seqcycle then ' cycle' else ' no cycle' end),
   'ownedBy', (
     select format('%s.%I', x.refobjid::regclass, a.attname) from pg_depend x
     join pg_attribute a on a.attrelid = x.refobjid and a.attnum = x.refobjsubid
     where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'a')`,
  "c.oid",
  `${OF_RELATIONS} join pg_sequence s on s.seqrelid = c.oid where ${IN_SCHEMAS} and ${ofNoExtension("pg_class", "c.oid")}
   and not exists (select from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'i')`,
);

/** Without those that partitions have from their parents. That a column is not null is said of the column. */
const CONSTRAINTS = list(
  `'table', ${NAME}, 'name', quote_ident(k.conname), 'foreign', k.contype = 'f',
   'create', format('alter table %s add constraint %I %s', ${NAME}, k.conname, pg_get_constraintdef(k.oid))`,
  "k.oid",
  `from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
   where ${IN_SCHEMAS} and k.contype in ('p', 'u', 'c', 'f', 'x') and k.conparentid = 0 and k.coninhcount = 0`,
);

const INDEXES = list(
  `'table', i.indrelid::regclass::text, 'name', ${NAME}, 'create', case c.relkind
     when 'I' then regexp_replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') -- with ONLY no partition gets its part
     else pg_get_indexdef(i.indexrelid) end`,
  "c.oid",
  `from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace
   where ${IN_SCHEMAS} and not c.relispartition
     and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))`,
);

/** The constructors of a range type come and go with it. */
const OF_NO_TYPE = `not exists (
  select from pg_depend y where y.classid = 'pg_proc'::regclass and y.objid = p.oid and y.deptype = 'i')`;

const ROUTINES = list(
  `'name', format('%I.%I(%s)', n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), 'procedure', p.prokind = 'p',
   'create', rtrim(pg_get_functiondef(p.oid), E'\\n'), 'result', pg_get_function_result(p.oid)`,
  "p.oid",
  `from pg_proc p join pg_namespace n on n.oid = p.pronamespace
   where ${IN_SCHEMAS} and p.prokind in ('f', 'p') and ${ofNoExtension("pg_proc", "p.oid")} and ${OF_NO_TYPE}`,
);

const VIEWS = list(
  `'name', ${NAME}, 'materialized', c.relkind = 'm',
   'create', format('create %s %s%s as%s', case c.relkind when 'm' then 'materialized view' else 'view' end, ${NAME},
     coalesce(' with (' || array_to_string(c.reloptions, ', ') || ')', ''), E'\\n' || rtrim(pg_get_viewdef(c.oid), ';')),
   'reads', (
     select coalesce(jsonb_agg(distinct x.refobjid::regclass::text), '[]') from pg_rewrite w
     join pg_depend x on x.classid = 'pg_rewrite'::regclass and x.objid = w.oid and x.refclassid = 'pg_class'::regclass
     where w.ev_class = c.oid and x.refobjid <> c.oid)`,
  "c.oid",
  RELATIONS("'v', 'm'"),
);

const TRIGGERS = list(
  `'table', ${NAME}, 'name', quote_ident(g.tgname), 'create', pg_get_triggerdef(g.oid)`,
  "g.oid",
  `from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
   where ${IN_SCHEMAS} and not g.tgisinternal and g.tgparentid = 0`,
);

const POLICIES = list(
  `'table', format('%I.%I', l.schemaname, l.tablename), 'name', quote_ident(l.policyname), 'create',
   format('create policy %I on %I.%I as %s for %s to %s', l.policyname, l.schemaname, l.tablename, lower(l.permissive), lower(l.cmd),
     (select string_agg(case r when 'public' then r else quote_ident(r) end, ', ' order by r) from unnest(l.roles) r))
   || coalesce(' using (' || l.qual || ')', '') || coalesce(' with check (' || l.with_check || ')', '')`,
  "l.schemaname, l.tablename, l.policyname",
  "from pg_policies l where l.schemaname = any ($1::text[])",
);

const READ_OBJECTS = `select jsonb_build_object(
  'schemas', (select coalesce(jsonb_agg(quote_ident(nspname) order by nspname), '[]') from pg_namespace n where ${IN_SCHEMAS}),
  'enums', ${ENUMS}, 'types', ${TYPES}, 'sequences', ${SEQUENCES}, 'tables', ${TABLES}, 'constraints', ${CONSTRAINTS},
  'indexes', ${INDEXES}, 'routines', ${ROUTINES}, 'views', ${VIEWS}, 'triggers', ${TRIGGERS}, 'policies', ${POLICIES})`;

/** The objects of some schemas in the order in which they were made. @throws DatabaseUnavailableError */
export async function readObjects(run: RunJob, schemas: readonly string[]): Promise<SchemaObjects> {
  return objectsSchema.parse(await readDocument(run, { sql: READ_OBJECTS, parameters: [schemas] }));
}
