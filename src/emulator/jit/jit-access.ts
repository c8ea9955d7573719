import type { JitAccess } from "../../api/contract/jit.ts";
import { visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { releaseOf } from "../projects/releases.ts";
import { lasts } from "../state/settings.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** The switch of just-in-time access (facts.md §1, jit-access). */
export function jitAccessHandlers(world: World): SectionHandlers<"jitAccess"> {
  return {
    get: ({ params, caller }) => jitAccessOf(world, visibleProject(world, caller, params.ref)),
    update: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const before = jitAccessOf(world, project);
      if (before.state === "unavailable") {
        throw badRequest(`Just-in-time access is unavailable: ${before.unavailableReason ?? ""}`);
      }
      if (before.state !== body.state) {
        world.jitSwitches.set(project.ref, { enabled: body.state === "enabled", changedAtMs: world.clock.now() });
      }
      return jitAccessOf(world, project);
    },
  };
}

/** How it is with a project now: databases that are too old for it have to be upgraded first. */
export function jitAccessOf(world: World, project: ProjectRecord): JitAccess {
  const { enabled, changedAtMs, unavailable } = world.jitSwitches.get(project.ref);
  if (unavailable !== undefined) return { state: "unavailable", unavailableReason: unavailable };
  if (isOld(world, project)) return { state: "unavailable", unavailableReason: "postgres_upgrade_required" };
  const appliedSuccessfully = world.clock.now() >= changedAtMs + lasts(world.settings, "jitAccessMs");
  return { state: enabled ? "enabled" : "disabled", appliedSuccessfully };
}

/** The oldest engine that has it. */
const OLDEST_ENGINE = 17;

function isOld(world: World, project: ProjectRecord): boolean {
  return Number.parseInt(releaseOf(project, world.clock.now()).engine, 10) < OLDEST_ENGINE;
}
