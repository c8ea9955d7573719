import { createECDH, createHash } from "node:crypto";
import { z } from "zod";
import type { NewThirdPartyAuth, ThirdPartyAuth } from "../../api/contract/third-party-auth.ts";
import { visibleProject } from "../access.ts";
import { badRequest, notFound } from "../failure.ts";
import { lasts } from "../state/settings.ts";
import type { ThirdPartyAuthRecord } from "./third-party-auth-state.ts";
import { newId } from "../state/ids.ts";
import type { World } from "../state/world.ts";
import type { SectionHandlers } from "../handlers/handler.ts";

/**
 * Other issuers whose tokens a project accepts. Their key sets are resolved a while after they were added and seen by whoever reads
 * then; nothing is fetched: what stands at a URL is what a control call or the seed published there, or else made up from the URL.
 */
export function thirdPartyAuthHandlers(world: World): SectionHandlers<"thirdPartyAuth"> {
  return {
    create: ({ params, body, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const made: ThirdPartyAuthRecord = { id: newId(), source: sourceOf(body), insertedAtMs: world.clock.now() };
      world.thirdPartyAuth.set(ref, made.id, made);
      return output(world, made);
    },
    list: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return [...world.thirdPartyAuth.of(ref).values()].map((known) => output(world, known));
    },
    get: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      return output(world, integrationOf(world, ref, params.tpa_id));
    },
    delete: ({ params, caller }) => {
      const { ref } = visibleProject(world, caller, params.ref);
      const known = integrationOf(world, ref, params.tpa_id);
      world.thirdPartyAuth.delete(ref, known.id);
      return output(world, known);
    },
  };
}

/** @throws ApiFailure 404 */
function integrationOf(world: World, ref: string, id: string): ThirdPartyAuthRecord {
  const known = world.thirdPartyAuth.get(ref, id);
  if (known === undefined) throw notFound("Third-party auth integration");
  return known;
}

const jwksSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

/** @throws ApiFailure 400 for custom keys that are no key set */
function sourceOf(body: NewThirdPartyAuth): ThirdPartyAuthRecord["source"] {
  if (body.oidc_issuer_url !== undefined) return { kind: "oidc", url: body.oidc_issuer_url };
  if (body.jwks_url !== undefined) return { kind: "jwks", url: body.jwks_url };
  if (!jwksSchema.safeParse(body.custom_jwks).success) {
    throw badRequest('custom_jwks: expected a JSON Web Key Set, {"keys": [{"kty": …}]}');
  }
  return { kind: "custom", jwks: body.custom_jwks };
}

function output(world: World, { id, source, insertedAtMs }: ThirdPartyAuthRecord): ThirdPartyAuth {
  const inserted = new Date(insertedAtMs).toISOString();
  const resolvedAtMs = insertedAtMs + (source.kind === "custom" ? 0 : lasts(world.settings, "jwksResolveMs"));
  const resolved = world.clock.now() < resolvedAtMs ? null : resolvedJwks(world, source);
  return {
    id,
    type: source.kind,
    oidc_issuer_url: source.kind === "oidc" ? source.url : null,
    jwks_url: source.kind === "jwks" ? source.url : null,
    custom_jwks: source.kind === "custom" ? source.jwks : null,
    resolved_jwks: resolved,
    inserted_at: inserted,
    updated_at: resolved === null ? inserted : new Date(resolvedAtMs).toISOString(),
    resolved_at: resolved === null ? null : new Date(resolvedAtMs).toISOString(),
  };
}

/** null: nothing is found at the URL. */
function resolvedJwks(world: World, source: ThirdPartyAuthRecord["source"]): unknown {
  if (source.kind === "custom") return source.jwks;
  const published = world.publishedJwks.get(source.url);
  return published === undefined ? madeUpJwks(source.url) : published.jwks;
}

/** A key set with one real public key, always the same for a URL. */
function madeUpJwks(url: string): { readonly keys: readonly Readonly<Record<string, string>>[] } {
  const digest = createHash("sha256").update(url).digest();
  const pair = createECDH("prime256v1");
  // a hash is a private key of the curve but for odds of 1 in 2^32, in which one with its first bits off is
  digest.writeUInt8(digest.readUInt8(0) & 0x7f, 0);
  pair.setPrivateKey(digest);
  const point = pair.getPublicKey(); // 4, x, y
  const kid = digest.toString("hex").slice(0, 16);
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString("base64url"));
  return { keys: [{ kty: "EC", crv: "P-256", kid, use: "sig", alg: "ES256", x: x ?? "", y: y ?? "" }] };
}
