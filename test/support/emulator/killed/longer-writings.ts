import { z } from "zod";
import { bodyAs } from "../api.ts";
import type { Called } from "./process.ts";
import type { Plan, Reading, Writing } from "./writer.ts";
import { names, PAST, row, sql, TREE } from "./writings.ts";

/** Writes that take several steps, each of which follows from what the one before it left. */

/** How many migrations a database has had, by its history and by the tables that they made. */
interface Migrated extends Reading {
  readonly history: number;
  readonly tables: unknown;
}

/** A parent and its branch. `rows`: of the table that no migration made, null where it is not there. */
interface Tree extends Reading {
  readonly parent: Migrated;
  readonly branch: (Migrated & { readonly rows: unknown }) | null;
}

const branchList = z.array(z.looseObject({ id: z.string(), name: z.string(), project_ref: z.string() }));

async function branchOf(emulator: Called) {
  const listed = bodyAs(branchList, await emulator.call("GET", `/v1/projects/${TREE}/branches`));
  return listed.find(({ name }) => name === "dev");
}

async function migrated(emulator: Called, ref: string): Promise<Migrated> {
  const { tables } = await row(emulator, ref, "select count(*) as tables from pg_tables where tablename ~ '^b[0-9]'");
  return { history: (await names(emulator, `/v1/projects/${ref}/database/migrations`)).length, tables };
}

async function readTree(emulator: Called): Promise<Tree> {
  const parent = await migrated(emulator, TREE);
  const branch = await branchOf(emulator);
  if (branch === undefined) return { parent, branch: null };
  const { rows } = await row(emulator, branch.project_ref, "select to_regclass('kept')::text as rows");
  const count = "select count(*) as rows from kept";
  const there = rows === null ? { rows } : await row(emulator, branch.project_ref, count);
  return { parent, branch: { ...(await migrated(emulator, branch.project_ref)), rows: there["rows"] } };
}

const more = ({ history, tables }: Migrated): Migrated => ({ history: history + 1, tables: Number(tables) + 1 });

/** Made with data, migrated, written to, merged, reset, pushed to, deleted. */
export const branch: Writing<Tree> = {
  name: "a branch",
  start: { parent: { history: 0, tables: 0 }, branch: null },
  read: readTree,
  plan: async (emulator, { parent, branch: now }): Promise<Plan<Tree>> => {
    const found = await branchOf(emulator);
    const post = (path: string, body: unknown) => () => emulator.call("POST", path, body);
    const migrate = (ref: string) =>
      post(`/v1/projects/${ref}/database/migrations`, { query: `create table b${parent.history} ()` });
    if (now === null || found === undefined) {
      const send = post(`/v1/projects/${TREE}/branches`, { branch_name: "dev", with_data: true });
      return { next: { parent, branch: { ...parent, rows: 3 } }, send };
    }
    const { project_ref: ref } = found;
    const at = `/v1/branches/${found.id}`;
    const { rows } = now;
    const ahead = now.history - parent.history;
    if (rows === 4 && ahead === 0) {
      return { next: { parent, branch: { ...now, rows: null } }, send: post(`${at}/reset`, {}) };
    }
    if (rows === 4) return { next: { parent: more(parent), branch: now }, send: post(`${at}/merge`, {}) };
    if (rows === 3 && ahead === 1) {
      const send = () => sql(emulator, ref, "insert into kept values ('4')");
      return { next: { parent, branch: { ...now, rows: 4 } }, send };
    }
    if (rows === 3) return { next: { parent, branch: { ...more(now), rows } }, send: migrate(ref) };
    if (ahead === -1) return { next: { parent, branch: { ...more(now), rows } }, send: post(`${at}/push`, {}) };
    // a merge and a migration of the parent: every second one ends a round
    if (parent.history % 2 === 1) return { next: { parent: more(parent), branch: now }, send: migrate(TREE) };
    return { next: { parent, branch: null }, send: () => emulator.call("DELETE", at) };
  },
};

interface Restored extends Reading {
  readonly rows: unknown;
}

const time = z.object({ nowMs: z.number() });

/** Rows that are written until there are some, and then taken back by a restore to the second before the last two. */
export function restores(): Writing<Restored> {
  let target = { second: 0, rows: 0 };
  return {
    name: "a restore to a point in time",
    start: { rows: 3 },
    read: async (emulator) => ({ rows: (await row(emulator, PAST, "select count(*) as rows from kept"))["rows"] }),
    plan: async (emulator, { rows }): Promise<Plan<Restored>> => {
      const now = Number(rows);
      const { nowMs } = bodyAs(time, await emulator.call("POST", "/_emulator/time.advance", { ms: 2000 }));
      if (now >= target.rows + 2 && target.second > 0) {
        const { second, rows: then } = target;
        target = { second: 0, rows: 0 };
        const path = `/v1/projects/${PAST}/database/backups/restore-pitr`;
        return {
          next: { rows: then },
          send: () => emulator.call("POST", path, { recovery_time_target_unix: second }),
        };
      }
      // a second that ended before now, and began after everything that is there
      if (target.second === 0) target = { second: Math.floor(nowMs / 1000) - 1, rows: now };
      return { next: { rows: now + 1 }, send: () => sql(emulator, PAST, "insert into kept values ('more')") };
    },
  };
}
