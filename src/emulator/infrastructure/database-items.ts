import type { OrgProjectItem } from "../../api/contract/organizations.ts";
import { databasesOf } from "./primary-and-replicas.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import type { World } from "../state/world.ts";
import { lastModifiedMs } from "./disk.ts";

/** The databases of a project as the list of an organization's projects shows them: a replica has the size and disk of its primary. */
export function databaseItems(world: World, project: ProjectRecord): NonNullable<OrgProjectItem["databases"]> {
  const { attributes } = world.disk.get(project.ref);
  return databasesOf(world, project).map(({ identifier, type, region, status }) => ({
    infra_compute_size: project.instanceSize,
    region,
    status,
    cloud_provider: "AWS",
    identifier,
    type,
    disk_volume_size_gb: attributes.size_gb,
    disk_type: attributes.type,
    ...(attributes.type === "gp3" && attributes.throughput_mibps !== undefined
      ? { disk_throughput_mbps: attributes.throughput_mibps }
      : {}),
    disk_last_modified_at: new Date(lastModifiedMs(world, project)).toISOString(),
  }));
}
