import { expect, it } from "vitest";
import type { EmulatorOptions } from "../emulator.ts";
import { emulatorUnderTest, type EmulatorUnderTest, type Received } from "../../../test/support/emulator/api.ts";
import { askedWhileBusy } from "../../../test/support/emulator/busy.ts";
import { A_WHILE, aBranch, message } from "../../../test/support/emulator/scenario.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";

/** What waits for a project's database, or works in it, while a control call puts the project into another status. */

const SEED: NonNullable<EmulatorOptions["seed"]> = {
  organizations: [{ slug: "acme", plan: "enterprise" }],
  projects: [{ name: "shop", ref: REF, branches: [{ name: "main" }] }],
};
const SQL = `/v1/projects/${REF}/database/query`;

function anEmulator(): Promise<EmulatorUnderTest> {
  return emulatorUnderTest({ seed: SEED, limits: { requestsPerMinute: 0 } });
}

const ask = (under: EmulatorUnderTest, query: string): Promise<Received> =>
  under.call("POST", SQL, { body: { query } });

/** Makes what a test begins with. What is refused here would look like what is lost later. */
async function begin(under: EmulatorUnderTest, path: string, body: object): Promise<void> {
  const { status, text } = await under.call("POST", path, { body });
  expect({ path, status, text }).toMatchObject({ path, status: path.endsWith("/migrations") ? 200 : 201 });
}

interface Overtaken {
  /** whose database is busy; default: the project's */
  readonly ref?: string;
  /** who is changed meanwhile; default: the same */
  readonly changed?: string;
  readonly path: string;
  readonly body: object;
  readonly meanwhile: (under: EmulatorUnderTest, ref: string) => Promise<unknown>;
}

const force =
  (status: "GOING_DOWN" | "INACTIVE" | "ACTIVE_HEALTHY") =>
  ({ control }: EmulatorUnderTest, ref: string): Promise<unknown> =>
    control.projects.force({ ref, status });

/** Asks while the database is busy, and lets something happen before it is the turn of that. The project runs again afterwards. */
async function overtaken(under: EmulatorUnderTest, { ref = REF, changed = ref, path, body, meanwhile }: Overtaken) {
  const {
    answers: [answer],
  } = await askedWhileBusy(under, {
    ref,
    asked: [{ path, body }],
    meanwhile: () => meanwhile(under, changed),
  });
  await force("ACTIVE_HEALTHY")(under, changed);
  return answer === undefined ? [] : [answer.status, message(answer)];
}

it.each([
  { what: "goes down is 404", meanwhile: force("GOING_DOWN"), told: [404, "Project not found"] },
  {
    what: "is paused is refused",
    meanwhile: force("INACTIVE"),
    told: [400, "Project cannot be restored to a point in time, it is INACTIVE"],
  },
  {
    what: "gives up the add-on is refused",
    meanwhile: ({ call }: EmulatorUnderTest, ref: string) =>
      call("DELETE", `/v1/projects/${ref}/billing/addons/pitr_7`),
    told: [400, "PITR is not enabled for this project"],
  },
] as const)(
  "a restoration that waits for the database until its project $what, and nothing is restored",
  async ({ meanwhile, told }) => {
    await using under = await anEmulator();
    await under.control.projects.patch({ ref: REF, pitr: true });
    under.clock.advance(A_WHILE);
    await begin(under, SQL, { query: "create table old ()" });
    under.clock.advance(A_WHILE);
    const recovery_time_target_unix = Math.floor(under.clock.now() / 1000) - 30;
    await begin(under, SQL, { query: "create table t as select 1 as x" });
    under.clock.advance(A_WHILE);
    const path = `/v1/projects/${REF}/database/backups/restore-pitr`;
    expect(await overtaken(under, { path, body: { recovery_time_target_unix }, meanwhile })).toEqual(told);
    expect((await ask(under, "select x from t")).json).toEqual([{ x: 1 }]);
    expect((await under.call("GET", `/v1/projects/${REF}`)).json).toMatchObject({ status: "ACTIVE_HEALTHY" });
  },
);

