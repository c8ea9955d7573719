import { INT4_MAX, integer, LIST, NAME, OFF, SECRET, TEXT, text } from "./auth-config-field.ts";

/** AuthConfig: what keeps accounts safe. MFA, passwords, rate limits, sessions (endpoints.md, "AuthConfig fields"). */

export const mfaFields = {
  mfa_max_enrolled_factors: integer(10),
  mfa_totp_enroll_enabled: OFF,
  mfa_totp_verify_enabled: OFF,
  mfa_phone_enroll_enabled: OFF,
  mfa_phone_verify_enabled: OFF,
  mfa_web_authn_enroll_enabled: OFF,
  mfa_web_authn_verify_enabled: OFF,
  passkey_enabled: { ...OFF, nullable: "never" },
  mfa_phone_otp_length: { ...integer(6), nullable: "request" },
  mfa_phone_max_frequency: integer(5),
  mfa_phone_template: text("Your code is {{ .Code }}"),
  webauthn_rp_display_name: TEXT,
  webauthn_rp_id: NAME,
  webauthn_rp_origins: LIST,
} as const;

/** What password_required_characters may be on the wire: classes with colons between them, or nothing. */
export const PASSWORD_CHARACTERS = {
  none: "",
  lettersDigits: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
  lowerUpperDigits: "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
  lowerUpperDigitsSymbols:
    "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789:!@#$%^&*()_+-=[]{};'\\\\:\"|<>?,./`~",
} as const;

export const passwordFields = {
  password_hibp_enabled: OFF,
  password_min_length: integer(6, { min: 6, max: 32_767 }),
  password_required_characters: {
    type: "enum",
    nullable: "always",
    default: PASSWORD_CHARACTERS.none,
    values: [
      PASSWORD_CHARACTERS.none,
      PASSWORD_CHARACTERS.lettersDigits,
      PASSWORD_CHARACTERS.lowerUpperDigits,
      PASSWORD_CHARACTERS.lowerUpperDigitsSymbols,
    ],
  },
} as const;

const rateLimit = (initial: number) => integer(initial, { min: 1, max: INT4_MAX });

export const rateLimitFields = {
  rate_limit_anonymous_users: rateLimit(30),
  /** only where the project has an SMTP server of its own (facts.md §5) */
  rate_limit_email_sent: rateLimit(30),
  rate_limit_sms_sent: rateLimit(30),
  rate_limit_token_refresh: rateLimit(150),
  rate_limit_verify: rateLimit(30),
  rate_limit_otp: rateLimit(30),
  rate_limit_web3: rateLimit(30),
} as const;

export const securityFields = {
  security_sb_forwarded_for_enabled: OFF,
  security_captcha_enabled: OFF,
  security_manual_linking_enabled: OFF,
  security_update_password_require_reauthentication: OFF,
  security_captcha_provider: { type: "enum", nullable: "always", default: null, values: ["turnstile", "hcaptcha"] },
  security_captcha_secret: SECRET,
  security_refresh_token_reuse_interval: integer(10),
  sessions_timebox: { type: "number", nullable: "always", default: 0, min: 0 },
  sessions_inactivity_timeout: { type: "number", nullable: "always", default: 0, min: 0 },
  sessions_single_per_user: OFF,
  sessions_tags: LIST,
} as const;
