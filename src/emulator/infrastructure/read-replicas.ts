import { visibleProject } from "../access.ts";
import { badRequest, notFound } from "../failure.ts";
import { addReplica, REPLICAS_PER_PROJECT, replicasOf } from "./primary-and-replicas.ts";
import { begin, statusAt } from "../state/life.ts";
import { isActive } from "../projects/project-life.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import type { Region } from "../projects/region-state.ts";
import { noRoom, unavailability } from "../projects/regions.ts";
import type { DatabaseStatus } from "./replica-state.ts";
import { lasts } from "../state/settings.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/** Read replicas. No operation of their own shows them: the organization's list of projects and the pooler do. */
export function readReplicasHandlers(world: World): SectionHandlers<"readReplicas"> {
  return {
    setup: ({ params, body, caller }) => {
      setUp(world, visibleProject(world, caller, params.ref), body.read_replica_region);
      return undefined;
    },
    remove: ({ params, body, caller }) => {
      remove(world, visibleProject(world, caller, params.ref), body.database_identifier);
      return undefined;
    },
  };
}

/** @throws ApiFailure 400 while the project is not active, for one replica too many, and where the region has no room */
function setUp(world: World, project: ProjectRecord, region: Region): void {
  const nowMs = world.clock.now();
  const status = statusAt(project.life, nowMs);
  if (!isActive(status)) throw badRequest(`Read replicas cannot be set up, the project is ${status}`);
  if (replicasOf(world, project.ref).length >= REPLICAS_PER_PROJECT) {
    throw badRequest(`The project has ${REPLICAS_PER_PROJECT} read replicas, which is the limit`);
  }
  const wanted = { size: project.instanceSize, plan: organizationOf(world, project).plan };
  if (unavailability(world, region, wanted) !== undefined) throw noRoom("read_replica_region", region, wanted);
  const life = begin<DatabaseStatus>(nowMs, [
    { status: "INIT_READ_REPLICA", forMs: lasts(world.settings, "replicaSetupMs") },
    { status: "ACTIVE_HEALTHY", forMs: 0 },
  ]);
  addReplica(world, project.ref, { region, life });
}

/** @throws ApiFailure 400 for the primary, 404 for an identifier that is none of the project's */
function remove(world: World, { ref }: ProjectRecord, identifier: string): void {
  if (identifier === ref) throw badRequest("database_identifier: the primary database is no read replica");
  const replica = replicasOf(world, ref).find((one) => one.identifier === identifier);
  if (replica === undefined) throw notFound("Read replica");
  const nowMs = world.clock.now();
  if (statusAt(replica.life, nowMs) === "GOING_DOWN") return;
  const life = begin<DatabaseStatus>(nowMs, [
    { status: "GOING_DOWN", forMs: lasts(world.settings, "replicaRemovalMs") },
    { status: "REMOVED", forMs: 0 },
  ]);
  world.readReplicas.set(ref, identifier, { ...replica, life });
}
