/** What users leave in a database for the platform to run as its superuser, and how it is seen that it did. */

/**
 * Functions for any place in which one may stand. Where a superuser runs one it leaves a role, which stays whoever is a superuser afterwards: at its next
 * opening a database takes that from all but its own.
 */
export const TRAP = `
  create function trap() returns boolean language plpgsql as $$ begin
    if (select rolsuper from pg_catalog.pg_roles where rolname operator(pg_catalog.=) current_user)
      and not exists (select from pg_catalog.pg_roles where rolname operator(pg_catalog.=) 'caught') then
      execute 'create role caught';
    end if;
    return true;
  end $$;
  create function trap_of_trigger() returns trigger language plpgsql as $$ begin perform public.trap(); return new; end $$;`;

/** Names that PostgreSQL's own hide only where its schema comes first and their types are as wanted. */
export const NAMES = `
  create function trapped(name, name) returns boolean language plpgsql as $$ begin perform public.trap(); return false; end $$;
  create function trapped(text, text) returns boolean language plpgsql as $$ begin perform public.trap(); return false; end $$;
  create function format(text, name, name) returns text language plpgsql as $$ begin perform public.trap(); return null; end $$;
  create function length(character varying) returns int language plpgsql as $$ begin perform public.trap(); return 1; end $$;
  create operator !~ (leftarg = name, rightarg = name, function = trapped);
  create operator <> (leftarg = name, rightarg = name, function = trapped);
  create operator = (leftarg = text, rightarg = text, function = trapped);`;

/** No rows where nothing was run as a superuser; whatever names there are. */
export const CAUGHT = `select rolname::text from pg_catalog.pg_roles
  where rolname::text operator(pg_catalog.=) 'caught' or rolsuper and oid operator(pg_catalog.<>) 10`;
