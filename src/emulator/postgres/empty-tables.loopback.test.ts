import { afterAll, describe, expect, it } from "vitest";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import { CAUGHT, NAMES, TRAP } from "../../../test/support/emulator/superuser-trap.ts";

const pool = testPool();
const ask = (ref: string, sql: string) => rowsOf(pool, ref, sql);

const TABLE = "create table things (x int); insert into things values (1);";
/** Each kind of sessions for which a trigger can be. */
const SESSIONS = ["always", "replica", ""];

/** Traps where a step that empties a table may come by; each database has a table of things. */
const TRAPS: readonly { readonly of: string; readonly sql: string }[] = [
  {
    of: "triggers and rules",
    sql: `${TABLE} create table mine.more () inherits (things);
      create table parted (x int) partition by list (x);
      create table part partition of parted for values in (1);
      ${["things", "mine.more", "part"]
        .flatMap((table) => SESSIONS.map((sessions, index) => ({ table, sessions, name: `"on ${index}"` })))
        .map(
          ({ table, sessions, name }) => `
          create trigger ${name} before truncate on ${table} execute function trap_of_trigger();
          alter table ${table} enable ${sessions} trigger ${name};`,
        )
        .join("")}
      create trigger after after truncate on things execute function trap_of_trigger();
      create trigger off before truncate on things execute function trap_of_trigger();
      create trigger rows before delete or update on things for each row execute function trap_of_trigger();
      create constraint trigger late after delete or insert on things deferrable initially deferred
        for each row execute function trap_of_trigger();
      alter table things disable trigger off, enable always trigger rows, enable replica trigger late;
      create rule r as on delete to things do also select trap();
      alter table things enable always rule r`,
  },
  {
    of: "columns, checks, policies, indexes, partitions and materialized views",
    sql: `create function settled(int) returns int immutable language plpgsql as $$ begin perform public.trap(); return $1; end $$;
      create domain wary as int default trap()::int check (trap());
      create table things (x int default trap()::int check (trap()), id int generated always as identity, w wary,
        y int generated always as (settled(1)) stored, z int generated always as (x + 1) virtual);
      insert into things (x) values (1);
      create index on things ((settled(x) + settled(1))) where settled(2) > 1;
      alter table things enable row level security, force row level security;
      create policy p on things using (trap()) with check (trap());
      create table parted (x int) partition by list ((settled(x) + settled(1)));
      create table part partition of parted for values in (2);
      create trigger t before truncate on parted execute function trap_of_trigger();
      create trigger t before truncate on part execute function trap_of_trigger();
      create table noted (x int);
      create constraint trigger late after insert on noted deferrable initially deferred for each row execute function trap_of_trigger();
      create function becoming(what text) returns boolean language plpgsql as $$ begin
        perform public.trap();
        begin execute what; exception when others then null; end;
        return public.trap();
      end $$;
      create materialized view kept as select trap() as x;
      create index on kept (x) where settled(3) > 1;
      create materialized view as_role as select becoming('set role platform_admin') as x;
      create materialized view as_none as select becoming('reset role') as x;
      create materialized view as_session as select becoming('set session authorization platform_admin') as x;
      create materialized view as_default as select becoming('reset session authorization') as x;
      create materialized view as_late as select becoming('insert into public.noted values (1)') as x`,
  },
  { of: "names that hide those of PostgreSQL", sql: TABLE + NAMES },
];

afterAll(() => pool.stop());

const TRIGGERS = `select tgrelid::regclass, tgname, tgenabled from pg_trigger where tgisinternal is false order by tgname, 1`;

describe("a copy without data", () => {
  it.each(TRAPS.map(({ of, sql }, index) => ({ of, sql, index })))(
    "is emptied, and runs nothing of $of as the superuser",
    async ({ sql, index }) => {
      const [from, to] = [`from${index}`, `to${index}`];
      expect(await ask(from, `create schema mine; ${TRAP} ${sql}`)).toEqual([]);
      await pool.clone(from, to, { data: false });
      expect(await ask(to, CAUGHT)).toEqual([]);
      expect(await ask(from, "select count(*) from things")).toEqual([["1"]]);
      expect(await ask(to, "select count(*) from things")).toEqual([["0"]]);
      expect(await ask(to, TRIGGERS)).toEqual(await ask(from, TRIGGERS));
    },
  );
});
