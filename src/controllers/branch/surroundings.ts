import { REF_INDEX } from "../indexes.ts";
import { type Surroundings, unlessRefused } from "../sections/circumstances.ts";
import type { BranchContext, BranchRun } from "./context.ts";
import { type BranchIdentity, findBranch } from "./observe.ts";
import { mayServe } from "./status.ts";

/**
 * What a refusal of a branch's sections may hang on, as its own paths and its project tell: by the path of projects a branch's ref is unknown, so that
 * nothing that is asked there says anything of it.
 */
export function surroundingsOf(
  run: BranchRun,
  { place }: BranchContext,
  { isUnwell, ...identity }: BranchIdentity & Pick<Surroundings, "isUnwell">,
): Surroundings {
  const { session, projectRef } = place;
  const { client } = session;
  return {
    organization: async () => {
      const [project] = run.environment.objects.projects.byIndex(REF_INDEX, projectRef);
      const known = project?.status.organization;
      // A project that no object stands for.
      return (
        known ?? (await unlessRefused(() => client.projects.get({ ref: projectRef }, run.call)))?.organization_slug
      );
    },
    isAtRest: async () => {
      const { branches } = run.environment.snapshots.of(client, projectRef);
      const remote = findBranch(await branches.get(0, run.call), identity);
      if (remote === undefined) return true;
      const { status: state, preview_project_status: projectState } = remote;
      return mayServe({ state, projectState: projectState ?? "ACTIVE_HEALTHY", migrationsAreTheEnd: true });
    },
    engine: undefined,
    isUnwell,
  };
}
