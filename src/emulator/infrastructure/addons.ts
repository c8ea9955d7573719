import type { ApplicableVariant, ComputeVariant, PITR_VARIANTS } from "../../api/contract/addons.ts";
import { visibleProject } from "../access.ts";
import { badRequest, notFound } from "../failure.ts";
import { isSizeOfAddon, refuseWithoutAddons } from "./addon-plans.ts";
import { dropAddon, hasAddon, isCompute, selectAddon, typeOf } from "./addon-selection.ts";
import { type InstanceSize, isAtLeast, SMALLEST_WITH_PITR } from "../projects/compute-sizes.ts";
import { statusAt } from "../state/life.ts";
import { isActive, resizing } from "../projects/project-life.ts";
import { goThrough } from "../projects/go-through.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { updateProject } from "../state/presence.ts";
import type { World } from "../state/world.ts";
import { availableAddons, computeVariant, sizeOf, variantOutput } from "./addon-catalogue.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { organizationOf } from "../organizations/organization-of.ts";

/** Add-ons. The compute size is one of them, and a change of it resizes the project (cases.md K-06). */
export function addonsHandlers(world: World): SectionHandlers<"addons"> {
  return {
    list: ({ params, caller }) => ({
      selected_addons: selected(world, visibleProject(world, caller, params.ref)),
      available_addons: availableAddons(),
    }),
    apply: ({ params, body, caller }) => {
      const project = visibleProject(world, caller, params.ref);
      const { addon_variant: variant, addon_type: type } = body;
      if (typeOf(variant) !== type) {
        throw badRequest(`addon_type: expected '${typeOf(variant)}', the type of ${variant}, received '${type}'`);
      }
      refuseWithoutAddons(organizationOf(world, project).plan);
      apply(world, project, variant);
      return undefined;
    },
    remove: ({ params, caller }) => {
      remove(world, visibleProject(world, caller, params.ref), params.addon_variant);
      return undefined;
    },
  };
}

function selected(world: World, { ref, instanceSize }: ProjectRecord) {
  const compute = computeVariant(instanceSize);
  const others = [...world.addons.of(ref).values()].map(({ variant }) => variant);
  return [...(compute === undefined ? [] : [compute]), ...others].map((variant) => ({
    type: typeOf(variant),
    variant: variantOutput(variant),
  }));
}

/** @throws ApiFailure 400 */
function apply(world: World, project: ProjectRecord, variant: ApplicableVariant): void {
  if (isCompute(variant)) {
    resize(world, project, { to: sizeOf(variant), backTo: project.instanceSize });
    return;
  }
  if (isPitr(variant) && !isAtLeast(project.instanceSize, SMALLEST_WITH_PITR)) {
    throw badRequest(
      `addon_variant: point-in-time recovery needs the compute size ${SMALLEST_WITH_PITR} or a larger one, the project has ${project.instanceSize}`,
    );
  }
  selectAddon(world, project.ref, variant);
}

function isPitr(variant: ApplicableVariant): variant is (typeof PITR_VARIANTS)[number] {
  return typeOf(variant) === "pitr";
}

/** @throws ApiFailure 404 for a variant that is not selected; 400 where there is nothing to go back to */
function remove(world: World, project: ProjectRecord, variant: ApplicableVariant): void {
  if (isCompute(variant)) {
    rollBack(world, project, variant);
    return;
  }
  const type = typeOf(variant);
  if (type === "compute_instance" || world.addons.get(project.ref, type)?.variant !== variant) {
    throw notFound(`Selected add-on ${variant}`);
  }
  dropAddon(world, project.ref, type);
}

/** "rolling compute back to its previous size" (endpoints.md) */
function rollBack(world: World, project: ProjectRecord, variant: ComputeVariant): void {
  if (computeVariant(project.instanceSize) !== variant) throw notFound(`Selected add-on ${variant}`);
  const { previousSize } = world.computeHistory.get(project.ref);
  if (previousSize === null) {
    throw badRequest(`The compute size was never changed: there is none to go back to from ${variant}`);
  }
  if (isSizeOfAddon(previousSize)) refuseWithoutAddons(organizationOf(world, project).plan);
  resize(world, project, { to: previousSize, backTo: null });
}

/** @throws ApiFailure 400 while the project is not active, and for a size that a selected add-on does not allow */
function resize(
  world: World,
  project: ProjectRecord,
  { to, backTo }: { readonly to: InstanceSize; readonly backTo: InstanceSize | null },
): void {
  if (to === project.instanceSize) return;
  const status = statusAt(project.life, world.clock.now());
  if (!isActive(status)) throw badRequest(`Project cannot be resized, it is ${status}`);
  if (hasAddon(world, project.ref, "pitr") && !isAtLeast(to, SMALLEST_WITH_PITR)) {
    throw badRequest(
      `Point-in-time recovery needs the compute size ${SMALLEST_WITH_PITR} or a larger one: remove that add-on first`,
    );
  }
  world.computeHistory.set(project.ref, { previousSize: backTo });
  goThrough(world, updateProject(world, project, { instanceSize: to }), resizing(world.settings));
}
