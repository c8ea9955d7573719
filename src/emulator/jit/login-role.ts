import { visibleProject } from "../access.ts";
import type { LoginRole } from "./jit-state.ts";
import { newCredential, newId, sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/** Lifetime of the temporary password, seconds (behaviour.md, Other limits). */
const TTL_SECONDS = 3600;

/** Roles for the command line that end by themselves. They are remembered, not made in the database: nothing here logs in by them. */
export function loginRoleHandlers(world: World): SectionHandlers<"loginRole"> {
  return {
    create: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const password = newCredential();
      const role = `cli_login_${body.read_only ? "read_only_" : ""}${newId().slice(0, 8)}`;
      removeEnded(world, ref);
      world.loginRoles.set(ref, role, {
        role,
        readOnly: body.read_only,
        passwordDigest: sha256(password),
        expiresAtMs: world.clock.now() + TTL_SECONDS * 1000,
      });
      return { role, password, ttl_seconds: TTL_SECONDS };
    },
    delete: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      for (const role of world.loginRoles.of(ref).keys()) world.loginRoles.delete(ref, role);
      return { message: "ok" };
    },
  };
}

function removeEnded(world: World, ref: string): void {
  const open = new Set(loginRolesOf(world, ref).map(({ role }) => role));
  for (const role of world.loginRoles.of(ref).keys()) if (!open.has(role)) world.loginRoles.delete(ref, role);
}

/** Login roles whose password still holds. */
export function loginRolesOf(world: World, ref: string): readonly LoginRole[] {
  const nowMs = world.clock.now();
  return [...world.loginRoles.of(ref).values()].filter(({ expiresAtMs }) => nowMs < expiresAtMs);
}
