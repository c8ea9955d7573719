import { amount, choice, commaList, flag, integer } from "../builders.ts";
import { host, hostName } from "../hosts.ts";
import { secret } from "../references.ts";
import { group } from "../setting.ts";
import { count, line, listItem, rate, seconds, wording } from "./limits.ts";

/** What keeps accounts safe: second factors, passkeys, passwords, limits, sessions. */

function factor(wire: string, description: string) {
  return {
    enrollEnabled: flag(`mfa_${wire}_enroll_enabled`, `Whether ${description} can be enrolled.`),
    verifyEnabled: flag(`mfa_${wire}_verify_enabled`, `Whether ${description} that is enrolled can be used.`),
  };
}

export const mfaSettings = group("Second factors.", {
  maxEnrolledFactors: count("mfa_max_enrolled_factors", "Most factors of one user."),
  totp: group("Codes of an authenticator app.", factor("totp", "an authenticator app")),
  phone: group("Codes in text messages. Needs the add-on for it.", {
    ...factor("phone", "a phone"),
    otpLength: count("mfa_phone_otp_length", "Digits of a code."),
    maxFrequency: seconds("mfa_phone_max_frequency", "Least time between two messages to one number."),
    template: wording("mfa_phone_template", "The message: a Go template, in which {{ .Code }} stands for the code."),
  }),
  webAuthn: group("Security keys. Needs the add-on for it.", factor("web_authn", "a security key")),
});

export const passkeySettings = group(
  "Sign-in with passkeys, and the party that passkeys and security keys are made for.",
  {
    enabled: flag("passkey_enabled", "Whether users can sign in with passkeys."),
    relyingPartyId: host("webauthn_rp_id", "Domain that they are bound to, as example.com.", {
      form: hostName,
      message: "write a domain such as example.com, or localhost, without scheme, port or path",
    }),
    relyingPartyDisplayName: line("webauthn_rp_display_name", "Name that users are shown."),
    relyingPartyOrigins: commaList(
      "webauthn_rp_origins",
      "Origins that they may be used from, as https://app.example.com.",
      {
        max: 64,
        item: listItem("An origin."),
      },
    ),
  },
);

/** K-18: what the API spells out as the characters of each class, with colons between the classes. */
const characterClasses = {
  None: "",
  LettersDigits: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
  LowerUpperDigits: "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789",
  LowerUpperDigitsSymbols:
    "abcdefghijklmnopqrstuvwxyz:ABCDEFGHIJKLMNOPQRSTUVWXYZ:0123456789:!@#$%^&*()_+-=[]{};'\\\\:\"|<>?,./`~",
};

export const passwordSettings = group("Passwords of users.", {
  minLength: integer("password_min_length", "Fewest characters.", { min: 6, max: 32_767 }),
  requiredCharacters: choice(
    "password_required_characters",
    "Kinds of characters that a password must have, one of each.",
    characterClasses,
  ),
  leakedPasswordProtectionEnabled: flag(
    "password_hibp_enabled",
    "Whether passwords are refused that are known from leaks (haveibeenpwned.com).",
  ),
  reauthenticationRequired: flag(
    "security_update_password_require_reauthentication",
    "Whether a change of password needs a recent sign-in or a code.",
  ),
});

export const rateLimitSettings = group(
  "How often something may happen. The platform says per what time, most per hour.",
  {
    anonymousUsers: rate("rate_limit_anonymous_users", "Anonymous sign-ins of one address."),
    emailSent: rate("rate_limit_email_sent", "Mails of the project. Only with a mail server of one's own (smtp)."),
    smsSent: rate("rate_limit_sms_sent", "Text messages of the project."),
    tokenRefresh: rate("rate_limit_token_refresh", "Refreshed sessions of one address."),
    verify: rate("rate_limit_verify", "Checks of codes and links of one address."),
    otp: rate("rate_limit_otp", "Codes and links that one address asks for."),
    web3: rate("rate_limit_web3", "Sign-ins with wallets of one address."),
  },
);

export const captchaSettings = group("A captcha before sign-up, sign-in and recovery.", {
  enabled: flag("security_captcha_enabled", "Whether requests need the token of a solved captcha."),
  provider: choice("security_captcha_provider", "Whose captcha it is.", {
    None: null,
    Turnstile: "turnstile",
    Hcaptcha: "hcaptcha",
  }),
  secret: secret("security_captcha_secret", "Secret key of the captcha's account.", "secret"),
});

/** The contract has numbers here and no unit: a duration would be one only by guessing, and a wrong guess signs everybody out, or nobody. */
export const sessionSettings = group("Sessions of users.", {
  timebox: amount(
    "sessions_timebox",
    "Longest time that a session lasts, a number in the unit of the platform's settings, which its API does not tell; 0 is for ever.",
  ),
  inactivityTimeout: amount(
    "sessions_inactivity_timeout",
    "Longest time that a session is unused, a number in the unit of the platform's settings, which its API does not tell; 0 is for ever.",
  ),
  singlePerUser: flag("sessions_single_per_user", "Whether a user has one session at a time."),
  tags: commaList("sessions_tags", "Kinds of sessions, each counted by itself where a user has one at a time.", {
    max: 64,
    item: listItem("A tag."),
  }),
  refreshTokenRotationEnabled: flag(
    "refresh_token_rotation_enabled",
    "Whether a refresh token is used once, and its second use ends the session.",
  ),
  refreshTokenReuseInterval: seconds(
    "security_refresh_token_reuse_interval",
    "How long a refresh token may be used again after its first use, for requests that cross.",
  ),
});
