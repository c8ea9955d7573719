import type { InstanceSize } from "./compute-sizes.ts";
import { begin } from "../state/life.ts";
import { storePlatformSecrets } from "../functions/platform-secrets.ts";
import { provisioning } from "./project-life.ts";
import type { OrganizationRecord } from "../organizations/organization-state.ts";
import type { ProjectRecord } from "./project-state.ts";
import { newestRelease } from "./releases.ts";
import { underHolds } from "../state/holds.ts";
import { newRef, nextNumber, sha256 } from "../state/ids.ts";
import { nameIn } from "../state/indexes.ts";
import { projectByRef, sweepGone } from "../state/presence.ts";
import type { World } from "../state/world.ts";

/** What a new project is made of. */
export interface NewProject {
  readonly name: string;
  readonly organization: OrganizationRecord;
  readonly region: string;
  readonly instanceSize: InstanceSize;
  readonly databasePassword: string;
  readonly ref?: string;
}

/** The record of a fresh project (facts.md §4), not yet stored. */
export function freshProject(world: World, wanted: NewProject): ProjectRecord {
  const ref = wanted.ref ?? newRef(world);
  const nowMs = world.clock.now();
  const life = begin(nowMs, provisioning(world.settings));
  return {
    ref,
    number: nextNumber(world),
    name: wanted.name,
    organizationSlug: wanted.organization.slug,
    region: wanted.region,
    instanceSize: wanted.instanceSize,
    createdAtMs: nowMs,
    release: newestRelease(world),
    life: underHolds(world, { kind: "project", names: [ref, wanted.name] }, life),
    goneAtMs: undefined,
    branchOf: undefined,
    databasePassword: { digest: sha256(wanted.databasePassword), changes: 0 },
    softBranchDeletion: false,
  };
}

/** Stores a fresh project, with what the platform sets in its environment. */
export function storeNewProject(world: World, project: ProjectRecord, databasePassword: string): void {
  sweepGone(world);
  world.projects.set(project.ref, project);
  storePlatformSecrets(world, project, databasePassword);
}

/** Projects of an organization that are there now, preview projects of branches included. */
export function projectsOf(world: World, slug: string): readonly ProjectRecord[] {
  return [...world.indexes.projectsOf.of(slug).values()]
    .filter(({ ref }) => projectByRef(world, ref) !== undefined)
    .toSorted((a, b) => a.number - b.number); // as they were made, also those that came from another organization
}

/** How many projects an organization has, without previews. */
export function countProjects(world: World, slug: string): number {
  sweepGone(world);
  return world.indexes.mainProjectsOf.of(slug).size;
}

/** Whether a project of this name is there; one that goes down has given its name back. */
export function nameTaken(world: World, slug: string, name: string): boolean {
  return world.indexes.projectsNamed.of(nameIn(slug, name)).size > 0;
}
