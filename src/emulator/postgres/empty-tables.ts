import { INTERNAL_SCHEMAS } from "./fresh.ts";

/**
 * Empties every table of a copied database, as that of a branch without data is; what belongs to the platform's own schemas, the history of
 * migrations among it, stays, but for the users and files that people put there.
 */
export const EMPTY_TABLES = `
do $$
declare
  list text;
  fired record;
  silenced text[] = '{}';
begin
  -- triggers stay out of it, whatever sessions they are for: what is the user's never runs as the platform
  for fired in
    select tgrelid::regclass as relation, tgname as name, case tgenabled when 'A' then 'always' when 'R' then 'replica' else '' end as sessions
    from pg_trigger where tgenabled <> 'D' and tgtype & 32 <> 0 -- of a truncation
  loop
    execute format('alter table only %s disable trigger %I', fired.relation, fired.name);
    silenced = silenced || format('alter table only %s enable %s trigger %I', fired.relation, fired.sessions, fired.name);
  end loop;
  select string_agg(format('%I.%I', n.nspname, c.relname), ', ') into list
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and (n.nspname in ('auth', 'storage') or n.nspname <> all ('{${INTERNAL_SCHEMAS.join(",")}}'));
  if list is not null then
    execute 'truncate ' || list || ' restart identity cascade';
  end if;
  foreach list in array silenced loop
    execute list;
  end loop;
  for list in
    select format('alter sequence %I.%I restart', s.schemaname, s.sequencename)
    from pg_sequences s
    where s.schemaname !~ '^pg_' and s.schemaname <> all ('{${INTERNAL_SCHEMAS.join(",")}}')
  loop
    execute list;
  end loop;
  for list in
    -- in the order in which they were made: one may read another
    select format('refresh materialized view %s', m.oid::regclass) from pg_class m
    where m.relkind = 'm' and m.relnamespace::regnamespace::text !~ '^pg_' order by m.oid
  loop
    begin
      execute list;
    exception when others then -- one cannot be computed from no rows: it is left as it is after a dump without data
      execute list || ' with no data';
    end;
  end loop;
end $$;
`;
