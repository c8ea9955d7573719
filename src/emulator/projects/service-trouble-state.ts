import { z } from "zod";

/** A service that does not do as its project's life says, under the service's name. No operation makes one: control calls do. */
const troubleRecord = z
  .strictObject({
    status: z.enum(["COMING_UP", "UNHEALTHY"]).optional(),
    message: z.string().optional(),
    /** how long the service takes to answer a health check, milliseconds */
    answersAfterMs: z.number(),
  })
  .readonly();
export type ServiceTrouble = z.output<typeof troubleRecord>;
export const serviceTroubles = { name: "serviceTroubles", row: troubleRecord } as const;
