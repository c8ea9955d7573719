import { afterEach, describe, expect, it } from "vitest";
import { ManualClock } from "../../base/manual-clock.ts";
import { seededRandom } from "../../base/random.ts";
import { rowsOf, testPool } from "../../../test/support/emulator/databases.ts";
import { REF } from "../../../test/support/emulator/every-call.ts";
import { branchByIdOrRef } from "../access.ts";
import { DrivenClock } from "../driven-clock.ts";
import { type Databases, DatabaseUnavailableError, type RunJob } from "../postgres/database.ts";
import type { DatabasePool } from "../postgres/pool.ts";
import type { ProjectStatus } from "../projects/project-state.ts";
import { applySeed } from "../state/apply-seed.ts";
import { always } from "../state/life.ts";
import { projectByRef, removeBranch, stayingProject, updateBranch, updateProject } from "../state/presence.ts";
import { seedSchema } from "../state/seed.ts";
import { DEFAULT_SETTINGS } from "../state/settings.ts";
import { createWorld, type World } from "../state/world.ts";
import { notFound } from "../failure.ts";
import type { BranchRecord } from "./branch-state.ts";
import { mergeBranch, pushToBranch, resetBranch } from "./branch-work.ts";
import { orderRunFailure, standstill } from "./runs.ts";

/** What changes while work on branches is under way: at a point of the turn in which it is done, which no request from outside could choose. */

let pool: DatabasePool;
afterEach(() => pool.stop());

const VERBS = { merge: mergeBranch, push: pushToBranch, reset: resetBranch } as const;
type Verb = keyof typeof VERBS;
type Side = "source" | "target";
type Change = (world: World, branch: BranchRecord) => unknown;

interface Stage {
  readonly world: World;
  readonly of: Readonly<Record<Side, BranchRecord>>;
  /** Does the work; what is given happens before the target's database runs SQL with this in it. */
  readonly work: (at?: { readonly sql: string; readonly change: () => unknown }) => ReturnType<typeof mergeBranch>;
}

/**
 * The branches of a project (whose target has a database unless nobody has asked it anything), of which the source has had a migration `late` that
 * the target is to have.
 */
async function staged(verb: Verb, isAsked = true): Promise<Stage> {
  const world = createWorld(new DrivenClock(new ManualClock()), seededRandom(7), DEFAULT_SETTINGS);
  const branches = [{ name: "main" }, { name: "dev" }];
  const organizations = [{ slug: "acme", members: { owner: "Owner" } }];
  applySeed(world, seedSchema.parse({ organizations, projects: [{ name: "shop", ref: REF, branches }] }));
  pool = testPool({}, undefined, { isWanted: (ref) => stayingProject(world, ref) !== undefined });
  world.onProjectRemoved = (ref) => pool.drop(ref);
  const called = (name: string): BranchRecord => {
    const found = [...world.branches.values()].find((branch) => branch.name === name);
    if (found === undefined) throw new Error(`no branch ${name}`);
    return found;
  };
  const [main, dev] = [called("main"), called("dev")];
  const of = verb === "merge" ? { source: dev, target: main } : { source: main, target: dev };
  if (isAsked) await rowsOf(pool, of.target.projectRef, "create table own ()");
  const history = verb === "reset" ? of.target : of.source;
  const insert = `insert into platform_migrations.schema_migrations (version, name, statements)
    values ('1', 'late', array['create table late ()'])`;
  expect(await rowsOf(pool, history.projectRef, insert)).toEqual([]);
  const find = (): BranchRecord => {
    const found = branchByIdOrRef(world, dev.id);
    if (found === undefined) throw notFound("Branch");
    return found;
  };
  const work: Stage["work"] = (at) => {
    const databases = at === undefined ? pool : interrupted(pool, { ...at, ref: of.target.projectRef });
    return VERBS[verb](world, databases, { find, upTo: undefined });
  };
  return { world, of, work };
}

/** Points of a turn other than SQL: the database has room now. */
const OPENED = "(opened)";
const REMADE = "(made anew)";

