import type {
  CidrLists,
  NetworkRestrictions,
  TypedNetworkRestrictions,
} from "../../api/contract/network-restrictions.ts";
import { type Caller, visibleProject } from "../access.ts";
import { ApiFailure, badRequest, newErrorEventId } from "../failure.ts";
import { stepAt } from "../state/life.ts";
import type { Cidrs, NetworkRecord } from "./network-state.ts";
import { isProvisioning } from "../projects/project-life.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { lasts } from "../state/settings.ts";
import type { World } from "../state/world.ts";
import { normalCidrs, refusePrivate } from "./cidrs.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** Network restrictions: stored at once, applied a moment later (facts.md §5, "Success bodies"). */
export function networkRestrictionsHandlers(world: World): SectionHandlers<"networkRestrictions"> {
  return {
    get: ({ params, caller }) => plainOutput(world, visibleProject(world, caller, params.ref)),
    apply: ({ params, body, caller }) => {
      const project = changeable(world, caller, params.ref);
      store(world, project, normal(body));
      return plainOutput(world, project);
    },
    update: ({ params, body, caller }) => {
      const project = changeable(world, caller, params.ref);
      const { config } = world.networkRestrictions.get(project.ref);
      const added = normal(body.add ?? {});
      const removed = normal(body.remove ?? {});
      store(world, project, {
        v4: normalCidrs([...without(config.v4, removed.v4), ...added.v4]),
        v6: normalCidrs([...without(config.v6, removed.v6), ...added.v6]),
      });
      return typedOutput(world, project);
    },
  };
}

/** @throws ApiFailure 404; 400 where it is disallowed; 500 while the pooler does not know the project yet */
function changeable(world: World, caller: Caller, ref: string): ProjectRecord {
  const project = visibleProject(world, caller, ref);
  if (entitlement(world, project) === "disallowed") {
    throw badRequest("Network restrictions are not available to this project: its entitlement is disallowed");
  }
  if (isUnknownToPooler(world, project)) {
    // the one 500 that a situation gives (facts.md §5, "network apply right after create")
    throw new ApiFailure(500, "Failed to apply network restrictions: pooler tenant not found", {
      errorEventId: newErrorEventId(),
    });
  }
  return project;
}

/** From the creation until the pooler, the last of the services, is up. */
function isUnknownToPooler(world: World, { life }: ProjectRecord): boolean {
  const { status, atMs } = stepAt(life, world.clock.now());
  if (isProvisioning(status)) return true;
  const wasJustMade = status === "ACTIVE_HEALTHY" && isProvisioning(life.steps[0].status);
  return wasJustMade && world.clock.now() < atMs + lasts(world.settings, "serviceLagMs");
}

function normal({ dbAllowedCidrs: v4 = [], dbAllowedCidrsV6: v6 = [] }: CidrLists): Cidrs {
  refusePrivate(v4, "dbAllowedCidrs");
  refusePrivate(v6, "dbAllowedCidrsV6");
  return { v4: normalCidrs(v4), v6: normalCidrs(v6) };
}

function without(cidrs: readonly string[], removed: readonly string[]): readonly string[] {
  return cidrs.filter((cidr) => !removed.includes(cidr));
}

function store(world: World, { ref }: ProjectRecord, config: Cidrs): void {
  const known = world.networkRestrictions.get(ref);
  const nowMs = world.clock.now();
  world.networkRestrictions.set(ref, {
    ...known,
    config,
    oldConfig: known.config,
    updatedAtMs: nowMs,
    appliedAtMs: nowMs + lasts(world.settings, "networkApplyMs"),
  });
}

/** "entitlement: allowed" is what a fresh project has on any plan (facts.md §4); a seed or a control call may say otherwise. */
function entitlement(world: World, { ref }: ProjectRecord): "allowed" | "disallowed" {
  return world.networkRestrictions.get(ref).entitlement ?? "allowed";
}

function plainOutput(world: World, project: ProjectRecord): NetworkRestrictions {
  return output(world, project, ({ v4, v6 }) => ({ dbAllowedCidrs: [...v4], dbAllowedCidrsV6: [...v6] }));
}

function typedOutput(world: World, project: ProjectRecord): TypedNetworkRestrictions {
  return output(world, project, ({ v4, v6 }) => ({
    dbAllowedCidrs: [
      ...v4.map((address) => ({ address, type: "v4" })),
      ...v6.map((address) => ({ address, type: "v6" })),
    ],
  }));
}

function output<C>(world: World, project: ProjectRecord, shape: (cidrs: Cidrs) => C) {
  const row: NetworkRecord = world.networkRestrictions.get(project.ref);
  const { config, oldConfig, updatedAtMs, appliedAtMs } = row;
  const isApplied = appliedAtMs === undefined || world.clock.now() >= appliedAtMs;
  return {
    entitlement: entitlement(world, project),
    config: shape(config),
    ...(oldConfig === undefined ? {} : { old_config: shape(oldConfig) }),
    status: isApplied ? "applied" : "stored",
    ...(updatedAtMs === undefined ? {} : { updated_at: new Date(updatedAtMs).toISOString() }),
    ...(isApplied && appliedAtMs !== undefined ? { applied_at: new Date(appliedAtMs).toISOString() } : {}),
  };
}
