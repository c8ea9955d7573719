import type { Phases } from "../state/life.ts";
import type { ProjectStatus } from "./project-state.ts";
import { lasts, type Settings } from "../state/settings.ts";

/** What projects and branches go through. Pure; how their services do meanwhile is in service-health.ts. */

const END = 0;

/** A new project: "status right after POST is UNKNOWN (then COMING_UP → ACTIVE_HEALTHY)" (facts.md §4). */
export function provisioning(settings: Settings): Phases<ProjectStatus> {
  return [
    { status: "UNKNOWN", forMs: lasts(settings, "unknownMs") },
    { status: "COMING_UP", forMs: lasts(settings, "comingUpMs") },
    { status: "ACTIVE_HEALTHY", forMs: END },
  ];
}

export function pausing(settings: Settings): Phases<ProjectStatus> {
  return [
    { status: "PAUSING", forMs: lasts(settings, "pausingMs") },
    { status: "INACTIVE", forMs: END },
  ];
}

export function restoring(settings: Settings): Phases<ProjectStatus> {
  return [
    { status: "RESTORING", forMs: lasts(settings, "restoringMs") },
    { status: "ACTIVE_HEALTHY", forMs: END },
  ];
}

export function restarting(settings: Settings): Phases<ProjectStatus> {
  return [
    { status: "RESTARTING", forMs: lasts(settings, "restartingMs") },
    { status: "ACTIVE_HEALTHY", forMs: END },
  ];
}

/** Another compute size: the database moves to another machine. */
export function resizing(settings: Settings): Phases<ProjectStatus> {
  return [
    { status: "RESIZING", forMs: lasts(settings, "resizingMs") },
    { status: "ACTIVE_HEALTHY", forMs: END },
  ];
}

/** The preview project of a branch is up when the branch's own life leaves CREATING_PROJECT. */
export function previewing(settings: Settings): Phases<ProjectStatus> {
  const wholeMs = lasts(settings, "creatingBranchMs");
  return [
    { status: "COMING_UP", forMs: wholeMs },
    { status: "ACTIVE_HEALTHY", forMs: END },
  ];
}

/** Whether a change of state may begin. */
export function isActive(status: ProjectStatus): boolean {
  return status === "ACTIVE_HEALTHY" || status === "ACTIVE_UNHEALTHY";
}

/** Still being made: it can be neither paused nor deleted (facts.md §5, "DELETE project still provisioning"). */
export function isProvisioning(status: ProjectStatus): boolean {
  return status === "UNKNOWN" || status === "COMING_UP";
}
