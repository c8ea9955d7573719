import { ADMIN } from "./fresh.ts";

/**
 * What is put in order each time a database is opened, as the superuser, before any SQL of a caller: a folder of an earlier version may hold what was
 * possible then. Where all is as it should be nothing is written.
 */

/** The user whom initdb makes, and the first OID of what it does not. */
const BOOTSTRAP = 10;
const FIRST_OWN = 16384;

/** Before anything else, since all else is done as him. */
const SUPERUSER = `update pg_authid set rolname = '${ADMIN}' where oid = ${BOOTSTRAP} and rolname <> '${ADMIN}'`;

/** No other is one, nor becomes one, nor has one's rights by a function or a view of his. What a superuser made keeps its rows. */
const ROLES = `
  for found in select rolname as name from pg_authid where rolsuper and oid <> ${BOOTSTRAP} loop
    execute format('alter role %I nosuperuser', found.name);
  end loop;
  for found in
    select pg_get_userbyid(roleid) as role, pg_get_userbyid(member) as member, pg_get_userbyid(grantor) as grantor from pg_auth_members
    where pg_get_userbyid(roleid) in ('${ADMIN}', 'pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
  loop
    execute format('revoke %I from %I granted by %I cascade', found.role, found.member, found.grantor);
  end loop;
  update pg_proc set prosecdef = false where prosecdef and proowner = ${BOOTSTRAP};
  for found in
    select c.oid::regclass as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relowner = ${BOOTSTRAP} and n.nspowner <> ${BOOTSTRAP} and c.oid >= ${FIRST_OWN} and c.relkind in ('r', 'p', 'f', 'v', 'm')
      and not exists (select from pg_depend x where x.classid = 'pg_class'::regclass and x.objid = c.oid and x.deptype = 'e')
  loop
    execute format('alter table %s owner to postgres', found.name);
  end loop;`;

/**
 * What converts text to another encoding is no part of this build of PostgreSQL, which ends when it looks for it. So nothing leads there: what asks for
 * another encoding than UTF-8 is refused by the database, and so is who would make a conversion, which has to run what he may not. Those that somebody
 * made earlier go with all that depends on them, and where they went without, what is left of them goes.
 */
const CONVERSIONS = `
  for found in select n.nspname, c.conname from pg_conversion c join pg_namespace n on n.oid = c.connamespace where c.oid >= ${FIRST_OWN} loop
    execute format('drop conversion %I.%I cascade', found.nspname, found.conname);
  end loop;
  delete from pg_conversion;
  delete from pg_depend where classid = 'pg_conversion'::regclass;
  delete from pg_shdepend where classid = 'pg_conversion'::regclass
    and dbid = (select oid from pg_database where datname = current_database());
  delete from pg_description where classoid = 'pg_conversion'::regclass;
  for found in
    select oid::regprocedure as name from pg_proc
    where oid < ${FIRST_OWN} and prorettype = 'int4'::regtype and proargtypes = '23 23 2275 2281 23 16' and proacl is null
  loop
    execute format('revoke execute on function %s from public', found.name);
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
do $opening$ declare found record; begin ${ROLES} ${CONVERSIONS} ${HISTORY} end $opening$;
commit`;
