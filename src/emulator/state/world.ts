import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Random } from "../../base/random.ts";
import type { DrivenClock } from "../driven-clock.ts";
import { hold, type Life } from "./life.ts";
import type { BranchRecord, BranchStatus } from "../branches/branch-state.ts";
import type { ProjectRecord, ProjectStatus } from "../projects/project-state.ts";
import type { BundleFailure, HoldRule, ServiceState } from "./service-state.ts";
import type { Settings } from "./settings.ts";
import { ChangeLog } from "./table.ts";
import { allTables, createTables, ofProjects, type Tables } from "./tables.ts";

/** Everything that the emulated service is at one moment. Handlers and control calls read and replace records here. */
export interface World extends Tables {
  /** the same tables, for those who walk through all */
  readonly tables: Tables;
  readonly clock: DrivenClock;
  readonly random: Random;
  /** what changed since it was saved last */
  readonly changes: ChangeLog;
  /** refs of projects in which a deploy is being bundled */
  readonly deploying: Set<string>;
  settings: Settings;
  holds: readonly HoldRule[];
  bundleFailures: readonly BundleFailure[];
  /** Called with the ref of each project that is removed for good. */
  onProjectRemoved: (ref: string) => void;
}

export function createWorld(clock: DrivenClock, random: Random, settings: Settings): World {
  const changes = new ChangeLog();
  const tables = createTables(changes);
  const { service } = tables;
  const state = (): ServiceState => service.get(SERVICE) ?? { ...NOTHING_YET, settings };
  const change = (part: Partial<ServiceState>): void => service.set(SERVICE, { ...state(), ...part });
  clock.onAdvance = (aheadMs) => change({ aheadMs });
  return {
    ...tables,
    tables,
    clock,
    random,
    changes,
    deploying: new Set(),
    onProjectRemoved: () => undefined,
    get settings() {
      return state().settings;
    },
    set settings(changed) {
      change({ settings: changed });
    },
    get holds() {
      return state().holds;
    },
    set holds(holds) {
      change({ holds });
    },
    get bundleFailures() {
      return state().bundleFailures;
    },
    set bundleFailures(bundleFailures) {
      change({ bundleFailures });
    },
  };
}

const SERVICE = "service";
const NOTHING_YET = { holds: [], bundleFailures: [], lastNumber: 0, aheadMs: 0 } as const;

/** Forgets everything but the time. */
export function clearWorld(world: World, settings: Settings): void {
  for (const ref of world.projects.keys()) world.onProjectRemoved(ref);
  for (const table of allTables(world.tables)) table.clear();
  world.service.set(SERVICE, { ...NOTHING_YET, settings, aheadMs: world.clock.aheadMs });
}

/** Lets the clock go on from where it was when the state was saved. */
export function restoreTime(world: World): void {
  world.clock.setAhead(world.service.get(SERVICE)?.aheadMs ?? 0);
}

/** Removes a project and all that belongs to it; its branches are for the caller. */
export function removeProject(world: World, ref: string): void {
  if (!world.projects.delete(ref)) return;
  for (const table of ofProjects(world.tables)) table.drop(ref);
  world.onProjectRemoved(ref);
}

/** Removes the projects and branches whose time is over: nobody sees them any more. */
export function sweepGone(world: World): void {
  for (const branch of world.branches.values()) if (!isThere(world, branch)) removeBranch(world, branch);
  for (const ref of world.projects.keys()) if (projectByRef(world, ref) === undefined) removeProject(world, ref);
}

/** Removes a branch, and its project where it has one of its own. */
export function removeBranch(world: World, branch: BranchRecord): void {
  world.branches.delete(branch.id);
  if (!branch.isDefault) removeProject(world, branch.projectRef);
}

/** Lower-case hex SHA-256, as the service shows values of secrets. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Twenty lower-case letters that name no project or organization yet. */
export function newRef(world: World): string {
  for (;;) {
    const ref = Array.from({ length: 20 }, () => LETTERS[Math.floor(world.random() * LETTERS.length)]).join("");
    if (!world.projects.has(ref) && !world.organizations.has(ref)) return ref;
  }
}

export function newId(): string {
  return randomUUID();
}

/** Text for a password or key that the emulated platform makes up. */
export function newCredential(): string {
  return randomBytes(24).toString("base64url");
}

export function nextNumber(world: World): number {
  const state = world.service.get(SERVICE) ?? { ...NOTHING_YET, settings: world.settings };
  const lastNumber = state.lastNumber + 1;
  world.service.set(SERVICE, { ...state, lastNumber });
  return lastNumber;
}

/** Replaces a project's record; the project must exist. */
export function updateProject(world: World, project: ProjectRecord, change: Partial<ProjectRecord>): ProjectRecord {
  const updated = { ...project, ...change };
  world.projects.set(project.ref, updated);
  return updated;
}

export function updateBranch(world: World, branch: BranchRecord, change: Partial<BranchRecord>): BranchRecord {
  const updated = { ...branch, ...change, updatedAtMs: world.clock.now() };
  world.branches.set(branch.id, updated);
  return updated;
}

/** A life as it is under the holds that are set: any that names the thing stops it. */
export function underHolds<S extends ProjectStatus | BranchStatus>(
  world: World,
  kind: HoldRule["kind"],
  names: readonly string[],
  life: Life<S>,
): Life<S> {
  return world.holds
    .filter((rule) => rule.kind === kind && names.includes(rule.refOrName))
    .reduce((held, rule) => holdIfReached(held, rule.at, world.clock.now()), life);
}

function holdIfReached<S extends string>(life: Life<S>, status: string, nowMs: number): Life<S> {
  const step = life.steps.find((candidate) => candidate.status === status);
  return step === undefined ? life : hold(life, step.status, nowMs);
}

/** Branches of a project that are there now. */
export function branchesOf(world: World, parentRef: string): readonly BranchRecord[] {
  return [...world.branches.values()].filter((branch) => branch.parentRef === parentRef && isThere(world, branch));
}

/** Whether a branch was not yet removed by its scheduled deletion. */
export function isThere(world: World, branch: BranchRecord): boolean {
  return branch.deletionScheduledAtMs === undefined || world.clock.now() < branch.deletionScheduledAtMs;
}

/** The branch whose project has this ref (a default branch has the ref of its parent). */
export function branchByProjectRef(world: World, ref: string): BranchRecord | undefined {
  return [...world.branches.values()].find((branch) => branch.projectRef === ref && isThere(world, branch));
}

/** A project by ref, preview projects of branches included; undefined once it is gone. */
export function projectByRef(world: World, ref: string): ProjectRecord | undefined {
  const project = world.projects.get(ref);
  if (project === undefined) return undefined;
  if (project.goneAtMs !== undefined && world.clock.now() >= project.goneAtMs) return undefined;
  return project;
}
