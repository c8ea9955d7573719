import type { HEALTH_SERVICES, HEALTH_STATUSES } from "../../api/contract/fields.ts";
import type { ServiceHealth } from "../../api/contract/projects.ts";
import { isDataApiOn } from "../services/data-api-switch.ts";
import { type Life, stepAt } from "../state/life.ts";
import type { ProjectRecord, ProjectStatus } from "./project-state.ts";
import { releaseOf } from "./releases.ts";
import { lasts, type Settings } from "../state/settings.ts";
import type { World } from "../state/world.ts";

/** How the services of a project do: a matter of its life, its configuration, and of troubles that a control call made. */

export type ServiceName = (typeof HEALTH_SERVICES)[number];
type HealthStatus = (typeof HEALTH_STATUSES)[number];

/** "timeout_ms 0–10000" (facts.md §1): what a check waits that names no time of its own. */
const LONGEST_WAIT_MS = 10_000;

/** How one service does. `error` is a JSON document inside a string (facts.md §6.5). @param timeoutMs the check's patience */
export function serviceHealth(
  world: World,
  project: ProjectRecord,
  name: ServiceName,
  timeoutMs: number = LONGEST_WAIT_MS,
): ServiceHealth {
  const trouble = world.serviceTroubles.get(project.ref, name);
  if (trouble !== undefined && trouble.answersAfterMs > timeoutMs) {
    return unhealthy(name, `no answer within ${timeoutMs} ms`);
  }
  if (trouble?.status === "UNHEALTHY") return unhealthy(name, trouble.message ?? "the service fails");
  if (trouble?.status === "COMING_UP") return starting(name);
  return untroubled(world, project, name);
}

/** How a service does that is left to its project's life and configuration. */
function untroubled(world: World, project: ProjectRecord, name: ServiceName): ServiceHealth {
  const nowMs = world.clock.now();
  const status = byLife(world.settings, project.life, name, nowMs);
  switch (status) {
    case "COMING_UP":
      return starting(name);
    case "UNHEALTHY":
      return unhealthy(name, `project is ${stepAt(project.life, nowMs).status}`);
    case "ACTIVE_HEALTHY": {
      const off = switchedOff(world, project, name);
      if (off !== undefined) return unhealthy(name, off);
      if (name === "realtime" && isReconnecting(world, project.ref, nowMs)) return starting(name);
      return { name, healthy: true, status, info: infoOf(name, releaseOf(project, nowMs).version) };
    }
    default:
      return status satisfies never;
  }
}

/** Why a service is unhealthy for as long as its configuration says so; undefined: it is not. */
function switchedOff(world: World, { ref }: ProjectRecord, name: ServiceName): string | undefined {
  if (name === "rest" && !isDataApiOn(world, ref)) return "Data API is disabled";
  if (name === "realtime" && world.realtimeConfig.get(ref).settings.suspend) return "Realtime is suspended";
  return undefined;
}

/** Whether connections were shut down a moment ago. */
function isReconnecting(world: World, ref: string, nowMs: number): boolean {
  const { shutDownAtMs } = world.realtimeConfig.get(ref);
  return shutDownAtMs !== undefined && nowMs < shutDownAtMs + lasts(world.settings, "realtimeRestartMs");
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

/** What the life of the project makes of a service. Pure. */
function byLife(settings: Settings, life: Life<ProjectStatus>, name: ServiceName, nowMs: number): HealthStatus {
  const { status, atMs } = stepAt(life, nowMs);
  if (status === "ACTIVE_HEALTHY") {
    const up = nowMs >= atMs + lasts(settings, "serviceLagMs") * READY_AFTER[name] || isOld(life);
    return up ? "ACTIVE_HEALTHY" : "COMING_UP";
  }
  const starts = status === "UNKNOWN" || status === "COMING_UP" || status === "RESTORING" || status === "RESTARTING";
  return starts ? "COMING_UP" : "UNHEALTHY";
}

/** A project that was never anything but healthy has no start to recover from. */
function isOld({ steps }: Life<ProjectStatus>): boolean {
  return steps.length === 1;
}

function starting(name: ServiceName): ServiceHealth {
  if (name !== "pooler") return { name, healthy: false, status: "COMING_UP" };
  // the pooler does not know its tenant yet: not found means still starting
  return unhealthy(name, "Tenant not found");
}

function unhealthy(name: ServiceName, message: string): ServiceHealth {
  return { name, healthy: false, status: "UNHEALTHY", error: JSON.stringify({ message }) };
}

function infoOf(name: ServiceName, databaseVersion: string): Record<string, string> {
  const version = name === "db" || name === "db_postgres_user" ? databaseVersion : "1.0.0";
  return { name, version, description: `${name} of the project` };
}
