import type { AuthField, AuthFields } from "./auth-config-field.ts";
import { mailerFields, smsFields, smtpFields } from "./auth-config-fields-messages.ts";
import { mfaFields, passwordFields, rateLimitFields, securityFields } from "./auth-config-fields-security.ts";
import { generalFields, hookFields, oauthServerFields, providerFields } from "./auth-config-fields-sign-in.ts";

/**
 * AuthConfig as one table: every field that the service answers, by its name on the wire (endpoints.md, "AuthConfig fields"; constraints
 * and defaults of facts.md §1 to §4). Groups are those of the catalogue.
 */
export const authConfigFields = {
  ...generalFields,
  ...providerFields,
  ...hookFields,
  ...mailerFields,
  ...mfaFields,
  ...passwordFields,
  ...rateLimitFields,
  ...securityFields,
  ...smsFields,
  ...smtpFields,
  ...oauthServerFields,
} as const satisfies AuthFields;

export type AuthConfigFields = typeof authConfigFields;

/** The same rows by group. */
export const authConfigGroups = {
  general: generalFields,
  providers: providerFields,
  hooks: hookFields,
  mailer: mailerFields,
  mfa: mfaFields,
  passwords: passwordFields,
  rateLimits: rateLimitFields,
  security: securityFields,
  sms: smsFields,
  smtp: smtpFields,
  oauthServer: oauthServerFields,
} as const satisfies Readonly<Record<string, AuthFields>>;

/** Every row with its name, for those who walk through the table. */
export const authConfigRows: readonly (readonly [name: string, field: AuthField])[] =
  Object.entries<AuthField>(authConfigFields);
