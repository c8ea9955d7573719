import { REF } from "../../support/emulator/every-call.ts";
import { type Refusal, alike, allOfThem, asked, NOWHERE, onPlan, PROJECT } from "../../support/emulator/refusal.ts";

/** Who gets into a project: the auth configuration, identity providers, keys, and people for a while. */

const AUTH = `${PROJECT}/config/auth`;

const auth: readonly Refusal[] = [
  {
    id: "authConfig.update",
    status: 400,
    because: "a password has six characters",
    body: { password_min_length: 5 },
    says: "password_min_length",
  },
  {
    id: "authConfig.update",
    status: 401,
    because: "mail goes out by the platform's own server, whose rate is its own",
    body: { rate_limit_email_sent: 10 },
    says: "Custom SMTP required",
  },
  {
    id: "authConfig.update",
    status: 402,
    because: "the plan has no hooks",
    given: onPlan("free"),
    body: { hook_send_sms_enabled: true },
    says: "Hooks are only available on higher plans than free",
  },
];

const METADATA = "https://idp.example.test/metadata";
const provider = (more: object = {}) => ({ type: "saml", metadata_url: METADATA, ...more });
const anotherProvider = asked(
  "POST",
  `${AUTH}/sso/providers`,
  provider({ metadata_url: "https://other.test/metadata" }),
);
const oneProvider = ["ssoProviders.get", "ssoProviders.update", "ssoProviders.delete"];

const providers: readonly Refusal[] = [
  {
    id: "ssoProviders.create",
    status: 400,
    because: "the project has the entity already",
    given: asked("POST", `${AUTH}/sso/providers`, provider()),
    body: provider(),
    says: `entity ID '${METADATA}' already exists`,
  },
  {
    id: "ssoProviders.update",
    status: 400,
    because: "another provider has the domain",
    given: allOfThem(asked("POST", `${AUTH}/sso/providers`, provider({ domains: ["a.test"] })), anotherProvider),
    body: { domains: ["a.test"] },
    says: "SSO Domain 'a.test' is already assigned",
  },
  ...alike(oneProvider, {
    status: 404,
    because: "the project has no such provider",
    says: "SSO Identity Provider not found",
  }),
  ...alike(["ssoProviders.create", "ssoProviders.list", ...oneProvider], {
    status: 404,
    because: "SAML was switched off",
    given: asked("PATCH", AUTH, { saml_enabled: false }),
    says: "SAML 2.0 support is not enabled",
  }),
  {
    id: "thirdPartyAuth.create",
    status: 400,
    because: "what is sent is no key set",
    body: { custom_jwks: { keys: [{}] } },
    says: "custom_jwks: expected a JSON Web Key Set",
  },
  ...alike(["thirdPartyAuth.get", "thirdPartyAuth.delete"], {
    status: 404,
    because: "the project trusts no such issuer",
    says: "Third-party auth integration not found",
  }),
];

const SIGNING = `${AUTH}/signing-keys`;
const removed = async ({ control }: Parameters<NonNullable<Refusal["given"]>>[0]): Promise<void> => {
  await control.settings.patch({ legacyEndpoints: "removed" });
};

const signingKeys: readonly Refusal[] = [
  {
    id: "signingKeys.createLegacy",
    status: 400,
    because: "the secret is a key already",
    given: asked("POST", `${SIGNING}/legacy`),
    says: "is imported already",
  },
  {
    id: "signingKeys.create",
    status: 400,
    because: "the key is of another algorithm",
    body: { algorithm: "ES256", private_jwk: { kty: "oct", k: "0123456789abcdef" } },
    says: "private_jwk",
  },
  {
    id: "signingKeys.update",
    status: 400,
    because: "a key in use makes room for another one only",
    given: asked("POST", SIGNING, { algorithm: "ES256", status: "in_use" }),
    body: { status: "revoked" },
    says: "another key must be moved to in_use first",
  },
  {
    id: "signingKeys.delete",
    status: 400,
    because: "it is not revoked",
    given: asked("POST", SIGNING, { algorithm: "ES256" }),
    says: "Only a revoked signing key can be deleted, this one is standby",
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
    says: "reveal",
  }),
  {
    id: "apiKeys.create",
    status: 400,
    because: "the name is too short",
    body: { type: "secret", name: "abc" },
    says: "name",
  },
  ...alike(["apiKeys.update", "apiKeys.delete"], {
    status: 400,
    because: "legacy keys go together",
    path: `${PROJECT}/api-keys/anon`,
    says: "Legacy API keys cannot be changed or deleted one by one",
  }),
  { id: "apiKeys.updateLegacy", status: 400, because: "it is not said which way", query: "", says: "enabled" },
  ...alike(["apiKeys.get", "apiKeys.update", "apiKeys.delete"], {
    status: 404,
    because: "the project has no such key",
    says: "API key not found",
  }),
  ...alike(["apiKeys.getLegacy", "apiKeys.updateLegacy"], {
    status: 404,
    because: "the endpoint is removed",
    given: removed,
    says: "Legacy API keys endpoint not found",
  }),
];

/** A database that is new enough, with the access switched on. */
const current = async ({ control }: Parameters<NonNullable<Refusal["given"]>>[0]): Promise<void> => {
  await control.projects.remove({ ref: REF });
  await control.state.seed({ projects: [{ name: "shop", ref: REF }] });
};
const ENABLED = allOfThem(current, asked("PUT", `${PROJECT}/jit-access`, { state: "enabled" }));
const invitation = { email: "eve@example.test", token: "guessed" };

const forAWhile: readonly Refusal[] = [
  {
    id: "jitAccess.update",
    status: 400,
    because: "the database has to be upgraded first",
    given: async ({ control }) => {
      await control.jit.setAvailability({ ref: REF, unavailableReason: "postgres_upgrade_required" });
    },
    says: "unavailable: postgres_upgrade_required",
  },
  ...alike(
    ["invite", "deleteInvite", "authorize", "get", "list", "delete"].map((verb) => `jit.${verb}`),
    {
      status: 400,
      because: "it is not switched on",
      says: "Just-in-time access is not enabled",
    },
  ),
  {
    id: "jit.update",
    status: 400,
    because: "it is not switched on",
    body: { user_id: NOWHERE, roles: [] },
    says: "Just-in-time access is not enabled",
  },
  { id: "jit.acceptInvite", status: 400, because: "it is not switched on", body: invitation, says: "not enabled" },
  {
    id: "jit.acceptInvite",
    status: 404,
    because: "nobody was invited so",
    given: ENABLED,
    body: invitation,
    says: "Invitation not found",
  },
  {
    id: "jit.deleteInvite",
    status: 404,
    because: "there is no such invitation",
    given: ENABLED,
    says: "Invitation not found",
  },
  {
    id: "jit.update",
    status: 404,
    because: "there is no such user",
    given: ENABLED,
    body: { user_id: NOWHERE, roles: [] },
    says: "User not found",
  },
  ...alike(["jit.get", "jit.delete"], {
    status: 404,
    because: "the user was granted nothing",
    given: ENABLED,
    says: "Just-in-time access of this user not found",
  }),
  {
    id: "jit.authorize",
    status: 403,
    because: "the caller was not granted the role",
    given: ENABLED,
    says: "Not authorized to assume the role: it is not granted",
  },
  { id: "loginRole.create", status: 400, because: "it is not said whether it writes", body: {}, says: "read_only" },
];

export const ACCESS_REFUSALS: readonly Refusal[] = [...auth, ...providers, ...signingKeys, ...apiKeys, ...forAWhile];
