import { type Branch, type BranchConfig, branches } from "../../api/contract/branches.ts";
import type { Caller } from "../access.ts";
import { missingForSecrets } from "../access/secret-rights.ts";
import { notFound } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { jwtSecretOf } from "../keys/project-keys.ts";
import type { BranchRecord } from "./branch-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { releaseOf } from "../projects/releases.ts";
import { latestRunOf } from "./runs.ts";
import { sha256 } from "../state/ids.ts";
import { projectByRef } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { databaseHost } from "../projects/database-host.ts";

/** Branches as reads show them. */
export function branchOutput(world: World, branch: BranchRecord): Branch {
  const nowMs = world.clock.now();
  const project = projectByRef(world, branch.projectRef);
  return {
    id: branch.id,
    name: branch.name,
    project_ref: branch.projectRef,
    parent_project_ref: branch.parentRef,
    is_default: branch.isDefault,
    ...gitFields(world, branch),
    persistent: branch.persistent,
    status: statusAt(branch.life, nowMs),
    created_at: new Date(branch.createdAtMs).toISOString(),
    updated_at: new Date(branch.updatedAtMs).toISOString(),
    ...timeField("review_requested_at", branch.reviewRequestedAtMs),
    ...timeField("deletion_scheduled_at", branch.deletionScheduledAtMs),
    with_data: branch.withData,
    ...(branch.notifyUrl === undefined ? {} : { notify_url: branch.notifyUrl }),
    ...(project === undefined ? {} : { preview_project_status: statusAt(project.life, nowMs) }),
  };
}

/** Only a branch of a repository has checks there: one for each run. */
function gitFields(world: World, branch: BranchRecord): Pick<Branch, "git_branch" | "latest_check_run_id"> {
  if (branch.gitBranch === undefined) return {};
  const run = latestRunOf(world, branch);
  return { git_branch: branch.gitBranch, ...(run === undefined ? {} : { latest_check_run_id: run.number }) };
}

function timeField(name: string, atMs: number | undefined): Record<string, string> {
  return atMs === undefined ? {} : { [name]: new Date(atMs).toISOString() };
}

/** The database of a branch; credentials are "hidden without rights" (facts.md §3). @throws ApiFailure 404 */
export function branchConfig(world: World, caller: Caller, branch: BranchRecord): BranchConfig {
  const project = projectByRef(world, branch.projectRef);
  if (project === undefined) throw notFound("Branch");
  const { version, engine, channel } = releaseOf(project, world.clock.now());
  const isHidden = missingForSecrets(world, caller, { operation: branches.get, ref: project.ref }) !== undefined;
  return {
    ref: project.ref,
    postgres_version: version,
    postgres_engine: engine,
    release_channel: channel,
    status: statusAt(project.life, world.clock.now()),
    db_host: databaseHost(world, project.ref),
    db_port: 5432,
    ...(isHidden ? {} : credentialFields(world, branch, project)),
  };
}

/** A password that a caller has set is never shown, only the one that the branch was made with. */
function credentialFields(
  world: World,
  { databasePassword }: BranchRecord,
  { ref, databasePassword: present }: ProjectRecord,
): Partial<BranchConfig> {
  return {
    db_user: "postgres",
    ...(sha256(databasePassword) === present.digest ? { db_pass: databasePassword } : {}),
    jwt_secret: jwtSecretOf(world, ref),
  };
}
