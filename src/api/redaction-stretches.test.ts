import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanMessage } from "./redaction.ts";

const REF = "abcdefghijklmnopqrst";
const clean = (text: string, ...secrets: readonly string[]): string =>
  cleanMessage(text, { secrets, ids: [], names: [REF] });

const KEY = "q7Rk2vXw9LpZ4tNb8sYc3mHd";
const PEM = "-----BEGIN KEY-----\nMIIabcd1234567890abcdefgh\nQQQQ1234zzzz9999\n-----END KEY-----";
const HEX = "8d1f0a7be2c94f5566aa0913";

/** How a stretch may be written. */
const forms: Readonly<Record<string, (stretch: string) => string>> = {
  "as it is": (stretch) => stretch,
  "in capitals": (stretch) => stretch.toUpperCase(),
  "in base64": (stretch) => Buffer.from(stretch).toString("base64"),
  "in base64 behind something": (stretch) => Buffer.from(`user:${stretch}`).toString("base64"),
  "in hexadecimal": (stretch) => Buffer.from(stretch).toString("hex"),
  "in a URL": (stretch) => encodeURIComponent(stretch),
  "as JSON": (stretch) => JSON.stringify(stretch),
  "as numbers": (stretch) => Buffer.from(stretch).join(","),
};

describe("a stretch of an opaque secret", () => {
  it.each([
    { what: "its end", text: `value ...${KEY.slice(8)} is bad`, secret: KEY, shown: "value ...[redacted] is bad" },
    {
      what: "its middle",
      text: `value ..${KEY.slice(4, 20)}.. is bad`,
      secret: KEY,
      shown: "value ..[redacted].. is bad",
    },
    { what: "no more than twelve of it", text: `near "${KEY.slice(9, 21)}"`, secret: KEY, shown: 'near "[redacted]"' },
    { what: "the end of a line of a key", text: "near 7890abcdefgh.", secret: PEM, shown: "near [redacted]." },
    { what: "the end of what is hexadecimal", text: `near ${HEX.slice(-14)}`, secret: HEX, shown: "near [redacted]" },
    {
      what: "the end of a password in a URL",
      text: `near ..${KEY.slice(-13)}`,
      secret: `postgres://u:${KEY}@db.example.com/p`,
      shown: "near ..[redacted]",
    },
    {
      what: "another project's ref, which is drawn at random",
      text: "project zyxwvutsrqponmlkjihg is not found",
      secret: "db.zyxwvutsrqponmlkjihg.platform.example",
      shown: "project [redacted] is not found",
    },
    {
      what: "what stands on both sides of signs",
      text: `near ${KEY.slice(0, 6)}/${KEY.slice(6, 12)}`,
      secret: `Zz9/${KEY.slice(0, 6)}/${KEY.slice(6, 12)}=`,
      shown: "near [redacted]",
    },
    {
      what: "a key of twelve in a line",
      text: `near ${KEY.slice(0, 12)}`,
      secret: `Bearer ${KEY.slice(0, 12)}`,
      shown: "near [redacted]",
    },
    {
      what: "the end of a token in a URL in a line",
      text: `near ..${KEY.slice(-13)}`,
      secret: `send it to:https://hooks.example.com/services/${KEY}`,
      shown: "near ..[redacted]",
    },
  ])("is not told: $what", ({ text, secret, shown }) => {
    expect(clean(text, secret)).toBe(shown);
  });

  it.each([
    `{"client_secret":"${KEY}"}`,
    `{"a":"${KEY}"}`,
    `["${KEY}"]`,
    `{"a":"${KEY}`,
    `{${KEY}`,
    `[${KEY}`,
    `Bearer ${KEY}`,
    `Basic ${Buffer.from(`app:${KEY}`).toString("base64")}`,
    `password: ${KEY}\nuser: b`,
    `DB_PASSWORD="${KEY}"`,
    `export A="${KEY}"`,
    `a=${KEY}`,
    `aA=${KEY}`,
    `host=db.internal;p=${KEY}`,
    `host=db.internal;p=$${KEY}`,
    `host=db.internal,p=/${KEY}`,
    `user:${KEY}@db.internal`,
    `user:${KEY},https://db.internal`,
  ])("is not told, whatever stands around it: %s", (secret) => {
    const [opaque = ""] = new RegExp(`${KEY}|(?<=Basic )\\w+`).exec(secret) ?? [];
    for (const stretch of [opaque.slice(-16), opaque.slice(3, 18)]) {
      expect(clean(`near ..${stretch}..`, secret)).toBe("near ..[redacted]..");
    }
  });

  it.each([
    { what: "after a name that is shown", secret: "q7Rk2vXwUserZ4tNb8sYc3mA==" },
    { what: "once", secret: "q7Rk2vXwHostZ4tNb8sYc3mHdA=" },
    { what: "behind a sign", secret: "q7Rk2v,XwdatabaseA=" },
    { what: "after what could be the name of a key", secret: "kQwertyUiopasXdfghjKlz=" },
    { what: "in a line", secret: "it is q7Rk2vXwServerZ4tNb8sYc3mA== for now" },
    { what: "before a sign", secret: "q7Rk2vXwHostZ4tNb8sYc3mHdA=," },
    { what: "in a list", secret: "tokens q7Rk2vXwHostZ4tNb8sYc3mHdA=, more" },
    { what: "at the end of a clause", secret: "q7Rk2vXwHostZ4tNb8sYc3mHdA=;" },
    { what: "at the end of a sentence", secret: "it is q7Rk2vXwHostZ4tNb8sYc3mHdA=." },
    { what: "in brackets", secret: "(q7Rk2vXwHostZ4tNb8sYc3mHdA=)" },
    { what: "in a list without blanks", secret: "q7Rk2vXwHostZ4tNb8sYc3mHdA=,more" },
    { what: "before a closing quote", secret: 'q7Rk2vXwHostZ4tNb8sYc3mHdA="' },
    { what: "before a quote and a sign", secret: 'q7Rk2vXwHostZ4tNb8sYc3mHdA=",x' },
    { what: "before a suffix", secret: "q7Rk2vXwHostZ4tNb8sYc3mHdA=:v1" },
    { what: "behind a sign and before another", secret: "q7Rk2v,XwdatabaseA=," },
    { what: "after what could be the name of a key, and before a sign", secret: "kQwertyUiopasXdfghjKlz=," },
    { what: "after what could be the name of a key, in a list", secret: "kQwertyUiopasXdfghjKlz=,more" },
    { what: "after what could be the name of a key, in quotes", secret: 'kQwertyUiopasXdfghjKlz="' },
  ])("is not told where it ends as base64 does: $what", ({ secret }) => {
    const [opaque = ""] = /[^ =(]{14,}/.exec(secret) ?? [];
    expect(clean(`near ..${opaque.slice(2)}..`, secret)).toBe("near ..[redacted]..");
  });

  const stretches = fc
    .tuple(fc.stringMatching(/^1a[A-Za-z0-9+_!$-]{20,60}$/), fc.nat(), fc.integer({ min: 12, max: 60 }))
    .map(([secret, from, length]) => {
      const start = from % (secret.length - 11);
      return { secret, stretch: secret.slice(start, start + length) };
    });

  it.each(Object.entries(forms))("is not told, wherever in it: %s", (_, form) => {
    fc.assert(
      fc.property(stretches, ({ secret, stretch }) => {
        const written = form(stretch);
        expect(clean(`(${written})`, secret)).not.toContain(written.slice(2, -2));
      }),
    );
  });

  it("is taken out of what is made of words almost, which are told apart in one pass", () => {
    const secret = `${"A-Ab-".repeat(5000)}!`;
    expect(clean("near b-A-Ab-A-Ab-A!", secret)).toBe("near [redacted]");
  });

  it("is taken out of long texts, and of many and large secrets, whose every byte is looked at a few times", () => {
    const large = Array.from({ length: 40 }, (_, n) => `${KEY}${n}`.repeat(1000));
    expect(clean(`near ${KEY.slice(6)} ${"%41 ".repeat(1800)}`, ...large)).toMatch(/^(?:near )?\[redacted\]/);
  });

  it("would be looked for too long in many megabytes of them: nothing is told", () => {
    expect(clean("no such zone", `${KEY} `.repeat(400_000))).toBe("[redacted]");
    expect(clean("no zone", `${KEY} `.repeat(400_000))).toBe("no zone");
  });
});

describe("what an opaque secret shares with other text", () => {
  it.each([
    { why: "less than twelve of it", text: `near ${KEY.slice(10, 21)}`, secret: KEY },
    { why: "words", text: "the environment-name is unknown", secret: "production-environment-name" },
    { why: "one word", text: "not authenticated", secret: "unauthenticated" },
    {
      why: "what a URL has before its secret",
      text: "see hooks.example.com/services",
      secret: `https://hooks.example.com/services/${KEY}`,
    },
    {
      why: "the name of a pair",
      text: "OUR_DATABASE_PASSWORD is reserved",
      secret: `X=1\nMY_DATABASE_PASSWORD=${KEY}`,
    },
    {
      why: "the end of a sentence",
      text: "it ends with these very words",
      secret: "Number 1 ends with these very words",
    },
    {
      why: "the request's own ref, in a host",
      text: `project ${REF} is not found`,
      secret: `db.${REF}.platform.example`,
    },
    { why: "the request's own ref, in a user", text: `project ${REF} is not found`, secret: `postgres.${REF}` },
    { why: "the request's own ref, in a name", text: `project ${REF} is not found`, secret: `postgres-${REF}` },
    {
      why: "the request's own ref, in a URL",
      text: `project ${REF} is not found`,
      secret: `https://${REF}.platform.example/in/${KEY}`,
    },
    {
      why: "an address that is made of words",
      text: "user admin@example.com is not a member",
      secret: "smtp1-admin@example.com",
    },
    {
      why: "an address with a mark",
      text: "user smith+newsletter@example.com is not a member",
      secret: "j.smith+newsletter@example.com",
    },
    {
      why: "the name before a sign",
      text: "serviceAccountName is missing",
      secret: `export serviceAccountName=${KEY}`,
    },
    {
      why: "the name before a value in quotes",
      text: "serviceAccountName is missing",
      secret: `export serviceAccountName="${KEY}"`,
    },
    {
      why: "a host in quotes that its key says to be one",
      text: "ENOTFOUND db-x7f9k2m4n8q1.example.com",
      secret: `host="db-x7f9k2m4n8q1.example.com" password=${KEY}`,
    },
    {
      why: "a host that its key says to be one",
      text: "ENOTFOUND db-x7f9k2m4n8q1.example.com",
      secret: `host=db-x7f9k2m4n8q1.example.com password=${KEY}`,
    },
    { why: "numbers of a host", text: "no route to 10.20.30.40:54321", secret: `at 10.20.30.40:54321 with ${KEY}` },
  ])("is told: $why", ({ text, secret }) => {
    expect(clean(text, secret)).toBe(text);
  });

  it("is not told where that is all of a secret", () => {
    expect(clean(`project ${REF} is not found`, REF)).toBe("project [redacted] is not found");
  });
});
