import { describe, expect, it } from "vitest";
import { z } from "zod";
import { declaredSettings } from "../../../test/support/sections/declared.ts";
import type { AuthField } from "../../api/contract/auth-config-field.ts";
import { authConfigFields, authConfigRows } from "../../api/contract/auth-config-fields.ts";
import { PASSWORD_CHARACTERS } from "../../api/contract/auth-config-fields-security.ts";
import { authSettings } from "../../resources/settings/auth/auth.ts";
import type { Wire } from "../../resources/settings/setting.ts";
import { authSection } from "./auth.ts";

const FIELDS: Readonly<Record<string, AuthField>> = authConfigFields;
const settings = declaredSettings(authSettings);
const accepted = (declared: object): boolean => authSettings.safeParse(declared).success;

function settingAt(path: string): (typeof settings)[number] {
  const found = settings.find((one) => one.path === path);
  if (found === undefined) throw new RangeError(path);
  return found;
}

describe("the settings of auth", () => {
  it("are the fields that a request may carry, each once, none more", () => {
    const taken = authConfigRows.filter(([, { responseOnly }]) => responseOnly !== true).map(([name]) => name);
    expect(taken).toHaveLength(234);
    expect(settings.map(({ wire }) => wire).toSorted()).toEqual(taken.toSorted());
  });

  it("that hang on a plan name the plans that have them", () => {
    const plans = new Set(authConfigRows.flatMap(([, field]) => field.plans?.join(", ") ?? []));
    expect(plans.size).toBe(1);
    for (const named of plans) expect(authSection.needs).toContain(`hooks: a plan of ${named};`);
  });

  it("are read from Secrets where the contract says secret, and nowhere else", () => {
    const secret = settings.filter(({ source }) => source === "secret").map(({ wire }) => wire);
    const marked = authConfigRows.filter(([, field]) => field.secret === true).map(([name]) => name);
    expect(secret.toSorted()).toEqual(marked.toSorted());
  });

  it("take all numbers that the contract takes, and no other", () => {
    const numbers = settings.filter(
      ({ wire, schema }) => FIELDS[wire]?.type === "integer" && schema.safeParse(6).success,
    );
    expect(numbers.length).toBeGreaterThan(10);
    for (const { wire, schema, path } of numbers) {
      const { min = 0, max = Infinity } = FIELDS[wire] ?? {};
      const verdicts = [min, max, min - 1, max + 1].map((value) => schema.safeParse(value).success);
      expect([path, ...verdicts]).toEqual([path, true, true, false, false]);
    }
  });

  it("have a word for each of the words that the contract knows, and for no other", () => {
    const choices = authConfigRows.filter(([, { type }]) => type === "enum");
    expect(choices).toHaveLength(4);
    for (const [wire, { values = [] }] of choices) {
      const setting = settings.find((one) => one.wire === wire);
      const { enum: names = {} } = (setting?.schema ?? {}) as { readonly enum?: Readonly<Record<string, string>> };
      const given = Object.keys(names).map((name) => setting?.encode(name));
      const sent = given.filter((one) => one !== null).map(String); // null is no word of the contract's (every-null.test.ts)
      expect([wire, ...sent.toSorted()]).toEqual([wire, ...values.toSorted()]);
    }
  });
});

interface Sent {
  readonly path: string;
  readonly declared: unknown;
  readonly wire: Wire;
  readonly because: string;
}

const sent: readonly Sent[] = [
  { path: "jwtExpiry", declared: "1h", wire: 3600, because: "seconds" },
  { path: "jwtExpiry", declared: "168h", wire: 604_800, because: "the longest" },
  { path: "mailer.otpExpiry", declared: "1h30m", wire: 5400, because: "seconds" },
  { path: "sms.maxFrequency", declared: "5s", wire: 5, because: "seconds" },
  { path: "sessions.timebox", declared: 0.5, wire: 0.5, because: "the contract tells no unit" },
  { path: "signupEnabled", declared: true, wire: false, because: "the API has the opposite" },
  { path: "signupEnabled", declared: false, wire: true, because: "the API has the opposite" },
  { path: "smtp.port", declared: 587, wire: "587", because: "[K-17] text on the wire" },
  { path: "smtp.port", declared: "587", wire: "587", because: "[K-17] written as text" },
  { path: "passwords.requiredCharacters", declared: "None", wire: "", because: "[K-18]" },
  {
    path: "passwords.requiredCharacters",
    declared: "LettersDigits",
    wire: PASSWORD_CHARACTERS.lettersDigits,
    because: "[K-18]",
  },
  {
    path: "passwords.requiredCharacters",
    declared: "LowerUpperDigits",
    wire: PASSWORD_CHARACTERS.lowerUpperDigits,
    because: "[K-18]",
  },
  {
    path: "passwords.requiredCharacters",
    declared: "LowerUpperDigitsSymbols",
    wire: PASSWORD_CHARACTERS.lowerUpperDigitsSymbols,
    because: "[K-18]",
  },
  {
    path: "uriAllowList",
    declared: ["https://a.test", "https://b.test/*"],
    wire: "https://a.test,https://b.test/*",
    because: "commas",
  },
  { path: "uriAllowList", declared: [], wire: null, because: "none" },
  {
    path: "sms.testOtp",
    declared: [
      { phone: "4915123456789", code: "123456" },
      { phone: "4915123456788", code: "654321" },
    ],
    wire: "4915123456789=123456,4915123456788=654321",
    because: "pairs",
  },
  { path: "saml.externalUrl", declared: "", wire: null, because: "the empty text unsets" },
  { path: "smtp.host", declared: "", wire: null, because: "the empty text unsets" },
];

