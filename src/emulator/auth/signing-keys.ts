import type { SigningKey, SigningKeyStatus } from "../../api/contract/signing-keys.ts";
import { type Caller, visibleProject } from "../access.ts";
import { badRequest, notFound } from "../failure.ts";
import { SIGNING_KEY_MOVES, type SigningKeyRecord } from "./signing-key-state.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";
import { publicJwkOf } from "./signing-key-material.ts";

/** What a project signs its tokens with: never two keys in use (cases.md K-39), and none is deleted before it rested. */
export function signingKeysHandlers(world: World): SectionHandlers<"signingKeys"> {
  return {
    createLegacy: ({ params, caller }) => {
      const ref = refWithLegacyEndpoint(world, caller, params.ref);
      if (legacyKey(world, ref) !== undefined) throw badRequest("The JWT secret of the project is imported already");
      const made = newKey(world, { id: newId(), algorithm: "HS256", publicJwk: null, legacy: true });
      return output(moved(world, ref, made, "in_use"));
    },
    getLegacy: ({ params, caller }) => {
      const known = legacyKey(world, refWithLegacyEndpoint(world, caller, params.ref));
      if (known === undefined) throw notFound("Legacy signing key");
      return output(known);
    },
    create: async ({ params, body, caller }) => {
      visibleProject(world, caller, params.ref);
      const id = body.private_jwk?.kid ?? newId();
      const publicJwk = await publicJwkOf(id, body.algorithm, body.private_jwk);
      const { ref } = visibleProject(world, caller, params.ref); // it may be gone by now
      if (world.signingKeys.get(ref, id) !== undefined) {
        throw badRequest("private_jwk.kid: the project has a signing key of this id already");
      }
      const made = newKey(world, { id, algorithm: body.algorithm, publicJwk, legacy: false });
      return output(moved(world, ref, made, body.status ?? "standby"));
    },
    list: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return { keys: [...world.signingKeys.of(ref).values()].map(output) };
    },
    get: ({ params, caller }) => output(keyOf(world, visibleProject(world, caller, params.ref).ref, params.id)),
    update: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const known = keyOf(world, ref, params.id);
      if (known.status === body.status) return output(known);
      refuseMove(known.status, body.status);
      return output(moved(world, ref, known, body.status));
    },
    delete: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const known = keyOf(world, ref, params.id);
      refuseDeletion(world, known);
      world.signingKeys.delete(ref, known.id);
      return output(known);
    },
  };
}

/** @throws ApiFailure 404 once the endpoint is removed: clients must check for it (behaviour.md, Errors 3) */
function refWithLegacyEndpoint(world: World, caller: Caller, wanted: string): string {
  const { ref } = visibleProject(world, caller, wanted);
  if (world.settings.legacyEndpoints === "removed") throw notFound("Legacy signing key endpoint");
  return ref;
}

function legacyKey(world: World, ref: string): SigningKeyRecord | undefined {
  return [...world.signingKeys.of(ref).values()].find(({ legacy }) => legacy);
}

/** @throws ApiFailure 404 */
function keyOf(world: World, ref: string, id: string): SigningKeyRecord {
  const known = world.signingKeys.get(ref, id);
  if (known === undefined) throw notFound("Signing key");
  return known;
}

type NewKey = Pick<SigningKeyRecord, "id" | "algorithm" | "publicJwk" | "legacy">;

function newKey(world: World, key: NewKey): SigningKeyRecord {
  const nowMs = world.clock.now();
  return { ...key, status: "standby", createdAtMs: nowMs, updatedAtMs: nowMs };
}

/** @throws ApiFailure 400 */
function refuseMove(from: SigningKeyStatus, to: SigningKeyStatus): void {
  if (SIGNING_KEY_MOVES[from].includes(to)) return;
  const way = from === "in_use" ? "another key must be moved to in_use first" : `move it to standby first`;
  throw badRequest(`status: a signing key that is ${from} cannot become ${to}: ${way}`);
}

/** Stores a key in a status; the one in use before makes room for it. */
function moved(world: World, ref: string, key: SigningKeyRecord, status: SigningKeyStatus): SigningKeyRecord {
  const nowMs = world.clock.now();
  if (status === "in_use") {
    const before = [...world.signingKeys.of(ref).values()].filter((other) => other.status === "in_use");
    for (const other of before) put(world, ref, { ...other, status: "previously_used", updatedAtMs: nowMs });
  }
  const { revokedAtMs: _since, ...rest } = key;
  const changed = { ...rest, status, updatedAtMs: nowMs };
  return put(world, ref, status === "revoked" ? { ...changed, revokedAtMs: nowMs } : changed);
}

function put(world: World, ref: string, key: SigningKeyRecord): SigningKeyRecord {
  world.signingKeys.set(ref, key.id, key);
  return key;
}

/** "only possible when the key has been revoked for a while" (endpoints.md, Signing keys). @throws ApiFailure 400 */
function refuseDeletion(world: World, { status, revokedAtMs }: SigningKeyRecord): void {
  if (status !== "revoked" || revokedAtMs === undefined) {
    throw badRequest(`Only a revoked signing key can be deleted, this one is ${status}`);
  }
  const restMs = world.settings.timings.signingKeyRestMs;
  const leftMs = revokedAtMs + restMs - world.clock.now();
  if (leftMs <= 0) return;
  throw badRequest(
    `A signing key can be deleted ${restMs / 1000} seconds after it was revoked: ` +
      `${Math.ceil(leftMs / 1000)} seconds are left, until ${new Date(revokedAtMs + restMs).toISOString()}`,
  );
}

function output(key: SigningKeyRecord): SigningKey {
  return {
    id: key.id,
    algorithm: key.algorithm,
    status: key.status,
    public_jwk: key.publicJwk === null ? null : { ...key.publicJwk },
    created_at: new Date(key.createdAtMs).toISOString(),
    updated_at: new Date(key.updatedAtMs).toISOString(),
  };
}
