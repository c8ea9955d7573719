import type { SslEnforcement } from "../../api/contract/ssl-enforcement.ts";
import { type Caller, visibleProject } from "../access.ts";
import { ApiFailure } from "../failure.ts";
import { statusAt } from "../state/life.ts";
import { isActive, restarting } from "../projects/project-life.ts";
import { goThrough } from "../projects/go-through.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { lasts } from "../state/settings.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** SSL enforcement: a change reboots the database and holds when it is up again (facts.md §5, "Success bodies"). */
export function sslEnforcementHandlers(world: World): SectionHandlers<"sslEnforcement"> {
  return {
    get: ({ params, caller }) => sslOutput(world, supporting(world, caller, params.ref)),
    update: ({ params, body, caller }) => {
      const project = supporting(world, caller, params.ref);
      const { database } = body.requestedConfig;
      const known = world.sslEnforcement.get(project.ref);
      if (database !== known.database) {
        const nowMs = world.clock.now();
        const appliedAtMs = nowMs + lasts(world.settings, "restartingMs");
        world.sslEnforcement.set(project.ref, { ...known, database, appliedAtMs });
        if (isActive(statusAt(project.life, nowMs))) goThrough(world, project, restarting(world.settings));
      }
      return sslOutput(world, project);
    },
  };
}

/** @throws ApiFailure 404; 400 with a bare string for a project that cannot have it (facts.md §5) */
function supporting(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = visibleProject(world, caller, ref);
  if (world.sslEnforcement.get(ref).supported) return project;
  throw new ApiFailure(400, "not allowed to configure SSL enforcements", "bare");
}

function sslOutput(world: World, { ref }: ProjectRecord): SslEnforcement {
  const { database, appliedAtMs } = world.sslEnforcement.get(ref);
  return { currentConfig: { database }, appliedSuccessfully: world.clock.now() >= appliedAtMs };
}
