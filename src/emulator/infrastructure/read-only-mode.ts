import { visibleProject } from "../access.ts";
import { jsonReply } from "../http/answer.ts";
import { readOnlyModeOf } from "./read-only.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** The read-only mode of a full database, and the override that sets it aside for a while. */
export function readOnlyModeHandlers(world: World): SectionHandlers<"readOnlyMode"> {
  return {
    get: ({ params, caller }) => {
      const { enabled, overrideUntilMs } = readOnlyModeOf(world, visibleProject(world, caller, params.ref).ref);
      return {
        enabled,
        override_enabled: overrideUntilMs !== undefined,
        override_active_until: overrideUntilMs === undefined ? "" : new Date(overrideUntilMs).toISOString(),
      };
    },
    disableTemporarily: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const overrideUntilMs = world.clock.now() + world.settings.timings.readOnlyOverrideMs;
      world.readOnlyMode.set(ref, { overrideUntilMs });
      return jsonReply({});
    },
  };
}
