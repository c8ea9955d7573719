import { z } from "zod";
import type { branches } from "../../api/contract/branches.ts";
import { REGIONS } from "../../api/contract/fields.ts";
import { validate } from "../http/validation.ts";
import { type ApiFailure, badRequest, conflict, unprocessable } from "../failure.ts";
import { refuseSizeOfPlan } from "../infrastructure/addon-plans.ts";
import { hasAddon } from "../infrastructure/addon-selection.ts";
import { begin, statusAt } from "../state/life.ts";
import { USUAL_SIZE } from "../projects/compute-sizes.ts";
import { isRegion, noRoom, unavailability } from "../projects/regions.ts";
import { freshProject, storeNewProject } from "../projects/new-project.ts";
import { isActive, previewing } from "../projects/project-life.ts";
import type { BranchRecord } from "./branch-state.ts";
import type { ProjectRecord, ProjectStatus } from "../projects/project-state.ts";
import { newestRelease, releaseOf } from "../projects/releases.ts";
import { startRun, takeRunFailure } from "./runs.ts";
import { storeBranch } from "./store-branch.ts";
import type { PostgresRelease } from "../projects/upgrade-state.ts";
import { underHolds } from "../state/holds.ts";
import { newCredential } from "../state/ids.ts";
import { branchesOf } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest } from "../handlers/handler.ts";
import { checkSecrets, storeSecrets } from "../functions/secrets.ts";
import { organizationOf } from "../organizations/organization-of.ts";

type BranchCreateBody = HandlerRequest<(typeof branches)["create"]>["body"];

/** Whether the branch that is asked for would be the default one. @throws ApiFailure 400, 409, 422 */
export function checkNewBranch(
  world: World,
  parent: ProjectRecord,
  body: BranchCreateBody,
): { readonly isDefault: boolean } {
  if (body.region !== undefined) validate(z.enum(REGIONS), body.region, "region"); // any text in the catalogue
  const siblings = branchesOf(world, parent.ref);
  if (siblings.some(({ name }) => name === body.branch_name)) {
    throw nameConflict(body.branch_name);
  }
  const status = statusAt(parent.life, world.clock.now());
  if (!isActive(status)) throw badRequest(`Project is not ready for branching, it is ${status}`);
  if (body.with_data === true && !hasAddon(world, parent.ref, "pitr")) {
    throw badRequest("with_data: branching with data requires the point-in-time recovery add-on, which is not enabled");
  }
  const isDefault = siblings.length === 0;
  if (body.is_default === true && !isDefault) {
    throw unprocessable("is_default: the project has a default branch already");
  }
  if (!isDefault) refusePlace(world, parent, body);
  return { isDefault };
}

/**
 * As of a project, where one is made: a default branch has one already. @throws ApiFailure 400 where the organization's plan has not the
 * size, or there is no room for it
 */
function refusePlace(world: World, parent: ProjectRecord, body: BranchCreateBody): void {
  const { plan } = organizationOf(world, parent);
  refuseSizeOfPlan(body, { plan });
  const { size, region } = placeOf(parent, body);
  const wanted = { size, plan };
  if (!isRegion(region) || unavailability(world, region, wanted) !== undefined) throw noRoom("region", region, wanted);
}

/** Where a branch is to be, and how large. */
function placeOf(
  parent: ProjectRecord,
  { region = parent.region, desired_instance_size: size = USUAL_SIZE }: BranchCreateBody,
) {
  return { region, size };
}

export function nameConflict(name: string): ApiFailure {
  return conflict(`Branch with name ${JSON.stringify(name.slice(0, 80))} already exists`);
}

/**
 * The first branch of a project: its default one, whatever it is called. Its environment is the project itself, where nothing is left to
 * be done (facts.md §6.6).
 */
export function createDefaultBranch(world: World, parent: ProjectRecord, body: BranchCreateBody): BranchRecord {
  const environment = { projectRef: parent.ref, databasePassword: newCredential(), isDefault: true };
  return storeBranch(world, { ...asked(parent, body), ...environment });
}

/** A branch with a project of its own, whose database is there already. */
export interface WantedPreview {
  readonly ref: string;
  readonly body: BranchCreateBody;
}

/** @throws ApiFailure 400 for secrets that its project may not have */
export function checkPreview(world: World, { organizationSlug }: ProjectRecord, { ref, body }: WantedPreview): void {
  checkSecrets(world, { ref, organizationSlug }, secretsOf(body));
}

/** Stores a preview branch with its project and lets the run begin that sets it up. @throws ApiFailure as checkPreview does */
export function createPreviewBranch(world: World, parent: ProjectRecord, wanted: WantedPreview): BranchRecord {
  checkPreview(world, parent, wanted); // before the project is there
  const { ref, body } = wanted;
  const databasePassword = newCredential();
  const project = previewProject(world, parent, { ...wanted, databasePassword });
  storeNewProject(world, project, databasePassword);
  storeSecrets(world, project, secretsOf(body));
  const branch = storeBranch(world, { ...asked(parent, body), projectRef: ref, databasePassword, isDefault: false });
  const ordered = takeRunFailure(world, branch);
  startRun(world, branch, {
    kind: "create",
    notes: [
      { step: "clone", text: `Made project ${ref} for branch ${branch.name} of ${parent.ref}` },
      ...(ordered === undefined ? [] : [{ step: ordered.step, text: ordered.message }]),
    ],
    failedStep: ordered?.step,
  });
  return world.branches.get(branch.id) ?? branch;
}

function previewProject(
  world: World,
  parent: ProjectRecord,
  { ref, body, databasePassword }: WantedPreview & { readonly databasePassword: string },
): ProjectRecord {
  const { region, size } = placeOf(parent, body);
  const fresh = freshProject(world, {
    ref,
    name: body.branch_name,
    organization: organizationOf(world, parent),
    region,
    instanceSize: size,
    databasePassword,
  });
  const life = begin<ProjectStatus>(world.clock.now(), previewing(world.settings));
  return {
    ...fresh,
    branchOf: parent.ref,
    release: releaseFor(world, parent, body),
    life: underHolds(world, { kind: "project", names: [ref, body.branch_name] }, life),
  };
}

function secretsOf(body: BranchCreateBody): readonly { readonly name: string; readonly value: string }[] {
  return Object.entries(body.secrets ?? {}).map(([name, value]) => ({ name, value }));
}

/** What is asked of a branch, beside its environment. It has nothing to do yet. */
function asked(parent: ProjectRecord, body: BranchCreateBody) {
  return {
    name: body.branch_name,
    parentRef: parent.ref,
    gitBranch: body.git_branch,
    notifyUrl: body.notify_url,
    persistent: body.persistent,
    withData: body.with_data,
    status: "FUNCTIONS_DEPLOYED",
  } as const;
}

/** What the parent runs, or the newest of the engine that is asked for. */
function releaseFor(world: World, parent: ProjectRecord, body: BranchCreateBody): PostgresRelease {
  const ofParent = releaseOf(parent, world.clock.now());
  const { postgres_engine: engine = ofParent.engine, release_channel: channel = ofParent.channel } = body;
  return { ...(engine === ofParent.engine ? ofParent : newestRelease(world, engine)), channel };
}