it.each([
  { verb: "merge", paused: "target" },
  { verb: "merge", paused: "source" },
  { verb: "push", paused: "target" },
  { verb: "push", paused: "source" },
  { verb: "reset", paused: "target" },
] as const)(
  "a $verb that waits until its $paused is paused is refused as a fresh one is, and does nothing",
  async ({ verb, paused }) => {
    await using under = await anEmulator();
    const { id, project_ref: dev } = await aBranch(under, REF, "dev");
    const [source, target] = verb === "merge" ? [dev, REF] : [REF, dev];
    await begin(under, `/v1/projects/${target}/database/query`, { query: "create table own ()" });
    const query = "create table late ()";
    await begin(under, `/v1/projects/${source}/database/migrations`, { name: "late", query });
    await under.control.actions.failStep({ step: "deploy" });
    const path = `/v1/branches/${id}/${verb}`;
    const changed = paused === "source" ? source : target;
    const told = await overtaken(under, { ref: target, changed, path, body: {}, meanwhile: force("INACTIVE") });
    expect(told).toEqual([400, "Branch is not ready, its project is INACTIVE"]);
    const there = { query: "select to_regclass('own')::text as own, to_regclass('late')::text as late" };
    expect((await under.call("POST", `/v1/projects/${target}/database/query`, { body: there })).json).toEqual([
      { own: "own", late: null },
    ]);
    const branch = `/v1/projects/${REF}/branches/${verb === "merge" ? "main" : "dev"}`;
    expect((await under.call("GET", branch)).json).toMatchObject({ status: "FUNCTIONS_DEPLOYED" });
    expect((await under.call("POST", path)).status).toBe(201);
    under.clock.advance(A_WHILE);
    expect((await under.call("GET", branch)).json, "the ordered failure was not used up").toMatchObject({
      status: "FUNCTIONS_FAILED",
    });
  },
);

it.each(["database/query", "database/migrations"])(
  "SQL that waits until its project is paused is refused as a fresh request is, and does not run: %s",
  async (path) => {
    await using under = await anEmulator();
    const told = await overtaken(under, {
      path: `/v1/projects/${REF}/${path}`,
      body: { query: "create table late ()" },
      meanwhile: force("INACTIVE"),
    });
    expect(told).toEqual([400, "The database of the project does not run: the project is INACTIVE"]);
    expect((await ask(under, "select to_regclass('late') as late")).json).toEqual([{ late: null }]);
  },
);

it.each<{ what: string; query: string; meanwhile: Overtaken["meanwhile"]; answer: unknown }>([
  {
    what: "its disk is full",
    query: "create table late ()",
    meanwhile: ({ control }, ref) => control.disk.fill({ ref, usedPercent: 99 }),
    answer: { message: expect.stringContaining("cannot execute CREATE TABLE in a read-only transaction") },
  },
  {
    what: "its database is configured",
    query: "show work_mem",
    meanwhile: ({ call }, ref) =>
      call("PUT", `/v1/projects/${ref}/config/database/postgres`, { body: { work_mem: "9MB" } }),
    answer: [{ work_mem: "9MB" }],
  },
])("SQL that waits until $what runs as a fresh request does", async ({ query, meanwhile, answer }) => {
  await using under = await anEmulator();
  const asked = [{ path: SQL, body: { query } }];
  const {
    answers: [late],
  } = await askedWhileBusy(under, { ref: REF, asked, meanwhile: () => meanwhile(under, REF) });
  expect([late?.json, await ask(under, query).then(({ json }) => json)]).toEqual([answer, answer]);
});

it.each(["its parent", "its branch"])("a merge that waits until %s goes down is 404", async (which) => {
  await using under = await anEmulator();
  const { id, project_ref: dev } = await aBranch(under, REF, "dev");
  const body = { name: "late", query: "create table late ()" };
  expect((await under.call("POST", `/v1/projects/${dev}/database/migrations`, { body })).status).toBe(200);
  const changed = which === "its parent" ? REF : dev;
  const path = `/v1/branches/${id}/merge`;
  const told = await overtaken(under, { changed, path, body: {}, meanwhile: force("GOING_DOWN") });
  expect(told).toEqual([404, "Project not found"]);
  expect((await ask(under, "select to_regclass('late') as late")).json).toEqual([{ late: null }]);
});
