import { expect, it, vi } from "vitest";
import type { EmulatorOptions } from "../emulator.ts";
import { emulatorUnderTest, type EmulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";
import { A_WHILE, aBranch, message } from "../../../test/support/emulator/scenario.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";

/** What waits for a project's database, or works in it, while a control call puts the project into another status. */

const SEED: NonNullable<EmulatorOptions["seed"]> = {
  organizations: [{ slug: "acme", plan: "enterprise" }],
  projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }],
};
const LONG = "select count(*) from generate_series(1, 3e5::bigint)";
/** As long as it takes to see on a busy machine that something waits for it. */
const LONGER = "select count(*) from generate_series(1, 3e6::bigint)";
const SQL = `/v1/projects/${REF}/database/query`;

function anEmulator(): Promise<EmulatorUnderTest> {
  return emulatorUnderTest({ seed: SEED, limits: { requestsPerMinute: 0 } });
}

const ask = (under: EmulatorUnderTest, query: string): Promise<Received> =>
  under.call("POST", SQL, { body: { query } });

/** Asks while the database is busy, and puts the project into a status before it is the turn of that. */
async function overtaken(under: EmulatorUnderTest, path: string, body: object, status: "GOING_DOWN" | "INACTIVE") {
  await under.control.log.clear();
  const waiting = (count: number) =>
    vi.waitFor(async () => {
      const { entries } = await under.control.log.read();
      expect(entries.map((entry) => [entry.status, entry.body !== undefined])).toEqual(Array(count).fill([null, true]));
    });
  const before = ask(under, LONGER);
  await waiting(1);
  const late = under.call("POST", path, { body });
  await waiting(2);
  await under.control.projects.force({ ref: REF, status });
  const answer = await late;
  expect((await before).status).toBe(201);
  await under.control.projects.force({ ref: REF, status: "ACTIVE_HEALTHY" });
  return [answer.status, message(answer)];
}

it.each([
  { to: "GOING_DOWN", what: "goes down is 404", told: [404, "Project not found"] },
  {
    to: "INACTIVE",
    what: "is paused is refused",
    told: [400, "The database of the project does not run: the project is INACTIVE"],
  },
] as const)(
  "a restoration that waits for the database until its project $what, and nothing is restored",
  async (one) => {
    await using under = await anEmulator();
    await under.control.projects.patch({ ref: REF, pitr: true });
    under.clock.advance(A_WHILE);
    await ask(under, "create table old ()");
    under.clock.advance(A_WHILE);
    const recovery_time_target_unix = Math.floor(under.clock.now() / 1000) - 30;
    await ask(under, "create table t as select 1 as x");
    under.clock.advance(A_WHILE);
    const path = `/v1/projects/${REF}/database/backups/restore-pitr`;
    expect(await overtaken(under, path, { recovery_time_target_unix }, one.to)).toEqual(one.told);
    expect((await ask(under, "select x from t")).json).toEqual([{ x: 1 }]);
  },
);

it.each(["database/query", "database/migrations"])(
  "SQL that waits until its project is paused is refused as a fresh request is, and does not run: %s",
  async (path) => {
    await using under = await anEmulator();
    const told = await overtaken(under, `/v1/projects/${REF}/${path}`, { query: "create table late ()" }, "INACTIVE");
    expect(told).toEqual([400, "The database of the project does not run: the project is INACTIVE"]);
    expect((await ask(under, "select to_regclass('late') as late")).json).toEqual([{ late: null }]);
  },
);

it("a merge whose parent goes down while migrations are applied is 404", async () => {
  await using under = await anEmulator();
  const { id, project_ref: dev } = await aBranch(under, REF, "dev");
  for (const name of ["a", "b", "c", "d", "e"]) {
    under.clock.advance(1000);
    const query = `create table ${name} as ${LONG}`;
    expect(
      (await under.call("POST", `/v1/projects/${dev}/database/migrations`, { body: { name, query } })).status,
    ).toBe(200);
  }
  const merged = under.call("POST", `/v1/branches/${id}/merge`, { body: {} });
  // each of these waits for what the merge is at
  while ((await ask(under, "select to_regclass('a') as begun")).text.includes("null"));
  await under.control.projects.force({ ref: REF, status: "GOING_DOWN" });
  const answer = await merged;
  expect([answer.status, message(answer)]).toEqual([404, "Project not found"]);
  await under.control.projects.force({ ref: REF, status: "ACTIVE_HEALTHY" });
  expect((await ask(under, "select to_regclass('e') as last")).json).toEqual([{ last: null }]);
});
