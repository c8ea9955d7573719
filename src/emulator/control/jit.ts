import { z } from "zod";
import { JIT_UNAVAILABLE_REASONS } from "../../api/contract/jit.ts";
import { loginRolesOf } from "../jit/login-role.ts";
import { setJitAvailability } from "../jit/jit-availability.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations } from "./call.ts";
import { existingProject, ofProject } from "./of-project.ts";

/** Control calls about just-in-time access: what stands in mails that nobody sends, and what no operation shows. */

export const jitCalls = {
  jit: {
    invitations: call({
      summary: "Invitations of a project that are open, each with the token that its mail would carry",
      input: ofProject,
      output: z.array(
        z.object({
          inviteId: z.string(),
          email: z.string(),
          token: z.string(),
          userId: z.string(),
          expiresAt: z.string(),
        }),
      ),
    }),
    setAvailability: call({
      summary: "Make just-in-time access of a project unavailable for a reason, or available again (null)",
      input: ofProject.extend({ unavailableReason: z.enum(JIT_UNAVAILABLE_REASONS).nullable() }),
      output: done,
    }),
    loginRoles: call({
      summary: "Login roles of a project whose password still holds",
      input: ofProject,
      output: z.array(
        z.object({ role: z.string(), readOnly: z.boolean(), passwordDigest: z.string(), expiresAt: z.string() }),
      ),
    }),
  },
} as const;

export function jitControl(world: World): Implementations<typeof jitCalls> {
  const existing = (ref: string): string => existingProject(world, ref).ref;
  return {
    jit: {
      invitations: ({ ref }) =>
        [...world.jitInvitations.of(existing(ref)).values()]
          .filter(({ expiresAtMs }) => world.clock.now() < expiresAtMs)
          .map(({ id, email, token, userId, expiresAtMs }) => ({
            inviteId: id,
            email,
            token,
            userId,
            expiresAt: new Date(expiresAtMs).toISOString(),
          })),
      setAvailability: ({ ref, unavailableReason }) =>
        setJitAvailability(world, existing(ref), unavailableReason ?? undefined),
      loginRoles: ({ ref }) =>
        loginRolesOf(world, existing(ref)).map(({ role, readOnly, passwordDigest, expiresAtMs }) => ({
          role,
          readOnly,
          passwordDigest,
          expiresAt: new Date(expiresAtMs).toISOString(),
        })),
    },
  };
}
