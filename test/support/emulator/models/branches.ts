import fc from "fast-check";
import { z } from "zod";
import type { EmulatorUnderTest } from "../api.ts";
import { NONE } from "./named-things.ts";
import { type Modelled, modelled, type Resource } from "./resource.ts";

/** Branches of a project with all that a PATCH changes of them, and the steps of the runs that made them and work in them. */

/** A project apart, where the deletion of a branch has a grace period: a merge brings a branch's functions into its project. */
export const BRANCHED = "branchbranchbranches";

interface Branch {
  readonly id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly persistent: boolean;
  readonly git_branch: string | undefined;
  readonly notify_url: string | undefined;
  readonly review_requested_at: string | undefined;
  readonly status: string;
  /** when it goes, unless it is restored before */
  readonly deletion_scheduled_at: string | undefined;
}
interface Run {
  readonly id: string;
  readonly branchId: string;
  readonly steps: Readonly<Record<string, string>>;
}
interface Branching {
  readonly branches: readonly Branch[];
  /** newest first; they outlive their branches */
  readonly runs: readonly Run[];
  /** when the last write was, milliseconds since the epoch: what it began has not ended then, and by the next one it has */
  readonly writtenAtMs: number;
}

interface Change {
  readonly branch_name?: string;
  readonly git_branch?: string;
  readonly persistent?: boolean;
  readonly notify_url?: string;
  readonly status?: string;
  readonly request_review?: boolean;
}
type BranchCommand =
  | { readonly create: string; readonly git_branch: string | undefined }
  | { readonly nth: number; readonly change: Change }
  | { readonly nth: number; readonly remove: true; readonly soft: boolean }
  | { readonly nth: number; readonly restore: true }
  | { readonly nth: number; readonly act: "merge" | "push" | "reset" }
  | { readonly nth: number; readonly steps: Readonly<Record<string, string>> }
  | { readonly disable: true };

const STEPS = ["clone", "pull", "health", "configure", "migrate", "seed", "deploy"] as const;
const stepStatus = fc.constantFrom("DEAD", "PAUSED", "EXITED", "LOST");
const branchNames = fc.constantFrom("main", "dev", "test", "");
const git = fc.constantFrom("feature", "fix", undefined);
const change: fc.Arbitrary<Change> = fc.record(
  {
    branch_name: branchNames,
    git_branch: fc.constantFrom("feature", "fix"),
    persistent: fc.boolean(),
    notify_url: fc.constantFrom("https://a.test/", "https://b.test/", "nowhere"),
    status: fc.constantFrom("MIGRATIONS_FAILED", "FUNCTIONS_DEPLOYED", "LOST"),
    request_review: fc.boolean(),
  },
  { requiredKeys: [] },
);

const nthOf = <T>(all: readonly T[], nth: number): T | undefined => all[nth % (all.length + 1)];
const BRANCHES = `/v1/projects/${BRANCHED}/branches`;
const ACTIONS = `/v1/projects/${BRANCHED}/actions`;
const HOUR_MS = 3_600_000;

const branches: Resource<Branching, BranchCommand> = {
  name: "branches",
  forms: ["create", "change", "remove", "restore", "act", "steps", "disable"],
  command: fc.oneof(
    { weight: 4, arbitrary: fc.record({ create: branchNames, git_branch: git }) },
    { weight: 8, arbitrary: fc.record({ nth: fc.nat(3), change }) },
    {
      weight: 3,
      arbitrary: fc.record({
        nth: fc.nat(3),
        remove: fc.constant(true as const),
        soft: fc.constantFrom(true, true, false),
      }),
    },
    { weight: 4, arbitrary: fc.record({ nth: fc.nat(3), restore: fc.constant(true as const) }) },
    { weight: 4, arbitrary: fc.record({ nth: fc.nat(3), act: fc.constantFrom("merge", "push", "reset") }) },
    {
      weight: 2,
      arbitrary: fc.record({ nth: fc.nat(3), steps: fc.dictionary(fc.constantFrom(...STEPS), stepStatus) }),
    },
    { weight: 1, arbitrary: fc.record({ disable: fc.constant(true as const) }) },
  ),
  initial: async () => ({ branches: [], runs: [], writtenAtMs: -Infinity }),
  request: (command, known) => {
    if ("disable" in command) return { method: "DELETE", path: BRANCHES };
    if ("create" in command) {
      const { create: branch_name, git_branch } = command;
      return { method: "POST", path: BRANCHES, body: { branch_name, git_branch } };
    }
    if ("steps" in command) {
      const id = nthOf(known.runs, command.nth)?.id ?? NONE;
      return { method: "PATCH", path: `${ACTIONS}/${id}/status`, body: command.steps };
    }
    const path = `/v1/branches/${nthOf(known.branches, command.nth)?.id ?? NONE}`;
    if ("restore" in command) return { method: "POST", path: `${path}/restore` };
    if ("act" in command) return { method: "POST", path: `${path}/${command.act}`, body: {} };
    if ("change" in command) return { method: "PATCH", path, body: command.change };
    return { method: "DELETE", path: `${path}?force=${!command.soft}` };
  },
  // what was begun has ended: nothing is in the way of the next one
  mustAccept: (command, known) => "act" in command && nthOf(known.branches, command.nth)?.is_default === false,
  after: async (command, known, { json }, under) => {
    const nowMs = under.clock.now();
    const settled = { ...ended(known, nowMs), writtenAtMs: nowMs };
    if ("disable" in command) return { ...settled, branches: [] };
    if ("create" in command) return withNew(settled, row.parse(json), under);
    if ("steps" in command) {
      const id = nthOf(known.runs, command.nth)?.id;
      const runs = settled.runs.map((run) =>
        run.id === id ? { ...run, steps: { ...run.steps, ...command.steps } } : run,
      );
      return { ...settled, runs };
    }
    const meant = settled.branches.find(({ id }) => id === nthOf(known.branches, command.nth)?.id);
    if (meant === undefined) throw new RangeError("a branch that is not there was changed");
    if ("act" in command) return withWork(settled, command.act === "merge" ? defaultOf(settled) : meant, under);
    if ("remove" in command && !command.soft) {
      return { ...settled, branches: settled.branches.filter(({ id }) => id !== meant.id) };
    }
    const change = "change" in command ? changed(meant, command.change, nowMs) : scheduled(meant, command, nowMs);
    return { ...settled, branches: settled.branches.map((one) => (one.id === meant.id ? change : one)) };
  },
  read: readBranching,
  shown: (known, nowMs) => {
    const { branches: all, runs } = nowMs === known.writtenAtMs ? known : ended(known, nowMs);
    return { branches: byId(all), runs: runs.map(({ branchId, steps }) => [branchId, steps]) };
  },
};

