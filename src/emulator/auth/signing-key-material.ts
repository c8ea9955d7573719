import type { JWK } from "jose";
import type { PrivateJwk, SigningAlgorithm } from "../../api/contract/signing-keys.ts";
import { badRequest } from "../failure.ts";

/**
 * The keys themselves: real ones, so that whoever reads a public half can use it. Private halves end here. The library that makes them is
 * loaded by the first one, not at the start.
 */

/**
 * The public half as the API shows it; null for a shared secret.
 *
 * @param given the caller's key; undefined: one is made
 * @throws ApiFailure 400 for a key that does not work
 */
export async function publicJwkOf(
  id: string,
  algorithm: SigningAlgorithm,
  given: PrivateJwk | undefined,
): Promise<Readonly<Record<string, unknown>> | null> {
  if (algorithm === "HS256" || given?.kty === "oct") return null;
  const parts = given === undefined ? await madePublicParts(algorithm) : await checkedPublicParts(algorithm, given);
  return { ...parts, kid: id, alg: algorithm, use: "sig", key_ops: ["verify"], ext: true };
}

async function madePublicParts(algorithm: SigningAlgorithm): Promise<JWK> {
  const { exportJWK, generateKeyPair } = await import("jose");
  const { publicKey } = await generateKeyPair(algorithm, { extractable: true });
  return exportJWK(publicKey);
}

/** Signs with the key and verifies with its public half: only a pair passes. @throws ApiFailure 400 */
async function checkedPublicParts(
  algorithm: SigningAlgorithm,
  given: Exclude<PrivateJwk, { kty: "oct" }>,
): Promise<JWK> {
  const { kid: _kid, use: _use, key_ops: _ops, ext: _ext, alg: _alg, ...parts } = given;
  const publicHalf = publicPartsOf(given);
  const { CompactSign, compactVerify, importJWK } = await import("jose");
  try {
    const token = await new CompactSign(PROBE)
      .setProtectedHeader({ alg: algorithm })
      .sign(await importJWK(parts, algorithm));
    await compactVerify(token, await importJWK(publicHalf, algorithm));
  } catch {
    // the reasons of the library may quote the key
    throw badRequest(`private_jwk: the parts are no working ${given.kty} key for ${algorithm}`);
  }
  return publicHalf;
}

const PROBE = new TextEncoder().encode("probe");

function publicPartsOf(given: Exclude<PrivateJwk, { kty: "oct" }>): JWK {
  switch (given.kty) {
    case "RSA":
      return { kty: given.kty, n: given.n, e: given.e };
    case "EC":
      return { kty: given.kty, crv: given.crv, x: given.x, y: given.y };
    case "OKP":
      return { kty: given.kty, crv: given.crv, x: given.x };
    default:
      return given satisfies never;
  }
}
