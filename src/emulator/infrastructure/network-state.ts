import { z } from "zod";
import { NETWORK_ENTITLEMENTS } from "../../api/contract/network-restrictions.ts";

/** From where a project's database may be reached, and who was banned. Defaults: facts.md §4. */

const cidrs = z.strictObject({ v4: z.array(z.string()).readonly(), v6: z.array(z.string()).readonly() }).readonly();
export type Cidrs = z.output<typeof cidrs>;

const networkRow = z
  .strictObject({
    /** where a seed or a control call says so; otherwise it is allowed */
    entitlement: z.enum(NETWORK_ENTITLEMENTS).optional(),
    config: cidrs,
    oldConfig: cidrs.optional(),
    updatedAtMs: z.number().optional(),
    /** when the databases have taken the configuration over: before, it is only stored */
    appliedAtMs: z.number().optional(),
  })
  .readonly();
export type NetworkRow = z.output<typeof networkRow>;
export const networkRestrictions = {
  name: "networkRestrictions",
  row: networkRow,
  default: { config: { v4: ["0.0.0.0/0"], v6: ["::/0"] } },
} as const;

/** Under `<identifier> <address>`: each database bans for itself. */
const banRow = z.strictObject({ address: z.string(), identifier: z.string(), type: z.string() }).readonly();
export type BanRow = z.output<typeof banRow>;
export const networkBans = { name: "networkBans", row: banRow } as const;
