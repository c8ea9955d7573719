import { type Caller, visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { isActive, pausing, restarting, restoring } from "./project-life.ts";
import { goThrough } from "./go-through.ts";
import type { ProjectRecord, ProjectStatus } from "./project-state.ts";
import { releaseOf, upgradeTargets } from "./releases.ts";
import type { PostgresRelease } from "./upgrade-state.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

type LifeVerb = "pause" | "restart" | "restore" | "listRestoreVersions" | "cancelRestore";

/** What brings a project from one status to another. On every plan: the texts name none for it. */
export function lifeHandlers(world: World): Pick<SectionHandlers<"projects">, LifeVerb> {
  const found = (caller: Caller, ref: string): { readonly project: ProjectRecord; readonly status: ProjectStatus } => {
    const project = visibleProject(world, caller, ref);
    return { project, status: statusAt(project.life, world.clock.now()) };
  };
  return {
    pause: ({ params, caller }) => {
      const { project, status } = found(caller, params.ref);
      if (!isActive(status)) throw badRequest(`Project cannot be paused, it is ${status}`);
      goThrough(world, project, pausing(world.settings));
      return undefined;
    },
    restart: ({ params, caller }) => {
      const { project, status } = found(caller, params.ref);
      if (!isActive(status)) throw badRequest(`Project cannot be restarted, it is ${status}`);
      goThrough(world, project, restarting(world.settings));
      return undefined;
    },
    restore: ({ params, caller }) => {
      const { project, status } = found(caller, params.ref);
      if (status !== "INACTIVE") throw badRequest(`Project is no longer in a paused state, it is ${status}`);
      goThrough(world, project, restoring(world.settings));
      return undefined;
    },
    listRestoreVersions: ({ params, caller }) => {
      const { project } = found(caller, params.ref);
      const current = releaseOf(project, world.clock.now());
      const newer = upgradeTargets(world, current).filter(({ channel }) => channel === "ga");
      return { available_versions: [current, ...newer].map(restoreVersion) };
    },
    cancelRestore: ({ params, caller }) => {
      const { project, status } = found(caller, params.ref);
      if (status !== "RESTORING") throw badRequest(`Project is not being restored, it is ${status}`);
      goThrough(world, project, [{ status: "INACTIVE", forMs: 0 }]);
      return undefined;
    },
  };
}

function restoreVersion({ version, engine, channel }: PostgresRelease) {
  return { version, release_channel: channel, postgres_engine: engine };
}
