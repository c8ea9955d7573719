import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import { type AuthConfig, type AuthConfigUpdate, authConfigSchema, authConfigUpdateSchema } from "./auth-config.ts";
import { authConfigFields, authConfigGroups, authConfigRows } from "./auth-config-fields.ts";
import { AUTH_NOTIFICATIONS } from "./auth-config-fields-messages.ts";
import { PASSWORD_CHARACTERS } from "./auth-config-fields-security.ts";
import { AUTH_HOOKS, AUTH_PROVIDERS } from "./auth-config-fields-sign-in.ts";
import { secretValues } from "./secret-fields.ts";

const CATALOGUE = readFileSync(new URL("../../../docs/contract/endpoints.md", import.meta.url), "utf8");

/** Field names as the catalogue's prose has them: "external_P_enabled" for each "P in: apple, …". */
function namesInCatalogue(): readonly string[] {
  const [, section = ""] = /\nAuthConfig fields[^\n]*\n(.*?)\n\n/s.exec(CATALOGUE) ?? [];
  const lists = new Map<string, readonly string[]>();
  const rest = section.replaceAll(/\b([A-Z]) in:? ([a-z0-9_, ]+)/g, (_, letter: string, list: string) => {
    lists.set(letter, list.trim().split(", "));
    return "";
  });
  const named = rest.match(/\b[a-z][a-z0-9]*(?:_[a-zA-Z0-9]+)+/g) ?? [];
  return named.flatMap((name) => {
    const [, letter = ""] = /_([A-Z])(?:_|$)/.exec(name) ?? [];
    const values = lists.get(letter);
    return values === undefined ? [name] : values.map((value) => name.replace(`_${letter}`, `_${value}`));
  });
}

const fresh: Readonly<Record<string, unknown>> = Object.fromEntries(
  authConfigRows.map(([name, field]) => [name, field.default]),
);

describe("the table of AuthConfig", () => {
  it("has the fields of the catalogue, 237 of them, and no other", () => {
    expect(authConfigRows).toHaveLength(237);
    expect(Object.keys(authConfigFields).toSorted()).toEqual(namesInCatalogue().toSorted());
    const grouped = Object.values(authConfigGroups).flatMap((group) => Object.keys(group));
    expect(grouped.toSorted()).toEqual(Object.keys(authConfigFields).toSorted());
  });

  it("has the same fields of every provider, hook and notification, which are listed once", () => {
    const [providers, hooks, notices] = [AUTH_PROVIDERS, AUTH_HOOKS, AUTH_NOTIFICATIONS];
    expect([providers.length, hooks.length, notices.length]).toEqual([20, 7, 7]);
    const listed = [
      ...providers.flatMap((name) =>
        ["enabled", "client_id", "email_optional", "secret"].map((part) => `external_${name}_${part}`),
      ),
      ...hooks.flatMap((name) => ["enabled", "uri", "secrets"].map((part) => `hook_${name}_${part}`)),
      ...notices.flatMap((name) => [
        `mailer_notifications_${name}_enabled`,
        `mailer_subjects_${name}_notification`,
        `mailer_templates_${name}_notification_content`,
      ]),
    ];
    expect(listed.filter((name) => !Object.hasOwn(authConfigFields, name))).toEqual([]);
  });

  it("has the facts' number of fields that an answer may leave null: 229", () => {
    const nullable = Object.entries(authConfigSchema.shape).filter(([, field]) => field.safeParse(null).success);
    expect(nullable).toHaveLength(229);
  });

  it("refuses in requests what the catalogue marks (resp), and takes all the rest", () => {
    const marked = ["saml_allow_encrypted_assertions", "nimbus_oauth_email_optional", "custom_oauth_max_providers"];
    const expected = Object.keys(authConfigFields).filter((name) => !marked.includes(name));
    expect(Object.keys(authConfigUpdateSchema.shape).toSorted()).toEqual(expected.toSorted());
  });

  it("lets a request unset every field but the four of the facts", () => {
    const firm = Object.entries(authConfigUpdateSchema.shape).filter(([, field]) => !field.safeParse(null).success);
    expect(firm.map(([name]) => name).toSorted()).toEqual([
      "custom_oauth_enabled",
      "mailer_otp_exp",
      "passkey_enabled",
      "sms_otp_length",
    ]);
  });

  it("has defaults that are an answer, and that a request may send", () => {
    expect(authConfigSchema.safeParse(fresh).error).toBeUndefined();
    const sendable = Object.keys(authConfigUpdateSchema.shape).filter((name) => fresh[name] !== null);
    const request = Object.fromEntries(sendable.map((name) => [name, fresh[name]]));
    expect(authConfigUpdateSchema.safeParse(request).error).toBeUndefined();
  });

  it("marks as secret what the facts name", () => {
    const named = (name: string): boolean =>
      /^external_.*_secret$|^hook_.*_secrets$/.test(name) ||
      [
        "smtp_pass",
        "security_captcha_secret",
        "nimbus_oauth_client_secret",
        "sms_messagebird_access_key",
        "sms_textlocal_api_key",
        "sms_twilio_auth_token",
        "sms_twilio_verify_auth_token",
        "sms_vonage_api_secret",
      ].includes(name);
    const marked = authConfigRows.filter(([, field]) => field.secret === true).map(([name]) => name);
    expect(marked).toEqual(Object.keys(authConfigFields).filter(named));
    expect(marked).toHaveLength(36);
    const body = Object.fromEntries(marked.map((name) => [name, `${name} value`]));
    expect(secretValues(authConfigUpdateSchema, body).toSorted()).toEqual(Object.values(body).toSorted());
  });
});

