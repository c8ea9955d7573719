import { z } from "zod";
import { NETWORK_ENTITLEMENTS } from "../../api/contract/network-restrictions.ts";

/** From where a project's database may be reached, and who was banned. Defaults: facts.md §4. */

const cidrs = z.strictObject({ v4: z.array(z.string()).readonly(), v6: z.array(z.string()).readonly() }).readonly();
export type Cidrs = z.output<typeof cidrs>;

const networkRecord = z
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
export type NetworkRecord = z.output<typeof networkRecord>;
export const networkRestrictions = {
  name: "networkRestrictions",
  row: networkRecord,
  default: { config: { v4: ["0.0.0.0/0"], v6: ["::/0"] } },
} as const;

/** Under `<identifier> <address>`: each database bans for itself. */
const banRecord = z.strictObject({ address: z.string(), identifier: z.string(), type: z.string() }).readonly();
export type BanRecord = z.output<typeof banRecord>;
export const networkBans = { name: "networkBans", row: banRecord } as const;
