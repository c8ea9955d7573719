import { z } from "zod";
import { JIT_UNAVAILABLE_REASONS, newJitRoleSchema } from "../../api/contract/jit.ts";

/** Just-in-time access and login roles as the emulated service remembers them. */

const roles = z.array(newJitRoleSchema.readonly()).readonly();

/** Whether roles can be assumed at all. */
const jitSwitchRecord = z
  .strictObject({
    enabled: z.boolean(),
    changedAtMs: z.number(),
    /** set by a control call: why nothing can be switched for now */
    unavailable: z.enum(JIT_UNAVAILABLE_REASONS).optional(),
  })
  .readonly();
export type JitSwitch = z.output<typeof jitSwitchRecord>;

const FRESH_JIT_SWITCH: JitSwitch = { enabled: false, changedAtMs: 0 };
export const jitSwitches = { name: "jitSwitches", row: jitSwitchRecord, default: FRESH_JIT_SWITCH } as const;

/** Under the user's id: the roles that the user may assume. */
const jitGrantRecord = z.strictObject({ userId: z.string(), email: z.string(), roles }).readonly();
export type JitGrant = z.output<typeof jitGrantRecord>;
export const jitGrants = { name: "jitGrants", row: jitGrantRecord } as const;

/** Under its id. */
const jitInvitationRecord = z
  .strictObject({
    id: z.string(),
    email: z.string(),
    /** of the user that has this address, or of the one who will when the invitation is accepted */
    userId: z.string(),
    /** in plain: no mail is sent, so a control call has to show what would stand in it */
    token: z.string(),
    expiresAtMs: z.number(),
    roles,
  })
  .readonly();
export type JitInvitation = z.output<typeof jitInvitationRecord>;
export const jitInvitations = { name: "jitInvitations", row: jitInvitationRecord } as const;

/** Under its name. */
const loginRoleRecord = z
  .strictObject({
    role: z.string(),
    readOnly: z.boolean(),
    /** lower-case hex SHA-256 of the password, which is shown once */
    passwordDigest: z.string(),
    expiresAtMs: z.number(),
  })
  .readonly();
export type LoginRole = z.output<typeof loginRoleRecord>;
export const loginRoles = { name: "loginRoles", row: loginRoleRecord } as const;
