import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RUN_STEPS, type RunStep } from "../../api/contract/actions.ts";
import { begin, hold, release, statusAt } from "../state/life.ts";
import type { BranchStatus } from "./branch-state.ts";
import { phasesOfRun, stepsAt } from "./run-steps.ts";
import { RUN_KINDS, type RunKind, type RunRecord } from "./run-state.ts";
import { DEFAULT_SETTINGS, type Settings } from "../state/settings.ts";

const timings = {
  ...DEFAULT_SETTINGS.timings,
  creatingBranchMs: 30,
  runningMigrationsMs: 60,
  migrationsPassedMs: 10,
};
const settings: Settings = { ...DEFAULT_SETTINGS, timings };

function runOf(kind: RunKind, failedStep?: RunStep): RunRecord {
  const phases = phasesOfRun(settings, kind, failedStep);
  return {
    id: "run",
    kind,
    branchId: "branch",
    projectRef: "project",
    number: 1,
    createdAtMs: 0,
    spansMs: Object.fromEntries(phases.map(({ status, forMs }) => [status, forMs])),
    life: begin(0, phases),
    failedStep,
    notes: [],
    overrides: [],
  };
}

const seen = (run: RunRecord, nowMs: number): string =>
  [statusAt(run.life, nowMs), ...stepsAt(run, nowMs).map(({ name, status }) => `${name} ${status}`)].join(", ");

describe("the steps of a run", () => {
  it.each([
    {
      kind: "create" as const,
      at: 10,
      is: "CREATING_PROJECT, clone EXITED, pull RUNNING, health CREATED, configure CREATED, migrate CREATED, seed CREATED, deploy CREATED",
    },
    {
      kind: "create" as const,
      at: 50,
      is: "RUNNING_MIGRATIONS, clone EXITED, pull EXITED, health EXITED, configure EXITED, migrate RUNNING, seed CREATED, deploy CREATED",
    },
    {
      kind: "create" as const,
      at: 90,
      is: "MIGRATIONS_PASSED, clone EXITED, pull EXITED, health EXITED, configure EXITED, migrate EXITED, seed EXITED, deploy RUNNING",
    },
    {
      kind: "create" as const,
      at: 100,
      is: "FUNCTIONS_DEPLOYED, clone EXITED, pull EXITED, health EXITED, configure EXITED, migrate EXITED, seed EXITED, deploy EXITED",
    },
    {
      kind: "merge" as const,
      at: 0,
      is: "RUNNING_MIGRATIONS, clone RUNNING, pull CREATED, health CREATED, configure CREATED, migrate CREATED, seed CREATED, deploy CREATED",
    },
    {
      kind: "merge" as const,
      at: 60,
      is: "MIGRATIONS_PASSED, clone EXITED, pull EXITED, health EXITED, configure EXITED, migrate EXITED, seed EXITED, deploy RUNNING",
    },
  ])("go with the branch's status: $kind at $at", ({ kind, at, is }) => {
    expect(seen(runOf(kind), at)).toBe(is);
  });

  it.each([
    { step: "clone", end: "MIGRATIONS_FAILED", atMs: 30 },
    { step: "health", end: "MIGRATIONS_FAILED", atMs: 30 },
    { step: "migrate", end: "MIGRATIONS_FAILED", atMs: 90 },
    { step: "seed", end: "MIGRATIONS_FAILED", atMs: 90 },
    { step: "deploy", end: "FUNCTIONS_FAILED", atMs: 100 },
  ] as const)("end with $step when it fails: those before are done, those after never begin", ({ step, end, atMs }) => {
    const run = runOf("create", step);
    expect([statusAt(run.life, atMs - 1) === end, statusAt(run.life, atMs)]).toEqual([false, end]);
    const at = RUN_STEPS.indexOf(step);
    expect(stepsAt(run, atMs).map(({ status }) => status)).toEqual(
      RUN_STEPS.map((_, index) => (index < at ? "EXITED" : index === at ? "DEAD" : "CREATED")),
    );
  });

  it("stand still where the branch is held, and go on when it is let go", () => {
    const run = runOf("create");
    const held = { ...run, life: hold<BranchStatus>(run.life, "RUNNING_MIGRATIONS", 10) };
    expect(seen(held, 1_000_000)).toContain("seed RUNNING, deploy CREATED");
    const freed = { ...held, life: release(held.life, 1_000_000) };
    expect(seen(freed, 1_000_000)).toContain("seed EXITED, deploy RUNNING");
  });

  it("are what a caller said they are, whatever the time", () => {
    const run: RunRecord = { ...runOf("create"), overrides: [{ step: "pull", status: "PAUSED", atMs: 12 }] };
    for (const nowMs of [12, 1000]) {
      expect(stepsAt(run, nowMs)[1]).toMatchObject({ name: "pull", status: "PAUSED", updatedAtMs: 12 });
    }
  });

  it("never go back, and never begin before the one before them is done, however the branch is held and let go", () => {
    const statuses = ["CREATING_PROJECT", "RUNNING_MIGRATIONS", "MIGRATIONS_PASSED"] as const;
    const move = fc.record({ afterMs: fc.nat(80), hold: fc.option(fc.constantFrom(...statuses), { nil: undefined }) });
    const rank = { CREATED: 0, RUNNING: 1, EXITED: 2, DEAD: 2 };
    const rankOf = (status: string): number => (status in rank ? rank[status as keyof typeof rank] : Number.NaN);
    fc.assert(
      fc.property(
        fc.constantFrom(...RUN_KINDS),
        fc.option(fc.constantFrom(...RUN_STEPS), { nil: undefined }),
        fc.array(move, { maxLength: 12 }),
        (kind, failedStep, moves) => {
          let run = runOf(kind, failedStep);
          let nowMs = 0;
          let before = RUN_STEPS.map(() => 0);
          for (const one of moves) {
            nowMs += one.afterMs;
            const life = one.hold === undefined ? release(run.life, nowMs) : hold(run.life, one.hold, nowMs);
            run = { ...run, life };
            const ranks = stepsAt(run, nowMs).map(({ status }) => rankOf(status));
            expect(ranks.every((value, index) => value >= (before[index] ?? 0))).toBe(true);
            expect(ranks.every((value, index) => index === 0 || value === 0 || ranks[index - 1] === 2)).toBe(true);
            before = ranks;
          }
        },
      ),
    );
  });
});