/** The same databases; something happens before one of them runs some SQL in a turn, or when it has room. */
function interrupted(
  databases: DatabasePool,
  { ref, sql, change }: { readonly ref: string; readonly sql: string; readonly change: () => unknown },
): Databases {
  const reached = (at: string): void => {
    if (at === sql) change();
  };
  const watched =
    (run: RunJob): RunJob =>
    async (job) => {
      if (job.steps.some((step) => step.sql.includes(sql))) change();
      return run(job);
    };
  return {
    run: (...asked) => databases.run(...asked),
    inTurn: (of, work) =>
      databases.inTurn(of, (turn) =>
        of === ref
          ? work({
              ...turn,
              open: () => turn.open().then(() => reached(OPENED)),
              run: watched(turn.run),
              rebuild: (fill) =>
                turn.rebuild((run) => {
                  reached(REMADE);
                  return fill(watched(run));
                }),
            })
          : work(turn),
      ),
    clone: (...asked) => databases.clone(...asked),
    drop: (of) => databases.drop(of),
    gaveWay: () => databases.gaveWay(),
    retain: (refs) => databases.retain(refs),
    stop: () => databases.stop(),
  };
}

const DECIDING = "to_json(statements)";
const MIGRATING = "create table late";

const forced =
  (status: ProjectStatus): Change =>
  (world, { projectRef }) => {
    const project = projectByRef(world, projectRef);
    if (project !== undefined) updateProject(world, project, { life: always(world.clock.now(), status) });
  };
const paused = forced("INACTIVE");
const goingDown = forced("GOING_DOWN");
const madeAnew: Change = (world, branch) => updateBranch(world, branch, standstill(world, "CREATING_PROJECT"));
const deleted: Change = (world, branch) => removeBranch(world, branch);
const renamed: Change = (world, branch) => updateBranch(world, branch, { name: "renamed", persistent: true });

const there = (ref: string) => rowsOf(pool, ref, "select to_regclass('own'), to_regclass('late')");
const textOf = ({ notes }: { readonly notes: readonly { readonly text: string }[] }) =>
  notes.map(({ text }) => text).join("\n");

describe.each(["merge", "push", "reset"] as const)("%s", (verb) => {
  const sides: readonly Side[] = verb === "reset" ? ["target"] : ["source", "target"];
  const each = <T extends object>(rows: readonly T[]) => sides.flatMap((side) => rows.map((row) => ({ side, ...row })));

  it("is refused for what changes as late as while it is decided, and does nothing", async () => {
    const { world, of, work } = await staged(verb);
    orderRunFailure(world, { step: "migrate", count: 1, message: "no space left" });
    const rows = each([
      { change: paused, told: { status: 400, message: "Branch is not ready, its project is INACTIVE" } },
      { change: madeAnew, told: { status: 400, message: "Branch is not ready, it is CREATING_PROJECT" } },
      { change: goingDown, told: { status: 404, message: "Project not found" } },
    ]);
    for (const { side, change, told } of rows) {
      const refused = work({ sql: DECIDING, change: () => change(world, of[side]) });
      await expect(refused, `${side}: ${told.message}`).rejects.toMatchObject(told);
      forced("ACTIVE_HEALTHY")(world, of[side]);
      updateBranch(world, of[side], standstill(world, "FUNCTIONS_DEPLOYED"));
    }
    const found = [world.runs.of(REF).size, world.runFailures.size];
    expect(found, "no run, and the failure is still ordered").toEqual([0, 1]);
    expect(await there(of.target.projectRef)).toEqual([["own", null]]);
  });

  it("fails by what is ordered for the name that its target has when it begins", async () => {
    const { world, of, work } = await staged(verb);
    orderRunFailure(world, { refOrName: "renamed", step: "migrate", count: 1, message: "no space left" });
    const run = await work({ sql: DECIDING, change: () => renamed(world, of.target) });
    expect([run.failedStep, textOf(run)]).toEqual(["migrate", expect.stringContaining("branch renamed (")]);
    expect(await there(of.target.projectRef)).toEqual([["own", null]]);
  });

  it.each(each([{}]))(
    "goes on when its $side is renamed during the migrations, and tells of that name",
    async ({ side }) => {
      const { world, of, work } = await staged(verb);
      orderRunFailure(world, { refOrName: "renamed", step: "deploy", count: 1, message: "no space left" });
      const run = await work({ sql: MIGRATING, change: () => renamed(world, of[side]) });
      expect(run.failedStep, "ordered for the target").toBe(side === "target" ? "deploy" : undefined);
      expect(textOf(run)).toContain(`${side === "target" ? "branch" : "come from"} renamed (${of[side].projectRef})`);
      expect(world.branches.get(of[side].id)).toMatchObject({ name: "renamed", persistent: true });
    },
  );

  it.each(each([{}]))("goes on when its $side is paused and made anew during the migrations", async ({ side }) => {
    const { world, of, work } = await staged(verb);
    const change = (): void => {
      paused(world, of[side]);
      madeAnew(world, of[side]);
    };
    const run = await work({ sql: MIGRATING, change });
    expect([run.failedStep, world.branches.get(of.target.id)?.runId]).toEqual([undefined, run.id]);
    const project = projectByRef(world, of[side].projectRef);
    expect(project?.life.steps.map(({ status }) => status)).toEqual(["INACTIVE"]);
    expect(await there(of.target.projectRef)).toEqual([[verb === "reset" ? null : "own", "late"]]);
  });

  it.each(
    each([
      { what: "is deleted", change: deleted, message: "Branch not found" },
      { what: "goes down", change: goingDown, message: "Project not found" },
    ]).filter(({ side, what }) => what !== "is deleted" || (verb === "merge") === (side === "source")),
  )("is 404 when its $side $what during the migrations, and uses up no failure", async ({ side, change, message }) => {
    const { world, of, work } = await staged(verb);
    orderRunFailure(world, { step: "deploy", count: 1, message: "no space left" });
    const refused = work({ sql: MIGRATING, change: () => change(world, of[side]) });
    await expect(refused).rejects.toMatchObject({ status: 404, message });
    const told = [...world.runs.of(REF).values()].map((run) => [run.branchId, run.failedStep, textOf(run)]);
    const text = expect.stringMatching(/Applied migration 1 late\n.* is gone: its functions are not deployed$/);
    expect([told, world.runFailures.size]).toEqual([side === "source" ? [[of.target.id, "deploy", text]] : [], 1]);
  });

  it("uses up no failure that it does not come to: a migration fails before", async () => {
    const { world, of, work } = await staged(verb);
    orderRunFailure(world, { step: "seed", count: 1, message: "no space left" });
    const history = verb === "reset" ? of.target : of.source;
    const broken = "update platform_migrations.schema_migrations set statements = array['create table late (), ()']";
    await rowsOf(pool, history.projectRef, broken);
    const run = await work();
    expect([run.failedStep, world.runFailures.size]).toEqual(["migrate", 1]);
  });
});

