import { exportJWK, generateKeyPair, type JWK } from "jose";
import { z } from "zod";
import { type SigningKey, signingKeySchema, type SigningKeyStatus } from "../../../src/api/contract/signing-keys.ts";
import { bodyAs, type EmulatorUnderTest } from "./api.ts";

/** Steps of tests about signing keys. */

/** An id that a caller chooses for a key. */
export const KID = "5b0c1d7e-1111-4222-8333-444455556666";
export const pathOf = (ref: string, id = ""): string => `/v1/projects/${ref}/config/auth/signing-keys${id && `/${id}`}`;
const listSchema = z.object({ keys: z.array(signingKeySchema) });

export async function keys({ call }: EmulatorUnderTest, ref: string): Promise<readonly SigningKey[]> {
  return bodyAs(listSchema, await call("GET", pathOf(ref))).keys;
}

export async function created(under: EmulatorUnderTest, ref: string, body: object = {}): Promise<SigningKey> {
  const made = await under.call("POST", pathOf(ref), { body: { algorithm: "ES256", ...body } });
  return bodyAs(signingKeySchema, made);
}

export async function moved(
  under: EmulatorUnderTest,
  ref: string,
  id: string,
  status: SigningKeyStatus,
): Promise<SigningKey> {
  return bodyAs(signingKeySchema, await under.call("PATCH", pathOf(ref, id), { body: { status } }));
}

/** A private key as a caller would send it, made by the library that callers use. */
export async function privateJwk(algorithm: "EdDSA" | "ES256" | "RS256"): Promise<JWK> {
  return exportJWK((await generateKeyPair(algorithm, { extractable: true })).privateKey);
}
