import type { Plan } from "../../api/contract/operation.ts";
import { badRequest } from "../failure.ts";
import { type InstanceSize, isAtLeast, USUAL_SIZE } from "../projects/compute-sizes.ts";

/** Which plans have add-ons, and the compute sizes that are some. */

export function hasAddons(plan: Plan): boolean {
  return plan !== "free";
}

/** @param field of the request, where it is not about add-ons as such. @throws ApiFailure 400 where the plan has none */
export function refuseWithoutAddons(plan: Plan, field?: string): void {
  if (hasAddons(plan)) return;
  const where = field === undefined ? "" : `${field}: `;
  throw badRequest(`${where}Add-ons are not available on the free plan of the organization`);
}

/** Whether a size is had as an add-on alone, as whatever is more than who asks for nothing has. */
export function isSizeOfAddon(size: InstanceSize): boolean {
  return size !== USUAL_SIZE && isAtLeast(size, USUAL_SIZE);
}

/** A project or branch begins with no size to which it could not be changed. @throws ApiFailure 400 */
export function refuseSizeOfPlan(
  { desired_instance_size: size = USUAL_SIZE }: { readonly desired_instance_size?: InstanceSize | undefined },
  { plan }: { readonly plan: Plan },
): void {
  if (isSizeOfAddon(size)) refuseWithoutAddons(plan, "desired_instance_size");
}
