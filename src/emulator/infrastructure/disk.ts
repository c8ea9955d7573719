import type { WantedDisk } from "../../api/contract/disk.ts";
import { visibleProject } from "../access.ts";
import { badRequest } from "../failure.ts";
import { BYTES_PER_GB, type DiskRecord, fileSystemBytes } from "./disk-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { lasts } from "../state/settings.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** The disk: grows, never shrinks, and rests for hours after a change (facts.md §2, disk POST). */
export function diskHandlers(world: World): SectionHandlers<"disk"> {
  return {
    get: ({ params, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      return {
        attributes: { ...world.disk.get(project.ref).attributes },
        last_modified_at: new Date(lastModifiedMs(world, project)).toISOString(),
      };
    },
    update: ({ params, body, caller }) => {
      change(world, visibleProject(world, caller, params.ref), body.attributes);
      return undefined;
    },
    utilization: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const nowMs = world.clock.now();
      const row = world.disk.get(ref);
      const size = fileSystemBytes(row, nowMs);
      const used = Math.min(row.usedBytes, size);
      return {
        timestamp: new Date(nowMs).toISOString(),
        metrics: { fs_size_bytes: size, fs_avail_bytes: size - used, fs_used_bytes: used },
      };
    },
    autoscale: ({ params, caller }) => {
      const { autoscale } = world.disk.get(visibleProject(world, caller, params.ref).ref);
      return {
        growth_percent: autoscale.growthPercent,
        min_increment_gb: autoscale.minIncrementGb,
        max_size_gb: autoscale.maxSizeGb,
      };
    },
  };
}

/** A disk that was never changed was made with its project. */
export function lastModifiedMs(world: World, { ref, createdAtMs }: ProjectRecord): number {
  return world.disk.get(ref).modifiedAtMs ?? createdAtMs;
}

/** @throws ApiFailure 400 within the cool-down, and for a smaller disk */
function change(world: World, { ref }: ProjectRecord, wanted: WantedDisk): void {
  const known = world.disk.get(ref);
  const nowMs = world.clock.now();
  const againAtMs = (known.modifiedAtMs ?? -Infinity) + world.settings.timings.diskCooldownMs;
  if (nowMs < againAtMs) {
    throw badRequest(
      `The disk was changed a short time ago; it can be changed again from ${new Date(againAtMs).toISOString()} on`,
    );
  }
  if (wanted.size_gb < known.attributes.size_gb) {
    throw badRequest(
      `attributes.size_gb: a disk cannot shrink; expected at least ${known.attributes.size_gb}, received ${wanted.size_gb}`,
    );
  }
  const attributes = completed(wanted, known.attributes);
  if (sameAttributes(attributes, known.attributes)) return; // nothing to do, so no cool-down begins
  world.disk.set(ref, {
    ...known,
    attributes,
    previousSizeGb: fileSystemBytes(known, nowMs) / BYTES_PER_GB,
    modifiedAtMs: nowMs,
    appliedAtMs: nowMs + lasts(world.settings, "diskApplyMs"),
  });
}

/** A throughput that is not said stays as it is, or is what every gp3 disk begins with. */
function completed(wanted: WantedDisk, known: DiskRecord["attributes"]): WantedDisk {
  if (wanted.type === "io2" || wanted.throughput_mibps !== undefined) return wanted;
  const throughput = known.type === "gp3" ? known.throughput_mibps : undefined;
  return { ...wanted, throughput_mibps: throughput ?? DEFAULT_THROUGHPUT_MIBPS };
}

const DEFAULT_THROUGHPUT_MIBPS = 125;

function sameAttributes(a: WantedDisk, b: DiskRecord["attributes"]): boolean {
  const throughput = (one: DiskRecord["attributes"]): number | undefined =>
    one.type === "gp3" ? one.throughput_mibps : undefined;
  return a.type === b.type && a.iops === b.iops && a.size_gb === b.size_gb && throughput(a) === throughput(b);
}