const byId = (all: readonly Branch[]): readonly Branch[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));

function defaultOf({ branches: all }: Branching): Branch {
  const found = all.find((one) => one.is_default);
  if (found === undefined) throw new RangeError("no default branch was merged into");
  return found;
}

/** A deletion with a grace period, which a second one does not begin anew, or the end of it. */
function scheduled(
  known: Branch,
  command: { readonly restore: true } | { readonly remove: true },
  nowMs: number,
): Branch {
  if ("restore" in command) return { ...known, deletion_scheduled_at: undefined };
  return {
    ...known,
    deletion_scheduled_at: known.deletion_scheduled_at ?? new Date(nowMs + HOUR_MS).toISOString(),
  };
}

const isThere = ({ deletion_scheduled_at: at }: Branch, nowMs: number): boolean =>
  at === undefined || nowMs < Date.parse(at);

/** What a run is at first; all that began before has ended by the next write. */
function ended({ branches: all, runs, writtenAtMs }: Branching, nowMs: number): Branching {
  return {
    branches: all
      .filter((one) => isThere(one, nowMs))
      .map((one) => (AT_FIRST.has(one.status) ? { ...one, status: "FUNCTIONS_DEPLOYED" } : one)),
    runs: runs.map(({ steps, ...run }) => ({
      ...run,
      steps: Object.fromEntries(
        Object.entries(steps).map(([name, status]) => [name, BEGINNING.has(status) ? "EXITED" : status]),
      ),
    })),
    writtenAtMs,
  };
}
const BEGINNING = new Set(["CREATED", "RUNNING"]);
const AT_FIRST = new Set(["CREATING_PROJECT", "RUNNING_MIGRATIONS"]);

/** The first branch is the project itself, where nothing is left to be done (facts.md §6.6); each other one is made by a run. */
async function withNew(known: Branching, made: Branch, under: EmulatorUnderTest): Promise<Branching> {
  const all = { ...known, branches: [...known.branches, made] };
  return made.is_default ? all : withRun(all, made, under);
}

/** The project of the branch is there already. */
function withWork(known: Branching, target: Branch, under: EmulatorUnderTest): Promise<Branching> {
  const branches = known.branches.map((one) => (one.id === target.id ? { ...one, status: "RUNNING_MIGRATIONS" } : one));
  return withRun({ ...known, branches }, target, under);
}

async function withRun(known: Branching, { id: branchId }: Branch, { call }: EmulatorUnderTest): Promise<Branching> {
  const [newest] = z.array(run).parse((await call("GET", ACTIONS)).json);
  const steps = Object.fromEntries(STEPS.map((name) => [name, name === "clone" ? "RUNNING" : "CREATED"]));
  return { ...known, runs: [{ id: newest?.id ?? "none", branchId, steps }, ...known.runs] };
}

function changed(known: Branch, said: Change, nowMs: number): Branch {
  return {
    ...known,
    name: said.branch_name ?? known.name,
    git_branch: said.git_branch ?? known.git_branch,
    persistent: said.persistent ?? known.persistent,
    notify_url: said.notify_url ?? known.notify_url,
    status: said.status ?? known.status,
    review_requested_at: said.request_review === true ? new Date(nowMs).toISOString() : known.review_requested_at,
  };
}

const row = z
  .object({
    id: z.string(),
    name: z.string(),
    is_default: z.boolean(),
    persistent: z.boolean(),
    git_branch: z.string().optional(),
    notify_url: z.string().optional(),
    review_requested_at: z.string().optional(),
    status: z.string(),
    deletion_scheduled_at: z.string().optional(),
  })
  .transform((one): Branch => ({
    ...one,
    deletion_scheduled_at: one.deletion_scheduled_at,
    git_branch: one.git_branch,
    notify_url: one.notify_url,
    review_requested_at: one.review_requested_at,
  }));
const run = z.object({
  id: z.string(),
  branch_id: z.string(),
  run_steps: z.array(z.object({ name: z.string(), status: z.string() })),
});

async function readBranching({ call }: EmulatorUnderTest): Promise<unknown> {
  const all = z.array(row).parse((await call("GET", BRANCHES)).json);
  const runs = z.array(run).parse((await call("GET", ACTIONS)).json);
  const steps = runs.map(({ branch_id: id, run_steps }) => [
    id,
    Object.fromEntries(run_steps.map(({ name, status }) => [name, status])),
  ]);
  return { branches: byId(all), runs: steps };
}

/** The one of them. */
export const branchModels: readonly Modelled[] = [modelled(branches)];
