import { z } from "zod";
import { SIGNING_ALGORITHMS, SIGNING_KEY_STATUSES, type SigningKeyStatus } from "../../api/contract/signing-keys.ts";

/** Signing keys as the emulated service remembers them. Nothing is signed here, so private halves are not kept. */

const signingKeyRecord = z
  .strictObject({
    id: z.string(),
    algorithm: z.enum(SIGNING_ALGORITHMS),
    status: z.enum(SIGNING_KEY_STATUSES),
    /** null for a shared secret */
    publicJwk: z.record(z.string(), z.unknown()).readonly().nullable(),
    /** imported from the project's JWT secret */
    legacy: z.boolean(),
    createdAtMs: z.number(),
    updatedAtMs: z.number(),
    /** since when it is revoked, while it is */
    revokedAtMs: z.number().optional(),
  })
  .readonly();
export type SigningKeyRecord = z.output<typeof signingKeyRecord>;

/** Under the key's id. */
export const signingKeys = { name: "signingKeys", row: signingKeyRecord } as const;

/**
 * Where a key may be moved from each status. The one in use leaves it only by the promotion of another: a project is never without
 * a key once it has one. What is revoked has left the published key set, so it comes back as a standby key or among the previous
 * ones before it is used. The contract names no other condition than that a status is given (behaviour.md, States): all else is done.
 */
export const SIGNING_KEY_MOVES: Readonly<Record<SigningKeyStatus, readonly SigningKeyStatus[]>> = {
  standby: ["in_use", "previously_used", "revoked"],
  in_use: [],
  previously_used: ["in_use", "standby", "revoked"],
  revoked: ["standby", "previously_used"],
};
