import { POSTGRES_SETTINGS, type PostgresOverrides, type PostgresSetting } from "../../api/contract/postgres-config.ts";
import { visibleProject } from "../access.ts";
import { statusAt } from "../state/life.ts";
import { isActive, restarting } from "../projects/project-life.ts";
import { goThrough } from "../projects/go-through.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** Settings of the database: only overrides are kept and shown, and a PUT replaces them all (facts.md §3, §6.1). */
export function postgresConfigHandlers(world: World): SectionHandlers<"postgresConfig"> {
  return {
    get: ({ params, caller }) => ({ ...world.postgresConfig.get(visibleProject(world, caller, params.ref).ref) }),
    replace: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { restart_database: mayRestart = true, ...overrides } = body;
      const needsRestart = changedSettings(world.postgresConfig.get(project.ref), overrides).some(
        ({ restart }) => restart,
      );
      world.postgresConfig.set(project.ref, overrides);
      const runs = isActive(statusAt(project.life, world.clock.now()));
      if (mayRestart && needsRestart && runs) goThrough(world, project, restarting(world.settings));
      return overrides;
    },
  };
}

/** Settings whose value is another one afterwards; a setting that is no longer overridden is one of them. */
function changedSettings(before: PostgresOverrides, after: PostgresOverrides): readonly PostgresSetting[] {
  const old: Readonly<Record<string, unknown>> = before;
  const wanted: Readonly<Record<string, unknown>> = after;
  return Object.entries<PostgresSetting>(POSTGRES_SETTINGS)
    .filter(([name]) => old[name] !== wanted[name])
    .map(([, setting]) => setting);
}
