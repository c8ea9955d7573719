import fc from "fast-check";
import { z } from "zod";
import type { EmulatorUnderTest } from "../api.ts";
import { NONE } from "./named-things.ts";
import { type Modelled, modelled, PROJECT, type Resource } from "./resource.ts";

/** Branches of a project with all that a PATCH changes of them, and the steps of the runs that made them. */

interface Branch {
  readonly id: string;
  readonly name: string;
  readonly is_default: boolean;
  readonly persistent: boolean;
  readonly git_branch: string | undefined;
  readonly notify_url: string | undefined;
  readonly review_requested_at: string | undefined;
  readonly status: string;
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
  | { readonly nth: number; readonly remove: true }
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
const BRANCHES = `${PROJECT}/branches`;
const ACTIONS = `${PROJECT}/actions`;

const branches: Resource<Branching, BranchCommand> = {
  name: "branches",
  forms: ["create", "change", "remove", "steps", "disable"],
  command: fc.oneof(
    { weight: 4, arbitrary: fc.record({ create: branchNames, git_branch: git }) },
    { weight: 4, arbitrary: fc.record({ nth: fc.nat(3), change }) },
    { weight: 2, arbitrary: fc.record({ nth: fc.nat(3), remove: fc.constant(true as const) }) },
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
    return "remove" in command ? { method: "DELETE", path } : { method: "PATCH", path, body: command.change };
  },
  after: async (command, known, { json }, under) => {
    const nowMs = under.clock.now();
    const settled = { ...ended(known), writtenAtMs: nowMs };
    if ("disable" in command) return { ...settled, branches: [] };
    if ("create" in command) return withNew(settled, row.parse(json), under);
    if ("steps" in command) {
      const id = nthOf(known.runs, command.nth)?.id;
      const runs = settled.runs.map((run) =>
        run.id === id ? { ...run, steps: { ...run.steps, ...command.steps } } : run,
      );
      return { ...settled, runs };
    }
    const id = nthOf(known.branches, command.nth)?.id;
    if ("remove" in command) return { ...settled, branches: settled.branches.filter((one) => one.id !== id) };
    return {
      ...settled,
      branches: settled.branches.map((one) => (one.id === id ? changed(one, command.change, nowMs) : one)),
    };
  },
  read: readBranching,
  shown: (known, nowMs) => {
    const { branches: all, runs } = nowMs === known.writtenAtMs ? known : ended(known);
    return { branches: byId(all), runs: runs.map(({ branchId, steps }) => [branchId, steps]) };
  },
};

const byId = (all: readonly Branch[]): readonly Branch[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1));

/** "CREATING_PROJECT" comes first, and the steps go with it; all that began before has ended by the next write. */
function ended({ branches: all, runs, writtenAtMs }: Branching): Branching {
  return {
    branches: all.map((one) => (one.status === "CREATING_PROJECT" ? { ...one, status: "FUNCTIONS_DEPLOYED" } : one)),
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

/** The first branch is the project itself, where nothing is left to be done (facts.md §6.6); each other one is made by a run. */
async function withNew(known: Branching, made: Branch, { call }: EmulatorUnderTest): Promise<Branching> {
  const all = { ...known, branches: [...known.branches, made] };
  if (made.is_default) return all;
  const [newest] = z.array(run).parse((await call("GET", ACTIONS)).json);
  const steps = Object.fromEntries(STEPS.map((name) => [name, name === "clone" ? "RUNNING" : "CREATED"]));
  return { ...all, runs: [{ id: newest?.id ?? "none", branchId: made.id, steps }, ...known.runs] };
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
  })
  .transform((one): Branch => ({
    ...one,
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
