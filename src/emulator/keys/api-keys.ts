import { type ApiKey, apiKeys } from "../../api/contract/api-keys.ts";
import { type Caller, visibleProject } from "../access.ts";
import { missingForSecrets } from "../access/secret-rights.ts";
import { badRequest, forbidden, notFound } from "../failure.ts";
import {
  apiKeysOf,
  hasKeys,
  isLegacyKey,
  KEY_PREFIXES,
  LEGACY_KEYS,
  legacyKey,
  type LegacyKeyName,
  newApiKey,
} from "./api-key-set.ts";
import type { ApiKeyRecord } from "./key-state.ts";
import type { ProjectRecord } from "../projects/project-state.ts";
import { sha256 } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { HandlerRequest, SectionHandlers } from "../handlers/handler.ts";

/**
 * src/emulator/keys: what opens a project's own APIs and its encrypted values. Never here: tokens of the Management API (access/), nor the keys
 * that sign tokens of a project's users (auth/).
 */

type KeyUpdateBody = HandlerRequest<(typeof apiKeys)["update"]>["body"];

/** Keys to a project's own APIs (facts.md §4 and §6.8–9). Two keys may have one name: no text says that they may not. */
export function apiKeysHandlers(world: World): SectionHandlers<"apiKeys"> {
  return {
    list: (request) => {
      const { project, shown } = askedKeys(world, request);
      const own = [...apiKeysOf(world, project).values()].map((one) => keyOutput(one, shown));
      const legacy = hasLegacyKeys(world, project) ? LEGACY_KEYS : [];
      return [...legacy.map((name) => legacyOutput(world, project, name, shown)), ...own];
    },
    create: (request) => {
      const { project, shown } = askedKeys(world, request);
      const { type, name, description, secret_jwt_template: secretJwtTemplate } = request.body;
      apiKeysOf(world, project); // those from the start come first
      const made = newApiKey({ type, name, description, secretJwtTemplate }, world.clock.now());
      world.apiKeys.set(project.ref, made.id, made);
      return keyOutput(made, shown);
    },
    get: (request) => {
      const { project, shown } = askedKeys(world, request);
      const { id } = request.params;
      if (isLegacyKey(id) && hasLegacyKeys(world, project)) return legacyOutput(world, project, id, shown);
      return keyOutput(keyOf(world, project, id), shown);
    },
    update: (request) => {
      const { project, shown } = askedKeys(world, request);
      const changed = changedKey(keyOf(world, project, request.params.id), request.body, world.clock.now());
      world.apiKeys.set(project.ref, changed.id, changed);
      return keyOutput(changed, shown);
    },
    delete: (request) => {
      const { project, shown } = askedKeys(world, request);
      const known = keyOf(world, project, request.params.id);
      world.apiKeys.delete(project.ref, known.id);
      return keyOutput(known, shown);
    },
    getLegacy: ({ params, caller }) => {
      const ref = refWithLegacyEndpoint(world, caller, params.ref);
      return { enabled: world.projectKeys.get(ref).legacyApiKeys };
    },
    updateLegacy: ({ params, query, caller }) => {
      const ref = refWithLegacyEndpoint(world, caller, params.ref);
      world.projectKeys.set(ref, { ...world.projectKeys.get(ref), legacyApiKeys: query.enabled });
      return { enabled: query.enabled };
    },
  };
}

/** What every request for keys names. @throws ApiFailure 404 for the project, 403 for keys that the caller may not have revealed */
function askedKeys(
  world: World,
  { params, query, caller }: Omit<HandlerRequest<(typeof apiKeys)["list"]>, "body">,
): { readonly project: ProjectRecord; readonly shown: Visibility } {
  const project = visibleProject(world, caller, params.ref);
  return { project, shown: query.reveal === true ? revealed(world, caller, project.ref) : "masked" };
}

/** "A 404 response signals removal" (behaviour.md, Versioning 4). */
function refWithLegacyEndpoint(world: World, caller: Caller, wanted: string): string {
  const { ref } = visibleProject(world, caller, wanted);
  if (world.settings.legacyEndpoints === "removed") throw notFound("Legacy API keys endpoint");
  return ref;
}

type Visibility = "masked" | "whole";

/** @throws ApiFailure 403 for who asks to have keys revealed without the further right (facts.md §6.9) */
function revealed(world: World, caller: Caller, ref: string): Visibility {
  const missing = missingForSecrets(world, caller, { operation: apiKeys.list, ref });
  if (missing !== undefined) throw forbidden(missing);
  return "whole";
}

function hasLegacyKeys(world: World, project: ProjectRecord): boolean {
  return hasKeys(world, project) && world.projectKeys.get(project.ref).legacyApiKeys;
}

/** @throws ApiFailure 400 for a legacy key, 404 */
function keyOf(world: World, project: ProjectRecord, id: string): ApiKeyRecord {
  const known = apiKeysOf(world, project).get(id);
  if (known !== undefined) return known;
  if (isLegacyKey(id) && hasLegacyKeys(world, project)) {
    throw badRequest("Legacy API keys cannot be changed or deleted one by one; they are enabled or disabled together");
  }
  throw notFound("API key");
}

/** What is not said stays. */
function changedKey(known: ApiKeyRecord, said: KeyUpdateBody, nowMs: number): ApiKeyRecord {
  return {
    ...known,
    name: said.name ?? known.name,
    description: said.description ?? known.description,
    secretJwtTemplate: said.secret_jwt_template ?? known.secretJwtTemplate,
    updatedAtMs: nowMs,
  };
}

/** Letters of a key that tell it from others and open nothing. */
const SHOWN_LETTERS = 5;
const MASK = "***";

function keyOutput(known: ApiKeyRecord, shown: Visibility): ApiKey {
  const prefix = known.key.slice(0, KEY_PREFIXES[known.type].length + SHOWN_LETTERS);
  return {
    id: known.id,
    type: known.type,
    name: known.name.toLowerCase(),
    description: known.description ?? null,
    secret_jwt_template: known.secretJwtTemplate ?? null,
    ...valueFields(known.key, prefix, shown),
    inserted_at: new Date(known.insertedAtMs).toISOString(),
    updated_at: new Date(known.updatedAtMs).toISOString(),
  };
}

function legacyOutput(world: World, project: ProjectRecord, name: LegacyKeyName, shown: Visibility): ApiKey {
  const key = legacyKey(world, project, name);
  const madeAt = new Date(project.createdAtMs).toISOString();
  return {
    id: name,
    type: "legacy",
    name,
    description: `Legacy ${name} API key`,
    secret_jwt_template: null,
    ...valueFields(key, key.slice(0, SHOWN_LETTERS), shown),
    inserted_at: madeAt,
    updated_at: madeAt,
  };
}

function valueFields(key: string, prefix: string, shown: Visibility): Pick<ApiKey, "api_key" | "prefix" | "hash"> {
  return { api_key: shown === "whole" ? key : `${prefix}${MASK}`, prefix, hash: sha256(key) };
}
