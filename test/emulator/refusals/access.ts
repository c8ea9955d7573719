import { REF } from "../../support/emulator/every-call.ts";
import { type Refusal, alike, allOfThem, asked, NOWHERE, onPlan, PROJECT } from "../../support/emulator/refusal.ts";

/** Who gets into a project: the auth configuration, identity providers, and people for a while. */

const AUTH = `${PROJECT}/config/auth`;

const auth: readonly Refusal[] = [
  {
    id: "authConfig.update",
    status: 400,
    because: "a password has six characters",
    body: { password_min_length: 5 },
    says: "password_min_length: Too small: expected number to be >=6, received '5'",
  },
  {
    id: "authConfig.update",
    status: 401,
    of: ["auth PATCH rate_limit_email_sent without SMTP"],
    because: "mail goes out by the platform's own server, whose rate is its own",
    body: { rate_limit_email_sent: 10 },
    says: "Custom SMTP required to set rate_limit_email_sent. Missing: smtp_admin_email, smtp_host, smtp_port, smtp_user, smtp_pass",
  },
  {
    id: "authConfig.update",
    status: 402,
    of: ["auth PATCH echoing plan-gated hook fields"],
    because: "the plan has no hooks",
    given: onPlan("free"),
    body: { hook_send_sms_enabled: true },
    says: "Hooks are only available on higher plans than free: hook_send_sms_enabled",
  },
  {
    id: "authConfig.update",
    status: 402,
    of: ["auth PATCH echoing plan-gated hook fields"],
    because: "what a read says of hooks is sent back",
    given: onPlan("free"),
    body: { site_url: "https://shop.test", hook_send_sms_enabled: false, hook_send_sms_uri: null },
    says: "Hooks are only available on higher plans than free: hook_send_sms_enabled, hook_send_sms_uri",
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
    says: "An SSO Identity Provider with the entity ID 'https://idp.example.test/metadata' already exists",
  },
  {
    id: "ssoProviders.update",
    status: 400,
    because: "another provider has the domain",
    given: allOfThem(asked("POST", `${AUTH}/sso/providers`, provider({ domains: ["a.test"] })), anotherProvider),
    body: { domains: ["a.test"] },
    says: /^SSO Domain 'a\.test' is already assigned to an SSO Identity Provider \([0-9a-f-]{36}\)$/,
  },
  ...alike(oneProvider, {
    status: 404,
    of: ["SSO provider unknown"],
    because: "the project has no such provider",
    says: "SSO Identity Provider not found",
  }),
  ...alike(["ssoProviders.create", "ssoProviders.list", ...oneProvider], {
    status: 404,
    of: ["SSO provider unknown", "SSO provider operations, realtime shutdown, backup schedule read/update"],
    because: "SAML was switched off",
    given: asked("PATCH", AUTH, { saml_enabled: false }),
    says: "SAML 2.0 support is not enabled for this project",
  }),
  {
    id: "thirdPartyAuth.create",
    status: 400,
    because: "what is sent is no key set",
    body: { custom_jwks: { keys: [{}] } },
    says: 'custom_jwks: expected a JSON Web Key Set, {"keys": [{"kty": …}]}',
  },
  ...alike(["thirdPartyAuth.get", "thirdPartyAuth.delete"], {
    status: 404,
    because: "the project trusts no such issuer",
    says: "Third-party auth integration not found",
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
    says: "Just-in-time access is unavailable: postgres_upgrade_required",
  },
  ...alike(
    ["invite", "deleteInvite", "authorize", "get", "list", "delete"].map((verb) => `jit.${verb}`),
    {
      status: 400,
      because: "it is not switched on",
      says: "Just-in-time access is not enabled for the project; it is switched on by PUT …/jit-access",
    },
  ),
  {
    id: "jit.update",
    status: 400,
    because: "it is not switched on",
    body: { user_id: NOWHERE, roles: [] },
    says: "Just-in-time access is not enabled for the project; it is switched on by PUT …/jit-access",
  },
  {
    id: "jit.acceptInvite",
    status: 400,
    because: "it is not switched on",
    body: invitation,
    says: "Just-in-time access is not enabled for the project; it is switched on by PUT …/jit-access",
  },
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
    status: 400,
    of: ["JitUser: {user_id uuid string"],
    because: "nobody has such an id",
    given: ENABLED,
    body: { user_id: "eve", roles: [] },
    says: "user_id: a user's id is a uuid, received 'eve'",
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
  {
    id: "loginRole.create",
    status: 400,
    because: "it is not said whether it writes",
    body: {},
    says: "read_only: Invalid input: expected true or false, received undefined",
  },
];

export const ACCESS_REFUSALS: readonly Refusal[] = [...auth, ...providers, ...forAWhile];
