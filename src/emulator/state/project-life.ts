import type { HEALTH_SERVICES } from "../../api/contract/fields.ts";
import type { ServiceHealth } from "../../api/contract/projects.ts";
import { type Life, type Phases, stepAt } from "./life.ts";
import type { BranchStatus, ProjectRecord, ProjectStatus } from "./records.ts";
import { lasts, type Settings } from "./settings.ts";

/** What projects and branches go through, and how their services do meanwhile. Pure. */

type ServiceName = (typeof HEALTH_SERVICES)[number];

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

/** A branch with a project of its own. */
export function branching(settings: Settings): Phases<BranchStatus> {
  return [
    { status: "CREATING_PROJECT", forMs: lasts(settings, "creatingBranchMs") },
    { status: "RUNNING_MIGRATIONS", forMs: lasts(settings, "runningMigrationsMs") },
    { status: "MIGRATIONS_PASSED", forMs: lasts(settings, "migrationsPassedMs") },
    { status: "FUNCTIONS_DEPLOYED", forMs: END },
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

/** Which part of the lag after ACTIVE_HEALTHY a service needs: "services refuse for a while". */
const READY_AFTER: Readonly<Record<ServiceName, number>> = {
  db: 0,
  db_postgres_user: 0,
  auth: 0.25,
  rest: 0.5,
  realtime: 0.5,
  storage: 0.75,
  pooler: 1,
  pg_bouncer: 1,
};

/** How one service does. `error` is a JSON document inside a string (facts.md §6.5). */
export function serviceHealth(
  settings: Settings,
  project: ProjectRecord,
  name: ServiceName,
  nowMs: number,
): ServiceHealth {
  const { status, atMs } = stepAt(project.life, nowMs);
  if (status === "ACTIVE_HEALTHY") {
    if (name === "rest" && !project.dataApi) return unhealthy(name, "Data API is disabled");
    const up = nowMs >= atMs + lasts(settings, "serviceLagMs") * READY_AFTER[name] || isOld(project.life, nowMs);
    return up ? { name, healthy: true, status: "ACTIVE_HEALTHY", info: infoOf(name, project) } : starting(name);
  }
  if (status === "UNKNOWN" || status === "COMING_UP" || status === "RESTORING" || status === "RESTARTING") {
    return starting(name);
  }
  return unhealthy(name, `project is ${status}`);
}

/** A project that was never anything but healthy has no start to recover from. */
function isOld(life: Life<ProjectStatus>, nowMs: number): boolean {
  return life.steps.length === 1 && stepAt(life, nowMs).status === "ACTIVE_HEALTHY";
}

function starting(name: ServiceName): ServiceHealth {
  if (name !== "pooler") return { name, healthy: false, status: "COMING_UP" };
  // the pooler does not know its tenant yet: not found means still starting
  return unhealthy(name, "Tenant not found");
}

function unhealthy(name: ServiceName, message: string): ServiceHealth {
  return { name, healthy: false, status: "UNHEALTHY", error: JSON.stringify({ message }) };
}

function infoOf(name: ServiceName, project: ProjectRecord): Record<string, string> {
  const version = name === "db" || name === "db_postgres_user" ? project.postgresVersion : "1.0.0";
  return { name, version, description: `${name} of the project` };
}

/** Whether a change of state may begin. */
export function isActive(status: ProjectStatus): boolean {
  return status === "ACTIVE_HEALTHY" || status === "ACTIVE_UNHEALTHY";
}

/** Still being made: it can be neither paused nor deleted (facts.md §5, "DELETE project still provisioning"). */
export function isProvisioning(status: ProjectStatus): boolean {
  return status === "UNKNOWN" || status === "COMING_UP";
}
