import type { Plan } from "../../api/contract/operation.ts";
import { type ApiFailure, badRequest } from "../failure.ts";
import { type InstanceSize, isAtLeast, USUAL_SIZE } from "../projects/compute-sizes.ts";

/** Which plans have add-ons, and the compute sizes that are some. */

/** The refusal of add-ons, or undefined where the plan has them. @param field of the request, where it is not about add-ons as such */
export function addonsRefusal(plan: Plan, field?: string): ApiFailure | undefined {
  if (plan !== "free") return undefined;
  const where = field === undefined ? "" : `${field}: `;
  return badRequest(`${where}Add-ons are not available on the free plan of the organization`);
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
  const refusal = isSizeOfAddon(size) ? addonsRefusal(plan, "desired_instance_size") : undefined;
  if (refusal !== undefined) throw refusal;
}
