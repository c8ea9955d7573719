/**
 * What a fresh project's database holds: the roles and schemas that migrations of such platforms rely on, the history of migrations, and
 * what read-only SQL is run through.
 */

declare const superuser: unique symbol;
/** No text is one: who has something run as the superuser imports ADMIN, by which each place of them is known. */
export type Superuser = "platform_admin" & { readonly [superuser]: true };

/** The database's own superuser, which no caller of the API is meant to be. */
export const ADMIN = "platform_admin" as Superuser;
export const READER = "platform_read_only_user";

/** Schemas that belong to the platform: no diff, no generated type and no finding is about them. */
export const INTERNAL_SCHEMAS = [
  "auth",
  "extensions",
  "graphql",
  "platform_functions",
  "platform_internal",
  "platform_migrations",
  "realtime",
  "storage",
  "vault",
] as const;

const ROLES = `
create role postgres login createdb createrole replication bypassrls;
create role anon nologin noinherit;
create role authenticated nologin noinherit;
create role service_role nologin noinherit bypassrls;
create role authenticator login noinherit;
create role ${READER} login bypassrls;
grant anon, authenticated, service_role to authenticator;
grant anon, authenticated, service_role, authenticator to postgres with admin option;
grant pg_monitor, pg_read_all_data, pg_signal_backend, pg_checkpoint to postgres;
grant pg_read_all_data to ${READER};
alter role ${READER} set default_transaction_read_only = on;
alter database postgres owner to postgres;
grant set on parameter session_replication_role to postgres;
`;

const SCHEMAS = `
create schema extensions authorization postgres;
create schema auth authorization postgres;
create schema storage authorization postgres;
create schema realtime authorization postgres;
create schema graphql authorization postgres;
create schema graphql_public authorization postgres;
create schema vault authorization postgres;
create schema platform_migrations authorization postgres;
create extension "uuid-ossp" with schema extensions;
create extension pgcrypto with schema extensions;
grant usage on schema public, extensions, auth, storage, realtime, graphql_public to anon, authenticated, service_role;
`;

/** What tables, functions and sequences that the user makes in public let the roles of the REST layer do. */
const DEFAULT_PRIVILEGES = ["tables", "functions", "sequences"]
  .map(
    (kind) =>
      `alter default privileges for role postgres in schema public grant all on ${kind} to anon, authenticated, service_role;`,
  )
  .join("\n");

const AUTH = `
create table auth.users (
  id uuid primary key default gen_random_uuid(),
  aud text,
  role text,
  email text unique,
  phone text unique,
  encrypted_password text,
  email_confirmed_at timestamptz,
  last_sign_in_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  is_anonymous boolean not null default false,
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);
alter table auth.users enable row level security;
create function auth.jwt() returns jsonb language sql stable
  return coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb;
create function auth.uid() returns uuid language sql stable return (auth.jwt() ->> 'sub')::uuid;
create function auth.role() returns text language sql stable return auth.jwt() ->> 'role';
create function auth.email() returns text language sql stable return auth.jwt() ->> 'email';
`;

const STORAGE = `
create table storage.buckets (
  id text primary key,
  name text not null unique,
  owner uuid,
  public boolean default false,
  file_size_limit bigint,
  allowed_mime_types text[],
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);
create table storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text references storage.buckets (id),
  name text,
  owner uuid,
  metadata jsonb,
  created_at timestamptz default now(),
  updated_at timestamptz default now()
);
create index on storage.objects (bucket_id, name);
alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;
`;

const MIGRATIONS = `
create table platform_migrations.schema_migrations (
  version text primary key,
  name text,
  statements text[],
  rollback text[],
  created_by text,
  idempotency_key text unique
);
`;

/**
 * Read-only SQL runs within these functions: in one that belongs to another role the database lets nobody change roles, nor end the
 * transaction. Each row comes as the text of a record, whose values are in the types' own text.
 */
const READING = `
create schema platform_internal;
create function platform_internal.read_rows(statement text) returns setof text language plpgsql security definer as $$
declare
  found_row record;
begin
  for found_row in execute statement loop
    return next found_row::text;
  end loop;
end $$;
create function platform_internal.run_statement(statement text) returns void language plpgsql security definer as $$
begin
  execute statement;
end $$;
alter function platform_internal.read_rows(text) owner to ${READER};
alter function platform_internal.run_statement(text) owner to ${READER};
revoke all on all functions in schema platform_internal from public;
grant usage on schema platform_internal to ${READER};
`;

/** The history is kept by these: versions rise, and what is rolled back leaves the history with its effects, or not at all. */
const HISTORY = `
create function platform_internal.next_version(clock text) returns text language plpgsql as $$
declare
  last text;
  next text;
begin
  select version into last from platform_migrations.schema_migrations order by length(version) desc, version desc limit 1;
  if last is null or (length(last), last) < (length(clock), clock) then
    return clock;
  end if;
  begin
    next := to_char(to_timestamp(last, 'YYYYMMDDHH24MISS') + interval '1 second', 'YYYYMMDDHH24MISS');
  exception when others then
    next := '';
  end;
  return case when (length(next), next) > (length(last), last) then next else (last::numeric + 1)::text end;
end $$;
create function platform_internal.roll_back(gte text) returns void language plpgsql as $$
declare
  migration record;
  statement text;
begin
  for migration in
    select version, rollback from platform_migrations.schema_migrations
    where (length(version), version) >= (length(gte), gte) order by length(version) desc, version desc
  loop
    foreach statement in array coalesce(migration.rollback, '{}') loop
      execute statement;
    end loop;
    delete from platform_migrations.schema_migrations where version = migration.version;
  end loop;
end $$;
grant usage on schema platform_internal to postgres;
revoke all on function platform_internal.next_version(text), platform_internal.roll_back(text) from public;
grant execute on function platform_internal.next_version(text), platform_internal.roll_back(text) to postgres;
`;

const asOwner = (sql: string): string =>
  `set session authorization postgres;\n${sql}\nset session authorization ${ADMIN};`;

/** Run once, as ADMIN, in a database that initdb made. */
export const FRESH_DATABASE: readonly string[] = [
  ROLES,
  SCHEMAS,
  DEFAULT_PRIVILEGES,
  asOwner(AUTH + STORAGE + MIGRATIONS),
  READING,
  HISTORY,
];
