import { z } from "zod";
import { blank } from "../../fields.ts";
import { type Rule, ruled } from "../../rules.ts";
import { choice, commaList, flag, inverseFlag, words } from "../builders.ts";
import { group } from "../setting.ts";
import { hookSettings } from "./hooks.ts";
import { count, line, listItem, seconds } from "./limits.ts";
import { mailerSettings, smtpSettings } from "./mailer.ts";
import { providerSettings } from "./providers.ts";
import {
  captchaSettings,
  mfaSettings,
  passkeySettings,
  passwordSettings,
  rateLimitSettings,
  sessionSettings,
} from "./security.ts";
import { smsSettings } from "./sms.ts";

/**
 * spec.auth: how users sign in, grouped as people think of it and not as the API's one flat list (endpoints.md, "AuthConfig fields"). Ranges: facts.md
 * §2, auth PATCH.
 */

const partOfHundred: Rule<{ readonly unit?: string | undefined; readonly maxSize?: number | undefined }> = {
  cel: "!has(self.unit) || !has(self.maxSize) || self.unit != 'Percent' || self.maxSize <= 100",
  message: "write a maxSize of at most 100 where unit is Percent",
  fieldPath: ".maxSize",
  holds: ({ unit, maxSize }) => unit !== "Percent" || maxSize === undefined || maxSize <= 100,
};

const databasePool = ruled(
  z
    .object({
      maxSize: count("db_max_pool_size", "Most connections, in the unit."),
      unit: choice("db_max_pool_size_unit", "Connections, or Percent of the database's connections.", {
        Connections: "connections",
        Percent: "percent",
      }),
    })
    .describe("Connections to the database that the auth service keeps."),
  [partOfHundred],
);

function signIn(wire: string, description: string, what: string) {
  return group(description, { enabled: flag(`external_${wire}_enabled`, what) });
}

export const authSettings = z
  .object({
    siteUrl: words("site_url", "URL of the application: where users are sent where a request names no other place.", {
      max: 2048,
      pattern: `^[^,${blank}]+$`,
      message: "write one URL, without commas or blanks; further ones belong into uriAllowList",
    }),
    uriAllowList: commaList(
      "uri_allow_list",
      "Further URLs that users may be sent to; * stands for part of a segment, ** for any.",
      { max: 512, item: listItem("A URL or a pattern of URLs.") },
    ),
    jwtExpiry: seconds("jwt_exp", "How long an access token is valid.", "168h"),
    signupEnabled: inverseFlag("disable_signup", "Whether new users may sign up."),
    manualLinkingEnabled: flag(
      "security_manual_linking_enabled",
      "Whether users may link further identities to their account by themselves.",
    ),
    forwardedForEnabled: flag(
      "security_sb_forwarded_for_enabled",
      "Whether limits go by the address of the client that a trusted server forwards, and not by the server's own.",
    ),
    maxRequestDuration: seconds("api_max_request_duration", "Longest time that a request of the auth service takes."),
    databasePool: databasePool.optional(),
    email: signIn("email", "Sign-in by email.", "Whether users can sign in by email, with a password or a link."),
    phone: signIn(
      "phone",
      "Sign-in by phone.",
      "Whether users can sign in by phone. Messages are sent through sms.provider.",
    ),
    anonymous: signIn(
      "anonymous_users",
      "Anonymous sign-in.",
      "Whether there are users without email, phone or provider.",
    ),
    web3: group("Sign-in with wallets.", {
      solana: signIn("web3_solana", "Solana wallets.", "Whether users can sign in with a Solana wallet."),
      ethereum: signIn("web3_ethereum", "Ethereum wallets.", "Whether users can sign in with an Ethereum wallet."),
    }),
    saml: group("Single sign-on by SAML 2.0. Needs a plan that has it.", {
      enabled: flag("saml_enabled", "Whether identity providers can be added and used."),
      externalUrl: line("saml_external_url", "URL that identity providers know this project by."),
    }),
    providers: providerSettings,
    mailer: mailerSettings,
    smtp: smtpSettings,
    sms: smsSettings,
    mfa: mfaSettings,
    passkeys: passkeySettings,
    passwords: passwordSettings,
    rateLimits: rateLimitSettings,
    captcha: captchaSettings,
    sessions: sessionSettings,
    hooks: hookSettings,
    oauthServer: group("The project as an OAuth 2.1 server for other applications.", {
      enabled: flag("oauth_server_enabled", "Whether it is one."),
      allowDynamicRegistration: flag(
        "oauth_server_allow_dynamic_registration",
        "Whether clients may register by themselves.",
      ),
      authorizationPath: line(
        "oauth_server_authorization_path",
        "Path of the page where users consent, below siteUrl.",
      ),
      customProvidersEnabled: flag("custom_oauth_enabled", "Whether OAuth providers of one's own may be added."),
    }),
  })
  .describe(
    "How users sign in. What is not declared is left as it is. Secrets are read from Secrets of this namespace; a rotated one is written once.",
  );
