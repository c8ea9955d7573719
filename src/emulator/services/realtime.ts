import { visibleProject } from "../access.ts";
import { notFound } from "../failure.ts";
import { definedOnly } from "../state/defined-only.ts";
import { statusAt } from "../state/life.ts";
import { isActive } from "../projects/project-life.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** Realtime: its configuration is merged (facts.md §6.2), and its connections can be shut down. */
export function realtimeHandlers(world: World): SectionHandlers<"realtime"> {
  return {
    get: ({ params, caller }) => world.realtimeConfig.get(visibleProject(world, caller, params.ref).ref).settings,
    update: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const known = world.realtimeConfig.get(ref);
      world.realtimeConfig.set(ref, { ...known, settings: { ...known.settings, ...definedOnly(body) } });
      return undefined;
    },
    shutdown: ({ params, caller }) => {
      const { ref, life } = visibleProject(world, caller, params.ref);
      const nowMs = world.clock.now();
      const known = world.realtimeConfig.get(ref);
      // realtime knows no tenant of a project that does not run, or that was suspended: the 404 of the catalogue
      if (known.settings.suspend || !isActive(statusAt(life, nowMs))) throw notFound("Tenant");
      world.realtimeConfig.set(ref, { ...known, shutDownAtMs: nowMs });
      return undefined;
    },
  };
}
