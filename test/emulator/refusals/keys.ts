import { type Refusal, alike, asked, PROJECT } from "../../support/emulator/refusal.ts";

/** Signing keys and API keys. */

const SIGNING = `${PROJECT}/config/auth/signing-keys`;
const removed = async ({ control }: Parameters<NonNullable<Refusal["given"]>>[0]): Promise<void> => {
  await control.settings.patch({ legacyEndpoints: "removed" });
};

const signingKeys: readonly Refusal[] = [
  {
    id: "signingKeys.createLegacy",
    status: 400,
    because: "the secret is a key already",
    given: asked("POST", `${SIGNING}/legacy`),
    says: "The JWT secret of the project is imported already",
  },
  {
    id: "signingKeys.create",
    status: 400,
    because: "the key is of another algorithm",
    body: { algorithm: "ES256", private_jwk: { kty: "oct", k: "0123456789abcdef" } },
    says: "private_jwk.kty: expected a key of the algorithm: RSA for RS256, EC for ES256, OKP for EdDSA, oct for HS256, received object",
  },
  {
    id: "signingKeys.create",
    status: 400,
    of: ["Create allows only in_use, standby"],
    because: "no key begins as a revoked one",
    body: { algorithm: "ES256", status: "revoked" },
    says: "status: Invalid enum value. Expected 'in_use' | 'standby', received 'revoked'",
  },
  {
    id: "signingKeys.create",
    status: 400,
    of: ["id uuid string"],
    because: "the key says an id that none has",
    body: { algorithm: "HS256", private_jwk: { kty: "oct", k: "c2VjcmV0LW9mLXNpeHRlZW4", kid: "first" } },
    says: "private_jwk.kid: a signing key's id is a uuid, received string",
  },
  {
    id: "signingKeys.update",
    status: 400,
    because: "a key in use makes room for another one only",
    given: asked("POST", SIGNING, { algorithm: "ES256", status: "in_use" }),
    body: { status: "revoked" },
    says: "status: a signing key that is in_use cannot become revoked: another key must be moved to in_use first",
  },
  {
    id: "signingKeys.delete",
    status: 400,
    of: ["Only possible when the key has been revoked for a while"],
    because: "it is not revoked",
    given: asked("POST", SIGNING, { algorithm: "ES256" }),
    says: "Only a revoked signing key can be deleted, this one is standby",
  },
  {
    id: "signingKeys.delete",
    status: 400,
    of: ["Only possible when the key has been revoked for a while"],
    because: "it was revoked a moment ago",
    given: async (under) => {
      const known = { ID: "", ...(await asked("POST", SIGNING, { algorithm: "ES256" })(under)) };
      await asked("PATCH", `${SIGNING}/${known.ID}`, { status: "revoked" })(under);
      return known;
    },
    says: "A signing key can be deleted 86400 seconds after it was revoked: 86400 seconds are left, until 2026-01-02T00:00:00.000Z",
  },
  ...alike(["signingKeys.get", "signingKeys.update", "signingKeys.delete"], {
    status: 404,
    because: "the project has no such key",
    says: "Signing key not found",
  }),
  {
    id: "signingKeys.getLegacy",
    status: 404,
    because: "nobody imported the secret",
    says: "Legacy signing key not found",
  },
  ...alike(["signingKeys.getLegacy", "signingKeys.createLegacy"], {
    status: 404,
    of: ["404 on the legacy signing-key and legacy API-key endpoints signals that the endpoint has been removed"],
    because: "the endpoint is removed",
    given: removed,
    says: "Legacy signing key endpoint not found",
  }),
];

const apiKeys: readonly Refusal[] = [
  ...alike(["apiKeys.list", "apiKeys.get"], {
    status: 400,
    because: "keys are revealed or they are not",
    query: "reveal=perhaps",
    says: "reveal: Invalid input: expected true or false, received string",
  }),
  ...alike(
    ["list", "get", "create", "update", "delete"].map((verb) => `apiKeys.${verb}`),
    {
      status: 403,
      of: ["without → 403 while the plain list is 200"],
      because: "the token may not have keys revealed",
      given: async ({ control }) => {
        const permissions = ["api_gateway_keys_read", "api_gateway_keys_write"] as const;
        await control.tokens.add({ token: "unrevealing", user: "owner", permissions: [...permissions] });
      },
      by: "unrevealing",
      query: "reveal=true",
      says:
        "Your account does not have the necessary privileges to access this endpoint. The token lacks: " +
        "api_gateway_keys_secret_read. For more details, refer to the documentation of the Management API.",
    },
  ),
  {
    id: "apiKeys.create",
    status: 400,
    because: "the name is too short",
    body: { type: "secret", name: "abc" },
    says: "name: Too small: expected string to have >=4 characters, received string",
  },
  {
    id: "apiKeys.create",
    status: 400,
    of: ["create: publishable, secret"],
    because: "no legacy key is made",
    body: { type: "legacy", name: "jobs" },
    says: "type: Invalid enum value. Expected 'publishable' | 'secret', received 'legacy'",
  },
  ...alike(["apiKeys.update", "apiKeys.delete"], {
    status: 400,
    because: "legacy keys go together",
    path: `${PROJECT}/api-keys/anon`,
    says: "Legacy API keys cannot be changed or deleted one by one; they are enabled or disabled together",
  }),
  {
    id: "apiKeys.updateLegacy",
    status: 400,
    because: "it is not said which way",
    query: "",
    says: "enabled: Invalid input: expected true or false, received undefined",
  },
  ...alike(["apiKeys.get", "apiKeys.update", "apiKeys.delete"], {
    status: 404,
    because: "the project has no such key",
    says: "API key not found",
  }),
  ...alike(["apiKeys.getLegacy", "apiKeys.updateLegacy"], {
    status: 404,
    of: ["404 on the legacy signing-key and legacy API-key endpoints signals that the endpoint has been removed"],
    because: "the endpoint is removed",
    given: removed,
    says: "Legacy API keys endpoint not found",
  }),
];

export const KEY_REFUSALS: readonly Refusal[] = [...signingKeys, ...apiKeys];
