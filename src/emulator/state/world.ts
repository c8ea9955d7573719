import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { Random } from "../../base/random.ts";
import type { DrivenClock } from "../driven-clock.ts";
import { hold, type Life } from "./life.ts";
import type {
  BranchRecord,
  BranchStatus,
  OrganizationRecord,
  ProjectRecord,
  ProjectStatus,
  TokenRecord,
  UserRecord,
} from "./records.ts";
import type { Settings } from "./settings.ts";

/** Names a project or branch that shall stop in a status; also one that does not exist yet, by its name. */
export type HoldRule =
  | { readonly kind: "project"; readonly refOrName: string; readonly at: ProjectStatus }
  | { readonly kind: "branch"; readonly refOrName: string; readonly at: BranchStatus };

/** Deploys of a function that shall not bundle. */
export interface BundleFailure {
  readonly ref: string | undefined;
  readonly slug: string;
  readonly message: string;
  /** how many deploys are still to fail; null: all */
  readonly remaining: number | null;
}

/** Everything that the emulated service is at one moment. Handlers and control calls read and replace records here. */
export interface World {
  readonly clock: DrivenClock;
  readonly random: Random;
  settings: Settings;
  readonly users: Map<string, UserRecord>;
  /** by the SHA-256 of the token, so that the token itself is kept nowhere */
  readonly tokens: Map<string, TokenRecord>;
  readonly organizations: Map<string, OrganizationRecord>;
  readonly projects: Map<string, ProjectRecord>;
  readonly branches: Map<string, BranchRecord>;
  /** refs of projects in which a deploy is being bundled */
  readonly deploying: Set<string>;
  holds: readonly HoldRule[];
  bundleFailures: readonly BundleFailure[];
  lastNumber: number;
}

export function createWorld(clock: DrivenClock, random: Random, settings: Settings): World {
  return {
    clock,
    random,
    settings,
    users: new Map(),
    tokens: new Map(),
    organizations: new Map(),
    projects: new Map(),
    branches: new Map(),
    deploying: new Set(),
    holds: [],
    bundleFailures: [],
    lastNumber: 0,
  };
}

/** Forgets everything but the time. */
export function clearWorld(world: World, settings: Settings): void {
  for (const part of [world.users, world.tokens, world.organizations, world.projects, world.branches]) part.clear();
  world.settings = settings;
  world.holds = [];
  world.bundleFailures = [];
  world.lastNumber = 0;
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
  world.lastNumber += 1;
  return world.lastNumber;
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
