import { ADMIN } from "./fresh.ts";

/**
 * What is put in order each time a database is opened, as the superuser, before any SQL of a caller: a folder of an earlier version may hold what was
 * possible then. Where all is as it should be nothing is written.
 */

/** The user whom initdb makes, and the first OID of what it does not. */
const BOOTSTRAP = 10;
const FIRST_OWN = 16384;

/** Before anything else, since all else is done as him; another who took his name in the meantime keeps his rights, and not the name. */
const SUPERUSER = `
update pg_authid a set rolname = (
  select '${ADMIN}_' || a.oid::int8 + n from generate_series(0, (select count(*) from pg_authid)) n
  where not exists (select from pg_authid taken where taken.rolname = '${ADMIN}_' || a.oid::int8 + n) order by n limit 1
) where oid <> ${BOOTSTRAP} and rolname = '${ADMIN}';
update pg_authid set rolname = '${ADMIN}' where oid = ${BOOTSTRAP} and rolname <> '${ADMIN}'`;

/** No other is one, nor becomes one. */
const ROLES = `
  for one in select rolname as name from pg_authid where rolsuper and oid <> ${BOOTSTRAP} loop
    execute format('alter role %I nosuperuser', one.name);
  end loop;
  for one in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor from pg_auth_members
    where pg_get_userbyid(roleid) in ('${ADMIN}', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
  loop
    execute format('revoke %I from %I granted by %I cascade', one.role, one.member, one.grantor);
  end loop;`;

/**
 * PostgreSQL's own relations are the superuser's, and let others do what they did at first: who may write one column of them, or gives himself that,
 * makes himself a superuser. What initdb let others do is noted in pg_init_privs, but not for the information schema, of which everybody reads what
 * anybody does. Nor does anybody add to the functions by whose names this is done.
 */
const CATALOG = `
  update pg_class set relowner = ${BOOTSTRAP} where oid < ${FIRST_OWN} and relowner <> ${BOOTSTRAP};
  update pg_class c set relacl = first.acl
    from (
      select o.oid, case when o.relnamespace <> 'information_schema'::regnamespace then i.initprivs
        when o.relacl is not null and o.relname !~ '^_pg_'
        then acldefault('r', ${BOOTSTRAP}) || makeaclitem(0, ${BOOTSTRAP}, 'select', false) end as acl
      from pg_class o left join pg_init_privs i on i.classoid = 'pg_class'::regclass and i.objoid = o.oid and i.objsubid = 0
    ) first
    where c.oid = first.oid and c.oid < ${FIRST_OWN} and c.relacl is distinct from first.acl;
  update pg_attribute a set attacl = i.initprivs
    from pg_attribute o left join pg_init_privs i on i.classoid = 'pg_class'::regclass and i.objoid = o.attrelid and i.objsubid = o.attnum
    where a.attrelid = o.attrelid and a.attnum = o.attnum and a.attrelid < ${FIRST_OWN} and a.attacl is distinct from i.initprivs;
  update pg_namespace n set nspowner = ${BOOTSTRAP}, nspacl = i.initprivs from pg_init_privs i
    where n.nspname = 'pg_catalog' and i.classoid = 'pg_namespace'::regclass and i.objoid = n.oid
      and (n.nspowner <> ${BOOTSTRAP} or n.nspacl is distinct from i.initprivs);
  delete from pg_shdepend where (classid = 'pg_class'::regclass and objid < ${FIRST_OWN}
      or classid = 'pg_namespace'::regclass and objid = 'pg_catalog'::regnamespace)
    and dbid = (select oid from pg_database where datname = current_database());`;

/** Who is no part of an extension, which stays whose it is. */
const isOwn = (catalog: string): string => `o.oid >= ${FIRST_OWN}
      and not exists (select from pg_depend x where x.classid = '${catalog}'::regclass and x.objid = o.oid and x.deptype = 'e')`;

/** By name: what the platform made for itself. */
const PLATFORMS = "platform_internal";

