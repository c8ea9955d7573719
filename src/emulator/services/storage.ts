import type { Bucket, StorageConfig, StorageUpdate } from "../../api/contract/storage.ts";
import { type Caller, visibleProject } from "../access.ts";
import { ApiFailure, badRequest } from "../failure.ts";
import { definedOnly } from "../state/defined-only.ts";
import { statusAt } from "../state/life.ts";
import { isProvisioning } from "../projects/project-life.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { type BucketRecord, FILE_SIZE_OF_PLAN, type StorageRecord } from "./storage-state.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/** Storage: its configuration is merged (facts.md §6.2); buckets come from the seed and control calls. */
export function storageHandlers(world: World): SectionHandlers<"storage"> {
  return {
    get: ({ params, caller }) => output(world.storageConfig.get(withStorage(world, caller, params.ref).ref)),
    update: ({ params, body, caller }) => {
      const project = withStorage(world, caller, params.ref);
      refuseTooLarge(world, project, body.fileSizeLimit);
      world.storageConfig.set(project.ref, merged(world.storageConfig.get(project.ref), body));
      return undefined;
    },
    listBuckets: ({ params, caller }) =>
      [...world.buckets.of(visibleProject(world, caller, params.ref).ref).values()].map(bucketOutput),
  };
}

/** "storage config of a starting branch: 404" (facts.md §5) */
function withStorage(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = visibleProject(world, caller, ref);
  if (project.branchOf !== undefined && isProvisioning(statusAt(project.life, world.clock.now()))) {
    throw new ApiFailure(404, "Tenant config not found", { code: "not_found" });
  }
  return project;
}

function refuseTooLarge(world: World, project: ProjectRecord, fileSizeLimit: number = 0): void {
  const { plan } = organizationOf(world, project);
  const most = FILE_SIZE_OF_PLAN[plan];
  if (fileSizeLimit > most) {
    throw badRequest(`fileSizeLimit: at most ${most} bytes on the plan ${plan}, received '${fileSizeLimit}'`);
  }
}

function merged(known: StorageRecord, { fileSizeLimit, features = {}, external }: StorageUpdate): StorageRecord {
  return {
    fileSizeLimit: fileSizeLimit ?? known.fileSizeLimit,
    features: {
      imageTransformation: features.imageTransformation ?? known.features.imageTransformation,
      s3Protocol: features.s3Protocol ?? known.features.s3Protocol,
      icebergCatalog: { ...known.features.icebergCatalog, ...definedOnly(features.icebergCatalog ?? {}) },
      vectorBuckets: { ...known.features.vectorBuckets, ...definedOnly(features.vectorBuckets ?? {}) },
    },
    upstreamTarget: external?.upstreamTarget ?? known.upstreamTarget,
  };
}

function output({ fileSizeLimit, features, upstreamTarget }: StorageRecord): StorageConfig {
  return {
    fileSizeLimit,
    features,
    capabilities: { list_v2: true, iceberg_catalog: features.icebergCatalog.enabled },
    external: { upstreamTarget },
    migrationVersion: "optimized-search-function",
    databasePoolMode: "recycled",
  };
}

function bucketOutput({ name, owner, public: isPublic, createdAtMs, updatedAtMs }: BucketRecord): Bucket {
  return {
    id: name,
    name,
    owner,
    created_at: new Date(createdAtMs).toISOString(),
    updated_at: new Date(updatedAtMs).toISOString(),
    public: isPublic,
  };
}