describe("a declared value", () => {
  it.each(sent)("of $path, $declared, is sent as $wire ($because)", ({ path, declared, wire }) => {
    const setting = settingAt(path);
    expect(setting.encode(declared)).toBe(wire);
    expect(setting.isSame(wire, wire)).toBe(true);
  });

  const same: readonly (readonly [path: string, wanted: Wire, observed: unknown])[] = [
    ["uriAllowList", "https://a.test,https://b.test", "https://b.test, https://a.test"],
    ["uriAllowList", null, ""],
    ["sms.testOtp", "1=2,3=4", "3=4,1=2,"],
    ["sms.testOtpValidUntil", "2026-01-31T12:00:00Z", "2026-01-31T13:00:00.000+01:00"],
    ["smtp.host", "Mail.Example.com", " mail.example.com"],
    ["smtp.host", null, null],
    ["passkeys.relyingPartyId", "Example.com", "example.com"],
    ["smtp.port", "587", 587],
    ["sessions.timebox", 0.1, Math.fround(0.1)],
    ["saml.externalUrl", null, ""],
    ["mailer.templates.invite.content", "<p>\n</p>\n", "<p>\r\n</p>"],
  ];
  it.each(same)("of %s, %s, is in force where %s is answered", (path, wanted, observed) => {
    expect(settingAt(path).isSame(wanted, observed)).toBe(true);
  });

  const different: typeof same = [
    ["uriAllowList", "https://a.test", "https://a.test,https://b.test"],
    ["sms.testOtpValidUntil", "2026-01-31T12:00:00Z", null],
    ["smtp.port", "587", "465"],
    ["smtp.host", "a.example.com", "b.example.com"],
    ["smtp.host", "a.example.com", null],
    ["jwtExpiry", 3600, null],
    ["providers.github.clientId", "a", "A"],
  ];
  it.each(different)("of %s, %s, is not in force where %s is answered", (path, wanted, observed) => {
    expect(settingAt(path).isSame(wanted, observed)).toBe(false);
  });
});

describe("at apply, by the form of the definitions", () => {
  const taken = (path: string, value: string): boolean => {
    const { pattern } = z.object({ pattern: z.string() }).parse(settingAt(path).schema.meta());
    return new RegExp(pattern).test(value);
  };

  it.each([
    "smtp.example.com:587",
    "smtp://smtp.example.com",
    "a.example.com, b.example.com",
    " smtp.example.com",
    "256.0.0.1",
    "smtp-.example.com",
    "smtp.example.com..",
    ".",
    "203.0.113.7.",
    "::ffff:256.0.0.1",
    "ab:203.0.113.7",
  ])("refused is what is no host of a mail server: %j", (host) => expect(taken("smtp.host", host)).toBe(false));

  it.each([
    "smtp.example.com",
    "SMTP.Example.com",
    "3com.example.co",
    "mail",
    "smtp.example.com.",
    "smtp_relay.internal",
    "_smtp.mail_out",
    "203.0.113.7",
    "2001:db8::25",
    "::1",
    "::ffff:203.0.113.7",
    "64:ff9b::203.0.113.7",
    "",
  ])("taken is a host of a mail server that there can be: %j", (host) => expect(taken("smtp.host", host)).toBe(true));

  it.each(["https://example.com", "localhost:3000", "203.0.113.7", "example.com.", "login_a.example.com"])(
    "refused is what is no domain of a relying party: %j",
    (domain) => expect(taken("passkeys.relyingPartyId", domain)).toBe(false),
  );

  it.each(["example.com", "login.Example.com", "localhost", "xn--bcher-kva.example", ""])(
    "taken is a domain of a relying party that there can be: %j",
    (domain) => expect(taken("passkeys.relyingPartyId", domain)).toBe(true),
  );
});

describe("refused", () => {
  const bad: readonly (readonly [because: string, declared: object])[] = [
    ["two URLs", { siteUrl: "https://a.test,https://b.test" }],
    ["longer than a week", { jwtExpiry: "169h" }],
    ["no port", { smtp: { port: 70_000 } }],
    ["no port", { smtp: { port: "smtp" } }],
    ["no address", { smtp: { adminEmail: "admin" } }],
    ["a host of too many characters", { smtp: { host: `${"a.".repeat(126)}com` } }],
    ["a relying party of too many characters", { passkeys: { relyingPartyId: `${"a.".repeat(126)}com` } }],
    ["more than all", { databasePool: { unit: "Percent", maxSize: 101 } }],
    ["further clients of Apple without the first", { providers: { apple: { additionalClientIds: ["b"] } } }],
    ["a plus sign", { sms: { testOtp: [{ phone: "+49151", code: "1" }] } }],
    ["no moment", { sms: { testOtpValidUntil: "2026-13-01T00:00:00Z" } }],
    [
      "a mail from two places",
      { mailer: { templates: { invite: { content: { inline: "a", configMapKeyRef: { name: "b", key: "c" } } } } } },
    ],
    ["a text where the platform would put its own", { mailer: { templates: { invite: { subject: "" } } } }],
  ];
  it.each(bad)("is %s: %j", (_because, declared) => {
    expect(accepted(declared)).toBe(false);
  });

  it("is no host that the platform takes, where it is stored already", () => {
    const stored = { smtp: { host: "smtp.example.com:587" }, passkeys: { relyingPartyId: "https://example.com" } };
    expect(accepted(stored)).toBe(true);
    expect(settingAt("smtp.host").encode(stored.smtp.host)).toBe(stored.smtp.host);
  });

  it("is nothing of what those are meant to be", () => {
    expect(
      accepted({
        siteUrl: "https://a.test",
        jwtExpiry: "168h",
        smtp: { port: "587", adminEmail: "a.b'c+d@mail.test" },
      }),
    ).toBe(true);
    expect(accepted({ databasePool: { unit: "Connections", maxSize: 101 } })).toBe(true);
  });
});
