import { z } from "zod";
import { CONFIG_GONE, USUAL_ERRORS, noQuery, openEnum, projectParams, refSchema, response, secret } from "./fields.ts";
import { allOf, operation } from "./operation.ts";

/** Catalogue section "Signing keys": what a project signs its tokens with. */

export const SIGNING_KEY_STATUSES = ["in_use", "previously_used", "revoked", "standby"] as const;
export type SigningKeyStatus = (typeof SIGNING_KEY_STATUSES)[number];
export const SIGNING_ALGORITHMS = ["EdDSA", "ES256", "RS256", "HS256"] as const;
export type SigningAlgorithm = (typeof SIGNING_ALGORITHMS)[number];

export const signingKeySchema = response({
  id: z.string(),
  algorithm: openEnum(SIGNING_ALGORITHMS),
  status: openEnum(SIGNING_KEY_STATUSES),
  /** null for a shared secret, which has no public half */
  public_jwk: z.looseObject({}).nullish(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type SigningKey = z.output<typeof signingKeySchema>;

const number = z.string().regex(/^[A-Za-z0-9_-]+$/, "expected base64url text");
const secretNumber = secret(number);

/** What any key may say of itself. */
const usage = {
  kid: z.uuid("a signing key's id is a uuid").optional(),
  use: z.literal("sig").optional(),
  key_ops: z.array(z.enum(["sign", "verify"])).optional(),
  ext: z.boolean().optional(),
};

/** A private key by its kty (facts.md §1, "signing key algorithm"). */
export const privateJwkSchema = z.discriminatedUnion("kty", [
  z.strictObject({
    kty: z.literal("RSA"),
    alg: z.literal("RS256").optional(),
    n: number,
    e: z.literal("AQAB"),
    d: secretNumber,
    p: secretNumber,
    q: secretNumber,
    dp: secretNumber,
    dq: secretNumber,
    qi: secretNumber,
    ...usage,
  }),
  z.strictObject({
    kty: z.literal("EC"),
    alg: z.literal("ES256").optional(),
    crv: z.literal("P-256"),
    x: number,
    y: number,
    d: secretNumber,
    ...usage,
  }),
  z.strictObject({
    kty: z.literal("OKP"),
    alg: z.literal("EdDSA").optional(),
    crv: z.literal("Ed25519"),
    x: number,
    d: secretNumber,
    ...usage,
  }),
  z.strictObject({
    kty: z.literal("oct"),
    alg: z.literal("HS256").optional(),
    k: secret(z.string().min(16, "expected at least 16 characters")),
    ...usage,
  }),
]);
export type PrivateJwk = z.output<typeof privateJwkSchema>;

const ALGORITHM_OF: Readonly<Record<PrivateJwk["kty"], SigningAlgorithm>> = {
  RSA: "RS256",
  EC: "ES256",
  OKP: "EdDSA",
  oct: "HS256",
};

const createBody = z
  .strictObject({
    algorithm: z.enum(SIGNING_ALGORITHMS),
    status: z.enum(["in_use", "standby"]).optional(),
    private_jwk: privateJwkSchema.optional(),
  })
  .refine(({ algorithm, private_jwk: key }) => key === undefined || ALGORITHM_OF[key.kty] === algorithm, {
    path: ["private_jwk", "kty"],
    message: "expected a key of the algorithm: RSA for RS256, EC for ES256, OKP for EdDSA, oct for HS256",
  });

const keyParams = z.strictObject({ ref: refSchema, id: z.string().min(1) });

const common = { limitScope: "project", stability: "stable", query: noQuery } as const;
const readErrors = [...CONFIG_GONE, ...USUAL_ERRORS] as const;
const writeErrors = [400, 404, ...USUAL_ERRORS] as const;
const read = { scopes: ["secrets:read"], permissions: allOf("auth_signing_keys_read"), errors: readErrors } as const;
const write = {
  scopes: ["secrets:write"],
  permissions: allOf("auth_signing_keys_write"),
  errors: writeErrors,
} as const;
const oneKey = { kind: "json", status: 200, schema: signingKeySchema } as const;

export const signingKeys = {
  createLegacy: operation({
    ...common,
    ...write,
    id: "signingKeys.createLegacy",
    summary: "Import the project's JWT secret as a key in use; 404 once the endpoint is removed",
    method: "POST",
    path: "/v1/projects/{ref}/config/auth/signing-keys/legacy",
    params: projectParams,
    success: { ...oneKey, status: 201 },
    deprecated: true,
    retry: "once",
  }),
  getLegacy: operation({
    ...common,
    ...read,
    id: "signingKeys.getLegacy",
    summary: "Read the key imported from the JWT secret; 404 also once the endpoint is removed",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/signing-keys/legacy",
    params: projectParams,
    success: oneKey,
    deprecated: true,
    retry: "read",
  }),
  create: operation({
    ...common,
    ...write,
    id: "signingKeys.create",
    summary: "Create a signing key, on standby unless said otherwise",
    method: "POST",
    path: "/v1/projects/{ref}/config/auth/signing-keys",
    params: projectParams,
    body: { encoding: "json", schema: createBody },
    success: { ...oneKey, status: 201 },
    retry: "once",
  }),
  list: operation({
    ...common,
    ...read,
    id: "signingKeys.list",
    summary: "List the signing keys of a project",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/signing-keys",
    params: projectParams,
    success: { kind: "json", status: 200, schema: response({ keys: z.array(signingKeySchema) }) },
    retry: "read",
  }),
  get: operation({
    ...common,
    ...read,
    id: "signingKeys.get",
    summary: "Read a signing key",
    method: "GET",
    path: "/v1/projects/{ref}/config/auth/signing-keys/{id}",
    params: keyParams,
    success: oneKey,
    scopes: [],
    retry: "read",
  }),
  update: operation({
    ...common,
    ...write,
    id: "signingKeys.update",
    summary: "Move a signing key to another status; the one in use before becomes previously_used",
    method: "PATCH",
    path: "/v1/projects/{ref}/config/auth/signing-keys/{id}",
    params: keyParams,
    body: { encoding: "json", schema: z.strictObject({ status: z.enum(SIGNING_KEY_STATUSES) }) },
    success: oneKey,
    retry: "once",
  }),
  delete: operation({
    ...common,
    ...write,
    id: "signingKeys.delete",
    summary: "Delete a signing key that has been revoked for a while",
    method: "DELETE",
    path: "/v1/projects/{ref}/config/auth/signing-keys/{id}",
    params: keyParams,
    success: oneKey,
    retry: "idempotent",
  }),
} as const;
