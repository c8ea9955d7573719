import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { ManualClock } from "../../src/base/manual-clock.ts";
import type { EmulatorOptions } from "../../src/emulator/emulator.ts";
import { bodyAs, emulatorUnderTest, type EmulatorUnderTest } from "../support/emulator/api.ts";
import { A_WHILE } from "../support/emulator/scenario.ts";

/** To save and to load changes nothing of databases either: whatever was done to them, the next start reads as this one did. */

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "baas-save-databases-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const REF = "s".repeat(20);
const options: EmulatorOptions = {
  seed: { projects: [{ name: "shop", ref: REF, pitr: true, branches: [{ name: "main" }] }] },
  limits: { requestsPerMinute: 0 },
};

const projectList = z.array(z.looseObject({ ref: z.string() }));
const branchList = z.array(z.looseObject({ id: z.string(), name: z.string(), project_ref: z.string() }));

async function refs({ call }: EmulatorUnderTest): Promise<readonly string[]> {
  const branches = bodyAs(branchList, await call("GET", `/v1/projects/${REF}/branches`));
  const projects = bodyAs(projectList, await call("GET", "/v1/projects"));
  return [...new Set([...projects.map(({ ref }) => ref), ...branches.map((branch) => branch.project_ref)])].toSorted();
}

const EVERYTHING = [
  "select table_name, column_name, data_type from information_schema.columns where table_schema = 'public' order by 1, 2",
  "select * from t order by 1, 2",
  "select * from platform_migrations.schema_migrations order by version",
  "select schemaname, sequencename, start_value, increment_by from pg_sequences order by 1, 2",
];

/** All that is in all databases, as far as these steps change it. */
async function reading(under: EmulatorUnderTest): Promise<unknown> {
  const found: unknown[] = [];
  for (const ref of await refs(under)) {
    for (const query of EVERYTHING) {
      const { status, json } = await under.call("POST", `/v1/projects/${ref}/database/query`, { body: { query } });
      found.push([ref, query, status, json]);
    }
  }
  return found;
}

interface Step {
  readonly what: "query" | "failing" | "migration" | "branch" | "merge" | "push" | "reset" | "remove" | "restore";
  /** of the projects that are there: which */
  readonly which: number;
}

const TABLE =
  "create table if not exists t (id uuid default gen_random_uuid(), at timestamptz default clock_timestamp(), n serial)";

/** What is sent for a step; of what is not there, nothing. */
async function take(under: EmulatorUnderTest, { what, which }: Step, turn: number): Promise<void> {
  const all = await refs(under);
  const ref = all[which % all.length] ?? REF;
  const listed = bodyAs(branchList, await under.call("GET", `/v1/projects/${REF}/branches`));
  const branches = listed.filter(({ name }) => name !== "main");
  const branch = branches[which % Math.max(1, branches.length)];
  const sql = (query: string) => under.call("POST", `/v1/projects/${ref}/database/query`, { body: { query } });
  if (what === "query") await sql(`${TABLE}; insert into t default values`);
  else if (what === "failing") await sql(`${TABLE}; insert into t default values; select 1/0`);
  else if (what === "migration") {
    const body = { query: `create table m${turn} (x int)`, name: `m${turn}`, rollback: `drop table m${turn}` };
    await under.call("POST", `/v1/projects/${ref}/database/migrations`, { body });
  } else if (what === "branch" && branches.length < 2) {
    const body = { branch_name: `b${turn}`, with_data: which % 2 === 0 };
    await under.call("POST", `/v1/projects/${REF}/branches`, { body });
  } else if (what === "restore") {
    const body = { recovery_time_target_unix: Math.floor(under.clock.now() / 1000) - 90 };
    await under.call("POST", `/v1/projects/${REF}/database/backups/restore-pitr`, { body });
  } else if (what === "remove" && branch !== undefined) await under.call("DELETE", `/v1/branches/${branch.id}`);
  else if (branch !== undefined) await under.call("POST", `/v1/branches/${branch.id}/${what}`, { body: {} });
  under.clock.advance(A_WHILE);
}

const anyStep = fc.record({
  what: fc.constantFrom<Step["what"][]>(
    "query",
    "query",
    "failing",
    "migration",
    "migration",
    "branch",
    "merge",
    "push",
    "reset",
    "remove",
    "restore",
  ),
  which: fc.nat(5),
});

/** Every step after what it needs, so that not chance alone decides what is seen. */
const ALL: readonly Step[] = (
  [
    "query",
    "migration",
    "branch",
    "query",
    "migration",
    "failing",
    "merge",
    "query",
    "restore",
    "push",
    "reset",
  ] as const
).map((what, which) => ({ what, which: which % 2 }));

describe("the databases of an emulator", () => {
  it("are after a restart what they were before", { timeout: 180_000 }, async () => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 8, maxLength: 12 }), async (steps) => {
        run += 1;
        const dataDir = join(folder, String(run));
        const clock = new ManualClock();
        const before = await (async () => {
          await using under = await emulatorUnderTest({ ...options, dataDir, clock });
          clock.advance(A_WHILE);
          for (const [turn, step] of steps.entries()) await take({ ...under, clock }, step, turn);
          return await reading(under);
        })();
        await using again = await emulatorUnderTest({ ...options, dataDir, clock: new ManualClock(clock.now()) });
        expect(await reading(again)).toEqual(before);
      }),
      { numRuns: 3, endOnFailure: true, examples: [[[...ALL]]] },
    );
  });
});
