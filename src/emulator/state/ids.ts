import { createHash, randomBytes, randomUUID } from "node:crypto";
import type { World } from "./world.ts";

/** What things are called and known by: ids, refs, made-up credentials, and the digests that stand for secrets. */

/** Lower-case hex SHA-256, as the service shows values of secrets. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

/** Twenty lower-case letters that name no project or organization yet. */
export function newRef(world: World): string {
  for (;;) {
    const ref = Array.from({ length: 20 }, () => LETTERS[Math.floor(world.random() * LETTERS.length)]).join("");
    if (!world.projects.has(ref) && !world.organizations.has(ref)) return ref;
  }
}

export function newId(): string {
  return randomUUID();
}

/** Text for a password or key that the emulated platform makes up. */
export function newCredential(): string {
  return randomBytes(24).toString("base64url");
}

/** The next of the integer ids that some resources have. */
export function nextNumber(world: World): number {
  world.lastNumber += 1;
  return world.lastNumber;
}
