import { atApply, type BadCase, builtIn, duration, ruled, type Short } from "./bad-case.ts";
import type { Spec } from "./manifest.ts";

/** spec.auth that must be refused: what only the platform can know aside, a mistake is told of when it is applied. */

function auth(declared: Spec): Spec {
  return { auth: declared };
}

const oneUrl = "write one URL, without commas or blanks; further ones belong into uriAllowList";

const cases: readonly Short[] = [
  ["auth-site-url", "two URLs", auth({ siteUrl: "https://a.test,https://b.test" }), oneUrl],
  [
    "auth-list-item",
    "a list in an item",
    auth({ uriAllowList: ["https://a.test, https://b.test"] }),
    "write one item of the list",
  ],
  ["auth-jwt-expiry", "longer than a week", auth({ jwtExpiry: "169h" }), duration],
  ["auth-smtp-port-zero", "[K-17] no port", auth({ smtp: { port: 0 } }), "write a whole number of 1 to 65535"],
  ["auth-smtp-email", "no address", auth({ smtp: { adminEmail: "admin" } }), "write an email address such as"],
  [
    "auth-pool",
    "more than all of the connections",
    auth({ databasePool: { maxSize: 101, unit: "Percent" } }),
    "write a maxSize of at most 100 where unit is Percent",
  ],
  [
    "auth-apple",
    "further clients of Apple without the first",
    auth({ providers: { apple: { additionalClientIds: ["com.example.ios"] } } }),
    "declare clientId too where additionalClientIds is declared",
  ],
  [
    "auth-apple-list",
    "a list where one client belongs",
    auth({ providers: { apple: { clientId: "com.example.web,com.example.ios" } } }),
    "write one ID, without commas or blanks",
  ],
  [
    "auth-secret-name",
    "the name of a Secret in capitals",
    auth({ captcha: { secret: { secretKeyRef: { name: "CAPTCHA" } } } }),
    "write the metadata.name of a Secret of this namespace",
  ],
  [
    "auth-mail",
    "a mail from two places",
    auth({ mailer: { templates: { invite: { content: { inline: "a", configMapKeyRef: { name: "b", key: "c" } } } } } }),
    "set exactly one of inline and configMapKeyRef",
  ],
  [
    "auth-phone",
    "a plus sign",
    auth({ sms: { testOtp: [{ phone: "+4915123", code: "1" }] } }),
    "write the phone number as 1 to 15 digits in quotes",
  ],
  [
    "auth-moment",
    "a day",
    auth({ sms: { testOtpValidUntil: "2026-01-31" } }),
    "write a moment that there is, such as 2026-01-31T12:00:00Z",
  ],
  [
    "auth-month",
    "a month that there is not",
    auth({ sms: { testOtpValidUntil: "2026-13-31T12:00:00Z" } }),
    "write a moment that there is, such as 2026-01-31T12:00:00Z",
  ],
  [
    "auth-day",
    "a day that there is not",
    auth({ sms: { testOtpValidUntil: "2026-02-30T00:00:00Z" } }),
    "write a moment that there is, such as 2026-01-31T12:00:00Z",
  ],
  ["auth-port", "a port beyond all", auth({ smtp: { port: "70000" } }), "write a whole number of 1 to 65535"],
];

export const authCases: readonly BadCase[] = [
  ...ruled("Project", cases),
  ...ruled("Branch", cases.slice(0, 1)),
  ...builtIn("Project", [
    [
      "auth-smtp-port",
      "[K-17] the name of a service",
      auth({ smtp: { port: "smtp" } }),
      "spec.auth.smtp.port: Invalid value",
    ],
    [
      "auth-inline-secret",
      "a secret written out",
      auth({ smtp: { password: "hunter2" } }),
      "spec.auth.smtp.password: Invalid value",
      ".spec.auth.smtp.password: expected map",
    ],
    [
      "auth-provider",
      "[K-18] the characters spelled out",
      auth({ passwords: { requiredCharacters: "abc:123" } }),
      "spec.auth.passwords.requiredCharacters: Unsupported value",
    ],
    [
      "auth-otp-length",
      "a code too long",
      auth({ mailer: { otpLength: 11 } }),
      "spec.auth.mailer.otpLength: Invalid value",
    ],
  ]),
  ...atApply("Project", [
    [
      "auth-smtp-host",
      "a host with its port",
      auth({ smtp: { host: "smtp.example.com:587" } }),
      "write a host name such as smtp.example.com, or an IP address",
    ],
    [
      "auth-relying-party",
      "an origin in the place of a domain",
      auth({ passkeys: { relyingPartyId: "https://example.com" } }),
      "write a domain such as example.com, or localhost",
    ],
  ]),
];
