import { each, integer, LIST, OFF, SECRET, TEXT, text } from "./auth-config-field.ts";

/** AuthConfig: how users sign in. General settings, providers, hooks, the OAuth server (endpoints.md, "AuthConfig fields"). */

export const generalFields = {
  api_max_request_duration: integer(10),
  db_max_pool_size: integer(10),
  db_max_pool_size_unit: {
    type: "enum",
    nullable: "always",
    default: "connections",
    values: ["connections", "percent"],
  },
  disable_signup: OFF,
  site_url: {
    ...text("http://localhost:3000"),
    pattern: { regex: /^[^,]+$/, says: "one URL, without commas; further ones belong into uri_allow_list" },
  },
  jwt_exp: integer(3600, { max: 604_800 }),
  uri_allow_list: { ...LIST, default: "" },
  external_anonymous_users_enabled: OFF,
  external_email_enabled: OFF,
  external_phone_enabled: OFF,
  external_web3_solana_enabled: OFF,
  external_web3_ethereum_enabled: OFF,
  refresh_token_rotation_enabled: OFF,
  saml_enabled: OFF,
  saml_external_url: TEXT,
  saml_allow_encrypted_assertions: { type: "boolean", nullable: "answer", default: false, responseOnly: true },
} as const;

/** Every provider has `external_<name>_enabled`, `_client_id`, `_email_optional` and `_secret`. */
export const AUTH_PROVIDERS = [
  "apple",
  "azure",
  "bitbucket",
  "discord",
  "facebook",
  "figma",
  "github",
  "gitlab",
  "google",
  "kakao",
  "keycloak",
  "linkedin_oidc",
  "slack_oidc",
  "notion",
  "slack",
  "spotify",
  "twitch",
  "twitter",
  "x",
  "zoom",
] as const;

export const providerFields = {
  ...each("external_", AUTH_PROVIDERS, {
    _enabled: OFF,
    _client_id: TEXT,
    _email_optional: OFF,
    _secret: SECRET,
  }),
  /** folded into external_apple_client_id when it is read (facts.md §6.4) */
  external_apple_additional_client_ids: LIST,
  external_azure_url: TEXT,
  external_gitlab_url: TEXT,
  external_keycloak_url: TEXT,
  external_google_additional_client_ids: LIST,
  external_google_skip_nonce_check: OFF,
  external_workos_enabled: OFF,
  external_workos_client_id: TEXT,
  external_workos_secret: SECRET,
  external_workos_url: TEXT,
  nimbus_oauth_client_id: TEXT,
  nimbus_oauth_client_secret: SECRET,
  nimbus_oauth_email_optional: { type: "boolean", nullable: "answer", default: false, responseOnly: true },
} as const;

/** Every hook has `hook_<name>_enabled`, `_uri` and `_secrets`. */
export const AUTH_HOOKS = [
  "custom_access_token",
  "mfa_verification_attempt",
  "password_verification_attempt",
  "send_sms",
  "send_email",
  "before_user_created",
  "after_user_created",
] as const;

/** "hooks only on higher plans" (facts.md §5). */
const plans = ["pro", "team", "enterprise", "platform"] as const;

export const hookFields = each("hook_", AUTH_HOOKS, {
  _enabled: { ...OFF, plans },
  _uri: { ...TEXT, plans },
  _secrets: { ...SECRET, plans },
});

export const oauthServerFields = {
  oauth_server_enabled: { ...OFF, nullable: "request" },
  oauth_server_allow_dynamic_registration: { ...OFF, nullable: "request" },
  oauth_server_authorization_path: TEXT,
  custom_oauth_enabled: { ...OFF, nullable: "never" },
  custom_oauth_max_providers: { type: "integer", nullable: "never", default: 3, responseOnly: true },
} as const;
