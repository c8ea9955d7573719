import { createHmac } from "node:crypto";
import type { NEW_API_KEY_TYPES } from "../../api/contract/api-keys.ts";
import { statusAt } from "../state/life.ts";
import { isProvisioning } from "../projects/project-life.ts";
import { jwtSecretOf } from "./project-keys.ts";
import type { ApiKeyRecord } from "./key-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { newCredential, newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";

/** The API keys that a project has: those from its start, those that somebody made, and the legacy ones, which are tokens. */

type NewKeyType = (typeof NEW_API_KEY_TYPES)[number];

/** What a key of each kind begins with. */
export const KEY_PREFIXES: Readonly<Record<NewKeyType, string>> = {
  publishable: "pk_publishable_",
  secret: "sk_secret_",
};

/** A key with a value of its own, not yet stored. */
export function newApiKey(
  said: Pick<ApiKeyRecord, "type" | "name" | "description" | "secretJwtTemplate">,
  nowMs: number,
): ApiKeyRecord {
  const key = `${KEY_PREFIXES[said.type]}${newCredential()}`;
  return { id: newId(), ...said, key, insertedAtMs: nowMs, updatedAtMs: nowMs };
}

/** Whether the project has its keys: they are absent in the first seconds of its life (cases.md K-08). */
export function hasKeys(world: World, project: ProjectRecord): boolean {
  return !isProvisioning(statusAt(project.life, world.clock.now()));
}

/** The keys that have rows, after those of a fresh project were made: publishable and secret `default` (facts.md §4). */
export function apiKeysOf(world: World, project: ProjectRecord): ReadonlyMap<string, ApiKeyRecord> {
  const { ref, createdAtMs } = project;
  const keys = world.projectKeys.get(ref);
  if (!keys.apiKeysMade && hasKeys(world, project)) {
    const defaults = [
      newApiKey({ type: "publishable", name: "default" }, createdAtMs),
      newApiKey({ type: "secret", name: "default", secretJwtTemplate: { role: "service_role" } }, createdAtMs),
    ];
    for (const one of defaults) world.apiKeys.set(ref, one.id, one);
    world.projectKeys.set(ref, { ...keys, apiKeysMade: true });
  }
  return world.apiKeys.of(ref);
}

export const LEGACY_KEYS = ["anon", "service_role"] as const;
export type LegacyKeyName = (typeof LEGACY_KEYS)[number];

export function isLegacyKey(id: string): id is LegacyKeyName {
  return id === "anon" || id === "service_role";
}

const TEN_YEARS_S = 10 * 365 * 86_400;

/** A legacy key: a token for a role, signed with the project's JWT secret. The same one each time, so that it is stored nowhere. */
export function legacyKey(world: World, project: ProjectRecord, role: LegacyKeyName): string {
  const iat = Math.floor(project.createdAtMs / 1000);
  const claims = { ref: project.ref, role, iss: "platform", iat, exp: iat + TEN_YEARS_S };
  const signed = [{ alg: "HS256", typ: "JWT" }, claims].map(encoded).join(".");
  return `${signed}.${createHmac("sha256", jwtSecretOf(world, project.ref)).update(signed).digest("base64url")}`;
}

function encoded(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString("base64url");
}
