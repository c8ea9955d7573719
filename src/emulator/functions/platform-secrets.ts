import { LEGACY_KEYS, legacyKey } from "../keys/api-key-set.ts";
import { databaseHost } from "../projects/database-host.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";

/** What the platform sets in the environment of a project's functions (facts.md §2, secrets GET): digests of what it shows elsewhere. */

/** The password itself is kept nowhere, so that its place is here and in `storeDatabaseUrl`. */
export function storePlatformSecrets(world: World, project: ProjectRecord, databasePassword: string): void {
  const { ref } = project;
  const updatedAtMs = world.clock.now();
  const keys = LEGACY_KEYS.map((role) => [`${role.toUpperCase()}_KEY`, legacyKey(world, project, role)] as const);
  const values = [["URL", `https://${ref}.${world.settings.domain}`], ...keys] as const;
  for (const [name, value] of [...values, [DATABASE_URL, databaseUrl(world, ref, databasePassword)] as const]) {
    const secret = { digest: sha256(value), updatedAtMs, platform: true };
    world.secrets.set(ref, `${world.settings.reservedSecretPrefix}${name}`, secret);
  }
}

/** With another password, under the name that it was given, whatever prefix is reserved now. */
export function storeDatabaseUrl(world: World, ref: string, databasePassword: string): void {
  const digest = sha256(databaseUrl(world, ref, databasePassword));
  for (const [name, known] of world.secrets.of(ref)) {
    if (!known.platform || !name.endsWith(DATABASE_URL)) continue;
    world.secrets.set(ref, name, { ...known, digest, updatedAtMs: world.clock.now() });
  }
}

const DATABASE_URL = "DB_URL";

function databaseUrl(world: World, ref: string, password: string): string {
  return `postgresql://postgres:${encodeURIComponent(password.toWellFormed())}@${databaseHost(world, ref)}:5432/postgres`;
}
