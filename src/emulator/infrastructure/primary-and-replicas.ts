import { statusAt } from "../state/life.ts";
import type { ProjectRecord, ProjectStatus } from "../projects/project-state.ts";
import type { DatabaseStatus, ReplicaRecord } from "./replica-state.ts";
import type { World } from "../state/world.ts";

/**
 * src/emulator/infrastructure: the servers under a project's database: primary and replicas, their size, disk, network, settings, pooler and
 * backups. Here is which servers there are. Never here: what is in the database (database/, sql/).
 */

/** A database server of a project: the primary or a read replica. */
export interface Database {
  readonly identifier: string;
  readonly type: "PRIMARY" | "READ_REPLICA";
  readonly region: string;
  readonly status: DatabaseStatus;
}

/** How the statuses of a project look as those of its databases (facts.md §1). */
const STATUS_OF: Readonly<Record<ProjectStatus, DatabaseStatus>> = {
  ACTIVE_HEALTHY: "ACTIVE_HEALTHY",
  ACTIVE_UNHEALTHY: "ACTIVE_UNHEALTHY",
  COMING_UP: "COMING_UP",
  UNKNOWN: "UNKNOWN",
  GOING_DOWN: "GOING_DOWN",
  INIT_FAILED: "INIT_FAILED",
  REMOVED: "REMOVED",
  RESTORING: "RESTORING",
  RESTARTING: "RESTARTING",
  RESIZING: "RESIZING",
  INACTIVE: "REMOVED",
  UPGRADING: "RESTARTING",
  PAUSING: "GOING_DOWN",
  RESTORE_FAILED: "INIT_FAILED",
  PAUSE_FAILED: "ACTIVE_UNHEALTHY",
  PROMOTING: "RESTARTING",
};

/** The primary first, then the replicas in the order of their setup. */
export function databasesOf(world: World, project: ProjectRecord): readonly Database[] {
  const { ref: identifier, region } = project;
  const status = primaryStatus(world, project);
  return [
    { identifier, type: "PRIMARY", region, status },
    ...replicasOf(world, identifier).map((replica): Database => ({
      identifier: replica.identifier,
      type: "READ_REPLICA",
      region: replica.region,
      status: replicaStatus(world, project, replica),
    })),
  ];
}

/** Most replicas of one project. */
export const REPLICAS_PER_PROJECT = 2;

/** Read replicas that are there now. */
export function replicasOf(world: World, ref: string): readonly ReplicaRecord[] {
  const nowMs = world.clock.now();
  return [...world.readReplicas.of(ref).values()].filter(({ life }) => statusAt(life, nowMs) !== "REMOVED");
}

/** While its disk is being changed the database is RESIZING, though the project is not. */
function primaryStatus(world: World, { ref, life }: ProjectRecord): DatabaseStatus {
  const nowMs = world.clock.now();
  const status = STATUS_OF[statusAt(life, nowMs)];
  return status === "ACTIVE_HEALTHY" && nowMs < world.disk.get(ref).appliedAtMs ? "RESIZING" : status;
}

/** A replica has a life of its own only while its project is active: it restarts, pauses and resizes with it (facts.md §6.1). */
function replicaStatus(world: World, project: ProjectRecord, { life }: ReplicaRecord): DatabaseStatus {
  const nowMs = world.clock.now();
  const own = statusAt(life, nowMs);
  const shared = STATUS_OF[statusAt(project.life, nowMs)];
  return shared === "ACTIVE_HEALTHY" || own !== "ACTIVE_HEALTHY" ? own : shared;
}

/** Adds a read replica, under an identifier of its own where none is given: `<ref>-rr-<region>-<five letters>`. */
export function addReplica(
  world: World,
  ref: string,
  wanted: { readonly region: string; readonly life: ReplicaRecord["life"]; readonly identifier?: string | undefined },
): void {
  const there = new Set(replicasOf(world, ref).map(({ identifier }) => identifier));
  for (const known of world.readReplicas.of(ref).keys()) if (!there.has(known)) world.readReplicas.delete(ref, known);
  const { region, life, identifier = newIdentifier(world, ref, region) } = wanted;
  world.readReplicas.set(ref, identifier, { identifier, region, createdAtMs: world.clock.now(), life });
}

function newIdentifier(world: World, ref: string, region: string): string {
  const letter = (): string => String.fromCharCode(97 + Math.floor(world.random() * 26));
  for (;;) {
    const identifier = `${ref}-rr-${region}-${Array.from({ length: 5 }, letter).join("")}`;
    if (world.readReplicas.get(ref, identifier) === undefined) return identifier;
  }
}