describe("a request to change AuthConfig", () => {
  const cases: readonly { readonly body: object; readonly says: string | null; readonly because: string }[] = [
    { body: {}, says: null, because: "any subset is one" },
    { body: { site_url: "https://shop.test" }, says: null, because: "one URL" },
    { body: { site_url: "https://a.test,https://b.test" }, says: "without commas", because: "two URLs" },
    { body: { jwt_exp: 0 }, says: null, because: "the smallest" },
    { body: { jwt_exp: 604_800 }, says: null, because: "the largest: a week" },
    { body: { jwt_exp: 604_801 }, says: "604800", because: "longer than a week" },
    { body: { jwt_exp: -1 }, says: ">=0", because: "negative" },
    { body: { jwt_exp: 1.5 }, says: "int", because: "no whole number" },
    { body: { password_min_length: 5 }, says: ">=6", because: "shorter than the service allows" },
    { body: { password_min_length: 32_768 }, says: "32767", because: "too long" },
    { body: { mailer_otp_length: 5 }, says: ">=6", because: "too short" },
    { body: { mailer_otp_length: 11 }, says: "<=10", because: "too long" },
    { body: { rate_limit_otp: 0 }, says: ">=1", because: "nothing would ever pass" },
    { body: { rate_limit_otp: 2_147_483_648 }, says: "2147483647", because: "more than the service counts" },
    { body: { smtp_port: "587" }, says: null, because: "a string of digits" },
    { body: { smtp_port: 587 }, says: 'such as "587"', because: "[K-17] a number is no string" },
    { body: { smtp_port: "65535" }, says: null, because: "the largest port" },
    ...["99999", "65536", "0", "00000", "1000000"].map((port) => ({
      body: { smtp_port: port },
      says: "a port from 1 to 65535",
      because: "digits that are none",
    })),
    { body: { smtp_port: "smtp" }, says: 'such as "587"', because: "a name of a service" },
    { body: { smtp_admin_email: "admin@shop.test" }, says: null, because: "an e-mail address" },
    { body: { smtp_admin_email: "admin" }, says: "e-mail", because: "no e-mail address" },
    { body: { sessions_timebox: 0.5 }, says: null, because: "a fraction is a number" },
    { body: { sessions_timebox: -1 }, says: ">=0", because: "negative" },
    {
      body: { sms_test_otp: "4915123456789=123456,4915123456788=1," },
      says: null,
      because: "pairs, a comma at the end",
    },
    { body: { sms_test_otp: "+4915123456789=123456" }, says: "phone=code", because: "a plus sign" },
    { body: { sms_test_otp: "1=" + "1".repeat(20_000) }, says: null, because: "long, and told at once" },
    { body: { sms_test_otp: "1=" + "1".repeat(20_000) + "x" }, says: "phone=code", because: "long and wrong" },
    { body: { sms_test_otp_valid_until: "2026-01-31T12:00:00+01:00" }, says: null, because: "a time" },
    { body: { sms_test_otp_valid_until: "tomorrow" }, says: "a time such as", because: "no time" },
    { body: { sms_provider: "twilio_verify" }, says: null, because: "one of the five" },
    { body: { sms_provider: "pigeon" }, says: "twilio", because: "none of them" },
    { body: { password_required_characters: "" }, says: null, because: "no class is asked for" },
    { body: { password_required_characters: "abc" }, says: "abcdefghijklmnopqrstuvwxyz", because: "no class string" },
    { body: { smtp_pass: null }, says: null, because: "null unsets" },
    { body: { mailer_otp_exp: null }, says: "number", because: "one of the four that cannot be unset" },
    { body: { custom_oauth_max_providers: 5 }, says: "custom_oauth_max_providers", because: "response-only" },
    { body: { site_ulr: "https://shop.test" }, says: "site_ulr", because: "no such field" },
  ];
  const saidOf = (body: object): string =>
    (authConfigUpdateSchema.safeParse(body).error?.issues ?? []).map(({ message }) => message).join("; ");

  it.each(cases.filter(({ says }) => says === null))("may be $body ($because)", ({ body }) => {
    expect(saidOf(body)).toBe("");
  });

  it.each(cases.filter(({ says }) => says !== null))("may not be $body: $says ($because)", ({ body, says }) => {
    expect(saidOf(body)).toContain(says);
  });

  it("takes the three class strings of a password and the empty one", () => {
    const values = Object.values(PASSWORD_CHARACTERS);
    expect(values.map((value) => value.length)).toEqual([0, 63, 64, 98]);
    expect(authConfigFields.password_required_characters.values).toEqual(values);
    for (const value of values) {
      expect(authConfigUpdateSchema.parse({ password_required_characters: value })).toEqual({
        password_required_characters: value,
      });
    }
  });

  it("is typed field by field", () => {
    expectTypeOf<AuthConfigUpdate["site_url"]>().toEqualTypeOf<string | null | undefined>();
    expectTypeOf<AuthConfigUpdate["external_slack_oidc_enabled"]>().toEqualTypeOf<boolean | null | undefined>();
    expectTypeOf<AuthConfigUpdate["sms_otp_length"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<AuthConfigUpdate["security_captcha_provider"]>().toEqualTypeOf<
      "turnstile" | "hcaptcha" | null | undefined
    >();
    expectTypeOf<AuthConfig["sms_otp_length"]>().toEqualTypeOf<number>();
    expectTypeOf<AuthConfig["hook_send_sms_secrets"]>().toEqualTypeOf<string | null>();
    // @ts-expect-error no such field
    const typo: AuthConfigUpdate = { site_ulr: "https://shop.test" };
    // @ts-expect-error response-only
    const closed: AuthConfigUpdate = { nimbus_oauth_email_optional: true };
    expect([typo, closed].map((body) => authConfigUpdateSchema.safeParse(body).success)).toEqual([false, false]);
  });
});

describe("an answer", () => {
  it("keeps fields and enum values that came later", () => {
    const later = { ...fresh, sms_provider: "pigeon", a_newer_field: 1 };
    expect(authConfigSchema.parse(later)).toMatchObject({ sms_provider: "pigeon", a_newer_field: 1 });
  });

  it("has every field", () => {
    const { site_url: _siteUrl, ...missing } = fresh;
    expect(authConfigSchema.safeParse(missing).error?.issues.map(({ path }) => path)).toEqual([["site_url"]]);
  });
});
