import type { SqlStep } from "./database.ts";

/**
 * What database webhooks need: a schema with the function that a trigger calls, and a record of each call. Nothing is sent: the emulated
 * database has no way out. Run again it changes nothing.
 */
export const WEBHOOKS: SqlStep = {
  role: "postgres",
  sql: `
create schema if not exists platform_functions;
create table if not exists platform_functions.hooks (
  id bigint generated always as identity primary key,
  hook_table_id oid not null,
  hook_name text not null,
  created_at timestamptz not null default now(),
  request_id bigint
);
create index if not exists hooks_hook_table_id_hook_name on platform_functions.hooks (hook_table_id, hook_name);
create or replace function platform_functions.http_request() returns trigger language plpgsql security definer
set search_path = '' as $$
begin
  if coalesce(tg_argv[0], 'null') = 'null' then
    raise exception 'url argument is missing';
  end if;
  insert into platform_functions.hooks (hook_table_id, hook_name) values (tg_relid, tg_name);
  return coalesce(new, old);
end $$;
grant usage on schema platform_functions to anon, authenticated, service_role;
revoke all on function platform_functions.http_request() from public;
grant execute on function platform_functions.http_request() to anon, authenticated, service_role;
`,
};
