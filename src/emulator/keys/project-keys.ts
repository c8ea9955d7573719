import { randomBytes } from "node:crypto";
import { newCredential } from "../state/ids.ts";
import type { World } from "../state/world.ts";

/** Keys that the platform makes up for a project, made when they are first asked for. */

/**
 * The secret that signs a project's legacy API keys; a branch's project has one of its own. A new project asks for it: among its functions'
 * secrets are the digests of these keys.
 */
export function jwtSecretOf(world: World, ref: string): string {
  const keys = world.projectKeys.get(ref);
  if (keys.jwtSecret !== undefined) return keys.jwtSecret;
  const jwtSecret = newCredential();
  world.projectKeys.set(ref, { ...keys, jwtSecret });
  return jwtSecret;
}

/** The root key of the database's encryption extension: 32 bytes as hex (facts.md §4). */
export function encryptionKeyOf(world: World, ref: string): string {
  const keys = world.projectKeys.get(ref);
  if (keys.encryptionKey !== undefined) return keys.encryptionKey;
  const encryptionKey = randomBytes(32).toString("hex");
  world.projectKeys.set(ref, { ...keys, encryptionKey });
  return encryptionKey;
}
