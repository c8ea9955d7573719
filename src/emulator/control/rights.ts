import { z } from "zod";
import { DEFAULT_QUOTAS } from "../organizations/quotas.ts";
import { definedOnly } from "../state/defined-only.ts";
import { addProjectRoles, addToken, ensureUser } from "../state/seed-people.ts";
import { organizationShape, tokenSeedSchema } from "../state/seed.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import { call, done, type Implementations } from "./call.ts";
import { notThere } from "./not-there.ts";

/** Control calls about who may do what: tokens, and the plan, quotas and members of organizations. */

export const rightsCalls = {
  tokens: {
    add: call({
      summary: "Make a token known, with its user when there is none of that name",
      input: tokenSeedSchema,
      output: done,
    }),
    revoke: call({
      summary: "Make a token unknown",
      input: z.strictObject({ token: z.string() }),
      output: z.object({ revoked: z.boolean() }),
    }),
  },
  organizations: {
    patch: call({
      summary: "Change plan, quotas or members of an organization, and add to the roles of members on its projects",
      input: z
        .strictObject({ slug: z.string(), ...organizationShape })
        .refine(
          ({ slug: _, ...changes }) => Object.keys(changes).length > 0,
          "nothing to change: say plan, quotas, members or projectRoles",
        ),
      output: done,
    }),
  },
} as const;

export function rightsControl(world: World): Implementations<typeof rightsCalls> {
  return {
    tokens: {
      add: ({ token, ...rights }) => addToken(world, token, rights),
      revoke: ({ token }) => ({ revoked: world.tokens.delete(sha256(token)) }),
    },
    organizations: {
      patch: ({ slug, plan, quotas, members, projectRoles = [] }) => {
        const known = world.organizations.get(slug);
        if (known === undefined) throw notThere("Organization", slug, world.organizations.keys());
        const roles = Object.entries(members ?? {}).map(([name, role]) => [ensureUser(world, name).id, role] as const);
        const changed = {
          ...known,
          plan: plan ?? known.plan,
          quotas: { ...(plan === undefined ? known.quotas : DEFAULT_QUOTAS[plan]), ...definedOnly(quotas ?? {}) },
          members: { ...known.members, ...Object.fromEntries(roles) },
        };
        world.organizations.set(slug, changed);
        addProjectRoles(world, changed, projectRoles);
      },
    },
  };
}
