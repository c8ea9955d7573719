import { z } from "zod";
import { choice } from "../fields.ts";

/** spec.addons: what the organization pays for apart (facts.md §1, add-on variants). The compute size is spec.instanceSize. */
export const addonsSettings = z
  .object({
    pitr: choice(
      "Point-in-time recovery, with how far back it reaches; Off removes it. Needs the compute size small or a larger one.",
      ["Days7", "Days14", "Days28", "Off"],
    ).optional(),
    ipv4: z.boolean().describe("Whether the database has an IPv4 address of its own.").optional(),
    customDomain: z
      .boolean()
      .describe("Whether the project may have a custom hostname. False is refused while it has one.")
      .optional(),
  })
  .describe("Add-ons, which cost money as long as they are selected. What is not declared is left as it is.");
