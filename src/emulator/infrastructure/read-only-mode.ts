import { visibleProject } from "../access.ts";
import { isFull } from "./disk-state.ts";
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
      return undefined;
    },
  };
}

/** The read-only mode of a project's database: on while its disk is full, and set aside while an override is active. */
interface ReadOnlyMode {
  readonly enabled: boolean;
  /** end of the active override; undefined where there is none */
  readonly overrideUntilMs: number | undefined;
}

function readOnlyModeOf(world: World, ref: string): ReadOnlyMode {
  const nowMs = world.clock.now();
  const { overrideUntilMs } = world.readOnlyMode.get(ref);
  return {
    enabled: isFull(world.disk.get(ref), nowMs),
    overrideUntilMs: nowMs < overrideUntilMs ? overrideUntilMs : undefined,
  };
}

/** Whether the database of a project refuses to write now. */
export function refusesWrites(world: World, ref: string): boolean {
  const { enabled, overrideUntilMs } = readOnlyModeOf(world, ref);
  return enabled && overrideUntilMs === undefined;
}
