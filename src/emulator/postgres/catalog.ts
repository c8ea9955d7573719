import { z } from "zod";
import type { Databases, RunJob } from "./database.ts";
import { ADMIN } from "./fresh.ts";
import { parameterText } from "./values.ts";

/** What the catalog of a database says of some schemas, for the documents that are made of it. */

const typeSchema = z.object({
  schema: z.string(),
  /** as in pg_type: an array of text is `_text` */
  name: z.string(),
  /** b base, c composite, d domain, e enum, p pseudo, r range, m multirange */
  kind: z.string(),
  /** as SQL writes it: `character varying(20)` */
  format: z.string(),
  /** of an array its element, of a domain its base */
  inner: z.object({ schema: z.string(), name: z.string(), kind: z.string() }).nullable(),
});
export type CatalogType = z.output<typeof typeSchema>;

const columnSchema = z.object({
  name: z.string(),
  type: typeSchema,
  nullable: z.boolean(),
  /** the expression; of a generated column too */
  default: z.string().nullable(),
  /** a: always, d: by default; empty: none */
  identity: z.string(),
  generated: z.boolean(),
  comment: z.string().nullable(),
});
export type CatalogColumn = z.output<typeof columnSchema>;

const relationSchema = z.object({
  schema: z.string(),
  name: z.string(),
  /** r table, p partitioned table, f foreign table, v view, m materialized view */
  kind: z.string(),
  comment: z.string().nullable(),
  insertable: z.boolean(),
  updatable: z.boolean(),
  columns: z.array(columnSchema),
  primaryKey: z.array(z.string()),
});
export type CatalogRelation = z.output<typeof relationSchema>;

const foreignKeySchema = z.object({
  name: z.string(),
  schema: z.string(),
  relation: z.string(),
  columns: z.array(z.string()),
  referencedSchema: z.string(),
  referencedRelation: z.string(),
  referencedColumns: z.array(z.string()),
  /** the columns are unique, so that there is at most one row for each that is referenced */
  oneToOne: z.boolean(),
});
export type CatalogForeignKey = z.output<typeof foreignKeySchema>;

const argumentSchema = z.object({
  name: z.string(),
  /** i in, o out, b both, v variadic, t column of a table that is returned */
  mode: z.string(),
  type: typeSchema,
  hasDefault: z.boolean(),
});

const functionSchema = z.object({
  schema: z.string(),
  name: z.string(),
  comment: z.string().nullable(),
  arguments: z.array(argumentSchema),
  returns: typeSchema,
  returnsSet: z.boolean(),
  /** i immutable, s stable, v volatile */
  volatility: z.string(),
});
export type CatalogFunction = z.output<typeof functionSchema>;

const enumSchema = z.object({ schema: z.string(), name: z.string(), values: z.array(z.string()) });
const compositeSchema = z.object({
  schema: z.string(),
  name: z.string(),
  attributes: z.array(z.object({ name: z.string(), type: typeSchema })),
});

const catalogSchema = z.object({
  relations: z.array(relationSchema),
  foreignKeys: z.array(foreignKeySchema),
  functions: z.array(functionSchema),
  /** of all schemas: a table may use one from elsewhere */
  enums: z.array(enumSchema),
  composites: z.array(compositeSchema),
});
export type Catalog = z.output<typeof catalogSchema>;

/** The type of an OID as typeSchema has it. */
const typeOf = (oid: string, modifier = "null"): string => `(
  select jsonb_build_object('schema', tn.nspname, 'name', t.typname, 'kind', t.typtype, 'format', format_type(t.oid, ${modifier}),
    'inner', (
      select jsonb_build_object('schema', en.nspname, 'name', e.typname, 'kind', e.typtype)
      from pg_type e join pg_namespace en on en.oid = e.typnamespace
      where e.oid = case when t.typtype = 'd' then t.typbasetype when t.typcategory = 'A' then t.typelem else 0 end))
  from pg_type t join pg_namespace tn on tn.oid = t.typnamespace where t.oid = ${oid})`;

const namesOf = (relation: string, numbers: string): string => `(
  select coalesce(jsonb_agg(ka.attname order by kn.place), '[]') from unnest(${numbers}) with ordinality kn (number, place)
  join pg_attribute ka on ka.attrelid = ${relation} and ka.attnum = kn.number)`;

const COLUMNS = `
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', a.attname, 'type', ${typeOf("a.atttypid", "a.atttypmod")},
    'nullable', not (a.attnotnull or exists (select from pg_type dt where dt.oid = a.atttypid and dt.typnotnull)),
    'default', pg_get_expr(d.adbin, d.adrelid), 'identity', a.attidentity, 'generated', a.attgenerated <> '',
    'comment', col_description(c.oid, a.attnum)) order by a.attnum), '[]')
  from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped`;

const RELATIONS = `
  select coalesce(jsonb_agg(jsonb_build_object(
    'schema', n.nspname, 'name', c.relname, 'kind', c.relkind, 'comment', obj_description(c.oid, 'pg_class'),
    'insertable', pg_relation_is_updatable(c.oid, true) & 8 = 8, 'updatable', pg_relation_is_updatable(c.oid, true) & 4 = 4,
    'columns', (${COLUMNS}),
    'primaryKey', coalesce((select ${namesOf("c.oid", "p.conkey")} from pg_constraint p where p.conrelid = c.oid and p.contype = 'p'), '[]'))
    order by n.nspname, c.relname), '[]')
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = any ($1::text[]) and c.relkind in ('r', 'p', 'f', 'v', 'm')
    and not exists (select from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e')`;

