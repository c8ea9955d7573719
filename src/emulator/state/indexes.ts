import type { ProjectRecord } from "../projects/project-state.ts";
import type { Tables } from "./tables.ts";

/** The indexes of the state: with them the time that a creation takes does not grow with what is there already. */
export function createIndexes({ projects, branches }: Tables) {
  return {
    /** by the slug of the organization, previews included */
    projectsOf: projects.groupedBy(({ organizationSlug }) => organizationSlug),
    /** by the slug of the organization */
    mainProjectsOf: projects.groupedBy(({ organizationSlug, branchOf }) =>
      branchOf === undefined ? organizationSlug : undefined,
    ),
    /** the one that has a name in an organization, by nameIn; one that goes down has given its name back */
    projectsNamed: projects.groupedBy(({ organizationSlug, name, branchOf, goneAtMs }) =>
      branchOf === undefined && goneAtMs === undefined ? nameIn(organizationSlug, name) : undefined,
    ),
    /** when a project is gone */
    projectsGone: projects.orderedBy(goneAt),
    /** by the ref of the project that they are branches of */
    branchesOf: branches.groupedBy(({ parentRef }) => parentRef),
    /** by the ref of their own project */
    branchesIn: branches.groupedBy(({ projectRef }) => projectRef),
    /** when a branch is gone */
    branchesGone: branches.orderedBy(({ deletionScheduledAtMs }) => deletionScheduledAtMs),
  } as const;
}
export type Indexes = ReturnType<typeof createIndexes>;

/** When a project is gone, milliseconds; never as long as it is held where it goes down. */
export function goneAt({ life, goneAtMs, branchOf }: ProjectRecord): number | undefined {
  return life.held !== undefined && branchOf === undefined ? undefined : goneAtMs; // a branch's project goes with the branch
}

/** What a name is within its organization: no slug has a blank. */
export function nameIn(slug: string, name: string): string {
  return `${slug} ${name}`;
}