/**
 * What a superuser made is the user's who made one of himself: he reads and writes what is in it as before, and nobody has a superuser's rights by a view
 * or a function of it. Relations are so wherever they are, since the platform has none of its own: no view stays that lends them. Those that follow
 * another, as the sequence of a column and the type of a table, follow its owner too. What was temporary outlived a session that somebody ended, and goes.
 */
const LEGACY = `
  for one in select distinct relnamespace::regnamespace as name from pg_class where relowner = ${BOOTSTRAP} and relpersistence = 't' loop
    execute format('drop schema %s cascade', one.name);
  end loop;
  for one in
    select format('schema %I', nspname) as name from pg_namespace
    where nspowner = ${BOOTSTRAP} and oid >= ${FIRST_OWN} and nspname <> '${PLATFORMS}' and nspname !~ '^pg_'
    union all
    select format('table %s', o.oid::regclass) from pg_class o
    where o.relowner = ${BOOTSTRAP} and o.oid >= ${FIRST_OWN} and o.relkind in ('r', 'p', 'f', 'v', 'm', 'S') and o.relpersistence <> 't'
      and not exists (select from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = o.oid and x.refclassid = x.classid
        and x.refobjsubid > 0 and x.deptype in ('a', 'i') and o.relkind = 'S')
    union all
    select format('type %s', o.oid::regtype) from pg_type o left join pg_class c on c.oid = o.typrelid
    where o.typowner = ${BOOTSTRAP} and o.typtype <> 'm' and coalesce(c.relkind = 'c', true) and ${isOwn("pg_type")}
      and not exists (select from pg_type e where e.typarray = o.oid)
    union all
    select case when prokind <> 'p' then format('function %s', o.oid::regprocedure)
      else format('procedure %s.%I(%s)', o.pronamespace::regnamespace, o.proname, pg_get_function_identity_arguments(o.oid)) end
    from pg_proc o
    where o.proowner = ${BOOTSTRAP} and o.pronamespace is distinct from to_regnamespace('${PLATFORMS}') and ${isOwn("pg_proc")}
    union all
    select format('large object %s', oid) from pg_largeobject_metadata where lomowner = ${BOOTSTRAP}
  loop
    execute format('alter %s owner to postgres', one.name);
  end loop;
  update pg_proc set prosecdef = false where prosecdef and proowner = ${BOOTSTRAP};`;

/**
 * What converts text to another encoding is no part of this build of PostgreSQL, which ends when it looks for it. So nothing leads there: what asks for
 * another encoding than UTF-8 is refused by the database, and so is who would make a conversion, which has to run what he may not. Those that somebody
 * made earlier go with all that depends on them, and where they went without, what is left of them goes.
 */
const CONVERSIONS = `
  for one in select n.nspname, c.conname from pg_conversion c join pg_namespace n on n.oid = c.connamespace where c.oid >= ${FIRST_OWN} loop
    execute format('drop conversion %I.%I cascade', one.nspname, one.conname);
  end loop;
  delete from pg_conversion;
  delete from pg_depend where classid = 'pg_conversion'::regclass;
  delete from pg_shdepend where classid = 'pg_conversion'::regclass
    and dbid = (select oid from pg_database where datname = current_database());
  for one in
    select oid::regprocedure as name from pg_proc
    where oid < ${FIRST_OWN} and prorettype = 'int4'::regtype and proargtypes = '23 23 2275 2281 23 16' and proacl is null
  loop
    execute format('revoke execute on function %s from public', one.name);
  end loop;`;

/** The history of migrations is the user's, and what gives its versions runs as him. */
const HISTORY = `
  if not has_function_privilege('postgres', to_regprocedure('platform_internal.next_version(text)'), 'execute') then
    grant execute on function platform_internal.next_version(text) to postgres;
  end if;`;

/** One message; whatever the database's own settings say of names and of writing. */
export const AT_OPENING = `begin read write;
set local search_path = '';
set local allow_system_table_mods = on;
${SUPERUSER};
do $opening$ declare one record; begin ${ROLES} ${CATALOG} ${LEGACY} ${CONVERSIONS} ${HISTORY} end $opening$;
commit`;