const FOREIGN_KEYS = `
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', k.conname, 'schema', n.nspname, 'relation', c.relname, 'columns', ${namesOf("k.conrelid", "k.conkey")},
    'referencedSchema', fn.nspname, 'referencedRelation', f.relname, 'referencedColumns', ${namesOf("k.confrelid", "k.confkey")},
    'oneToOne', exists (
      select from pg_constraint u where u.conrelid = k.conrelid and u.contype in ('p', 'u') and u.conkey <@ k.conkey))
    order by k.conname), '[]')
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
  join pg_class f on f.oid = k.confrelid join pg_namespace fn on fn.oid = f.relnamespace
  where k.contype = 'f' and k.conparentid = 0 and n.nspname = any ($1::text[])`;

const ARGUMENTS = `
  select coalesce(jsonb_agg(jsonb_build_object(
    'name', coalesce(p.proargnames[g.place], ''), 'mode', coalesce(p.proargmodes[g.place], 'i'), 'type', ${typeOf("g.oid")},
    'hasDefault', coalesce(p.proargmodes[g.place], 'i') in ('i', 'b') and p.pronargdefaults > 0 and (
      select count(*) from unnest(coalesce(p.proargmodes, array_fill('i'::"char", array[p.pronargs::int]))) with ordinality m (mode, place)
      where m.mode in ('i', 'b') and m.place <= g.place) > p.pronargs - p.pronargdefaults) order by g.place), '[]')
  from unnest(coalesce(p.proallargtypes, p.proargtypes::oid[])) with ordinality g (oid, place)`;

/** What can be called by name: neither aggregates nor the functions of triggers, nor what came with an extension or with a range type. */
const FUNCTIONS = `
  select coalesce(jsonb_agg(jsonb_build_object(
    'schema', n.nspname, 'name', p.proname, 'comment', obj_description(p.oid, 'pg_proc'), 'arguments', (${ARGUMENTS}),
    'returns', ${typeOf("p.prorettype")}, 'returnsSet', p.proretset, 'volatility', p.provolatile)
    order by n.nspname, p.proname, pg_get_function_identity_arguments(p.oid)), '[]')
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = any ($1::text[]) and p.prokind = 'f' and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)
    and not exists (select from pg_depend x where x.classid = 'pg_proc'::regclass and x.objid = p.oid and x.deptype in ('e', 'i'))`;

const ENUMS = `
  select coalesce(jsonb_agg(jsonb_build_object('schema', n.nspname, 'name', t.typname, 'values', (
    select coalesce(jsonb_agg(v.enumlabel order by v.enumsortorder), '[]') from pg_enum v where v.enumtypid = t.oid)) order by n.nspname, t.typname), '[]')
  from pg_type t join pg_namespace n on n.oid = t.typnamespace where t.typtype = 'e'`;

const COMPOSITES = `
  select coalesce(jsonb_agg(jsonb_build_object('schema', n.nspname, 'name', c.relname, 'attributes', (
    select coalesce(jsonb_agg(jsonb_build_object('name', a.attname, 'type', ${typeOf("a.atttypid", "a.atttypmod")}) order by a.attnum), '[]')
    from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped)) order by n.nspname, c.relname), '[]')
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind = 'c' and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

const READ_CATALOG = `select jsonb_build_object('relations', (${RELATIONS}), 'foreignKeys', (${FOREIGN_KEYS}),
  'functions', (${FUNCTIONS}), 'enums', (${ENUMS}), 'composites', (${COMPOSITES}))`;

/** @throws DatabaseUnavailableError */
export async function readCatalog(databases: Databases, ref: string, schemas: readonly string[]): Promise<Catalog> {
  const run: RunJob = (job) => databases.run(ref, job);
  return catalogSchema.parse(await readDocument(run, { sql: READ_CATALOG, parameters: [schemas] }));
}

/** Names of the schemas that a database has, but for the system's own. @throws DatabaseUnavailableError */
export async function readSchemas(run: RunJob): Promise<readonly string[]> {
  const sql = `select coalesce(jsonb_agg(nspname order by nspname), '[]') from pg_namespace
    where nspname !~ '^pg_' and nspname not in ('information_schema', 'platform_internal')`;
  return z.array(z.string()).parse(await readDocument(run, { sql, parameters: [] }));
}

/** Runs a query of our own that gives one JSON document. @param query.parameters arrays of names */
export async function readDocument(
  run: RunJob,
  query: { readonly sql: string; readonly parameters: readonly (readonly string[])[] },
): Promise<unknown> {
  const step = { sql: query.sql, parameters: query.parameters.map(parameterText), role: ADMIN } as const;
  const outcome = await run({ steps: [step], searchPath: "" });
  if (outcome.kind === "refused") throw new Error(`${outcome.error.code}: ${outcome.error.message}`);
  return JSON.parse(outcome.results[0]?.rows[0]?.[0] ?? "null");
}
