import { knownInWords } from "../../base/near.ts";
import { contradiction, notThere } from "../state/seed-error.ts";
import type { World } from "../state/world.ts";

/** A member of an organization, by names. */
interface Named {
  /** username */
  readonly user: string;
  readonly slug: string;
}

/** Where a seed or a control call says which organization and which user. */
interface NamedAt {
  readonly organization: readonly PropertyKey[];
  readonly user: readonly PropertyKey[];
}

/** The id of a member of an organization. @throws SeedError where there is no such organization, or no such member of it */
export function memberNamed(world: World, { user, slug }: Named, at: NamedAt): string {
  const organization = world.organizations.get(slug);
  if (organization === undefined) {
    throw notThere(at.organization, { what: "organization", name: slug, known: world.organizations.keys() });
  }
  const ids = Object.keys(organization.members);
  const found = ids.find((id) => world.users.get(id)?.username === user);
  if (found !== undefined) return found;
  const known = ids.flatMap((id) => world.users.get(id)?.username ?? []);
  throw contradiction(at.user, `${user} is no member of an organization ${slug}${knownInWords([user], known)}`);
}
