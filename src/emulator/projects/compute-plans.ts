import type { Plan } from "../../api/contract/operation.ts";
import { badRequest } from "../failure.ts";
import { type InstanceSize, isAtLeast } from "./compute-sizes.ts";

/**
 * Which plans have which compute sizes. No document says it of a creation, but a size is a billing add-on (behaviour.md) and the plan free has
 * none of those: what a project could not be resized to it is not created with either. Up to `micro`, with which every fresh project begins (facts.md §4), all
 * plans have them.
 */
export function isOnPlan(size: InstanceSize, plan: Plan): boolean {
  return plan !== "free" || !isAtLeast(size, "small");
}

/** @throws ApiFailure 400 for a size that is asked for on a plan without it */
export function refuseSizeBeyond(plan: Plan, size: InstanceSize | undefined): void {
  if (size === undefined || isOnPlan(size, plan)) return;
  throw badRequest(`desired_instance_size: the size ${size} is not available on the plan ${plan} of the organization`);
}
