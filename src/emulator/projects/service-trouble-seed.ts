import { z } from "zod";
import { HEALTH_SERVICES } from "../../api/contract/fields.ts";
import type { World } from "../state/world.ts";

/** What a seed and a control call say of a service that does not do as its project's life says. */
export const troubleSeedShape = {
  service: z.enum(HEALTH_SERVICES),
  status: z.enum(["COMING_UP", "UNHEALTHY"]).optional(),
  message: z.string().optional(),
  answersAfterMs: z.number().min(0).default(0),
} as const;

const shape = z.strictObject(troubleSeedShape);
type TroubleSeed = z.output<typeof shape>;

export const NO_TROUBLE = "no trouble: say status, answersAfterMs or both";

export function isTrouble({ status, answersAfterMs }: TroubleSeed): boolean {
  return status !== undefined || answersAfterMs > 0;
}

export const troubleSeed = shape.refine(isTrouble, NO_TROUBLE);

export function makeTrouble(world: World, ref: string, { service, ...trouble }: TroubleSeed): void {
  world.serviceTroubles.set(ref, service, trouble);
}