it.each([
  { verb: "push", at: OPENED, isAsked: true, what: "it has room" },
  { verb: "merge", at: OPENED, isAsked: false, what: "a target that nobody has asked anything has room" },
  { verb: "reset", at: REMADE, isAsked: true, what: "the new database has room" },
] as const)("a $verb is refused for what changes until $what, and does nothing", async ({ verb, at, isAsked }) => {
  const { world, of, work } = await staged(verb, isAsked);
  const refused = work({ sql: at, change: () => paused(world, of.target) });
  await expect(refused).rejects.toMatchObject({ status: 400, message: expect.stringContaining("INACTIVE") });
  expect([world.runs.of(REF).size, await there(of.target.projectRef)]).toEqual([0, [[isAsked ? "own" : null, null]]]);
});

it("of failures that are ordered a run ends by that of the first step that it comes to, and by the oldest of it", async () => {
  const { world, work } = await staged("reset");
  for (const [step, message] of [
    ["deploy", "last"],
    ["migrate", "of a later step"],
    ["pull", "oldest"],
    ["pull", "later"],
  ] as const) {
    orderRunFailure(world, { step, count: 1, message });
  }
  const ends = [await work(), await work(), await work()].map((run) => [run.failedStep, run.notes.at(-1)?.text]);
  expect(ends).toEqual([
    ["pull", "oldest"],
    ["pull", "later"],
    ["migrate", "of a later step"],
  ]);
});

it("a reset whose new database gives no answer uses up no failure, and the old one stays", async () => {
  const { world, of, work } = await staged("reset");
  orderRunFailure(world, { step: "deploy", count: 1, message: "no space left" });
  const silent = () => {
    throw new DatabaseUnavailableError("timeout");
  };
  await expect(work({ sql: MIGRATING, change: silent })).rejects.toMatchObject({ reason: "timeout" });
  expect([world.runs.of(REF).size, world.runFailures.size]).toEqual([0, 1]);
  expect(await there(of.target.projectRef)).toEqual([["own", null]]);
});
