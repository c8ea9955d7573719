import { z } from "zod";
import type { World } from "../state/world.ts";

/** What name servers answer, as a seed and a control call say. */
export const dnsSeed = z.strictObject({
  name: z.string().min(1),
  /** what is answered for the name itself */
  texts: z.array(z.string()).default([]),
  /** for every name under it, whatever a verification asks for is answered */
  obeys: z.boolean().default(false),
  /** nobody answers for the name nor for what is under it: whoever must ask waits in vain, 544 */
  silent: z.boolean().default(false),
});

export function setDns(world: World, { name, texts, obeys, silent }: z.output<typeof dnsSeed>): void {
  world.dns.set(name.toLowerCase(), { texts, obeys, silent });
}
