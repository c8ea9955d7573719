import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { cleanMessage } from "./redaction.ts";

const nothing = { secrets: [], ids: [] };

describe("what is left out of a message", () => {
  const cases: readonly {
    readonly why: string;
    readonly text: string;
    readonly secrets?: readonly string[];
    readonly ids?: readonly string[];
    readonly clean: string;
  }[] = [
    { why: "a plain message stays", text: "Project not found", clean: "Project not found" },
    { why: "a secret", text: "bad: hunter2hunter2!", secrets: ["hunter2hunter2"], clean: "bad: [redacted]!" },
    { why: "every one of its places", text: "abcdef abcdef", secrets: ["abcdef"], clean: "[redacted] [redacted]" },
    {
      why: "a secret that the server cut",
      text: "bad: hunter2hun…",
      secrets: ["hunter2hunter2"],
      clean: "bad: [redacted]",
    },
    {
      why: "a secret quoted as JSON",
      text: String.raw`got "a\"b\\cdef"`,
      secrets: [String.raw`a"b\cdef`],
      clean: 'got "[redacted]"',
    },
    { why: "a secret encoded for a URL", text: "at ?p=a%2Fb%20c", secrets: ["a/b c"], clean: "at ?p=[redacted]" },
    { why: "a short secret, as a word", text: "value 42 of 142", secrets: ["42"], clean: "value [redacted] of 142" },
    {
      why: "the longer of two secrets first",
      text: "pass1234word",
      secrets: ["pass1234", "pass1234word"],
      clean: "[redacted]",
    },
    { why: "an id that the answer told", text: "failed (e-77x)", ids: ["e-77x"], clean: "failed ()" },
    { why: "a labelled request id", text: "internal error (request id: 8f2c-11) retry", clean: "internal error retry" },
    { why: "other labels", text: "oops, traceId=abc123 and error event id 9", clean: "oops, and" },
    { why: "not the words alone", text: "event id is required", clean: "event id is required" },
    { why: "timestamps", text: "down since 2026-01-02T03:04:05.678Z, sorry", clean: "down since , sorry" },
    { why: "control characters and line breaks", text: "a\u0000b\r\nc\u2028d\u001b[31m", clean: "a b c d [31m" },
  ];
  test.each(cases)("$why", ({ text, secrets = [], ids = [], clean }) => {
    expect(cleanMessage(text, { secrets, ids })).toBe(clean);
  });

  test("what is beyond 256 characters", () => {
    expect(cleanMessage("x".repeat(256), nothing)).toHaveLength(256);
    expect(cleanMessage("x".repeat(1000), nothing)).toBe(`${"x".repeat(255)}…`);
    expect(cleanMessage("😀".repeat(200), nothing).isWellFormed()).toBe(true);
  });

  test("what is beyond eight thousand, unread: a hostile server's megabytes cost as little as any message", () => {
    for (const unit of ["reqid:", "request-id:.", "abcdefgh"]) {
      const read = cleanMessage(unit.repeat(8192), { ...nothing, secrets: ["abcdefghijk"] });
      const megabytes = cleanMessage(unit.repeat(600_000), { ...nothing, secrets: ["abcdefghijk"] });
      expect(megabytes).toBe(read);
    }
  });

  test("nothing where there is no text, for which no secret is looked at", () => {
    const unseen = {
      ids: [],
      get secrets(): readonly string[] {
        throw new Error("looked at");
      },
    };
    expect(cleanMessage("", unseen)).toBe("");
  });

  test("a secret that straddles what is read, though all before it is taken out", () => {
    const text = `${" ".repeat(8192 - 5)}hunter2`;
    expect(cleanMessage(text, { ...nothing, secrets: ["hunter2"] })).toBe("");
  });

  test("a secret with half of a surrogate pair, which has no form in a URL", () => {
    const secret = "\ud800hunter2hunter2";
    expect(cleanMessage(`not ${secret}!`, { ...nothing, secrets: [secret] })).toBe("not [redacted]!");
  });

  test("a secret that would straddle the cut", () => {
    const text = `${"x".repeat(250)}hunter2hunter2`;
    expect(cleanMessage(text, { ...nothing, secrets: ["hunter2hunter2"] })).not.toContain("hunt");
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

describe("a secret in the words of a server", () => {
  const hex = "0f1e".repeat(16);
  const pem = "-----BEGIN KEY-----\nMIIEvQIBADANBgkq\r\n  hkiG9w0BAQEFAASC\n-----END KEY-----\n";
  it.each([
    { form: "in capitals, where it is hexadecimal", secret: hex, quoted: hex.toUpperCase() },
    { form: "in base64, where it is hexadecimal", secret: hex, quoted: Buffer.from(hex, "hex").toString("base64") },
    { form: "in base64", secret: "sësame-open", quoted: Buffer.from("sësame-open").toString("base64") },
    { form: "in base64 for URLs", secret: "~~~???~~~", quoted: Buffer.from("~~~???~~~").toString("base64url") },
    { form: "its bytes in hexadecimal", secret: "open", quoted: "6F70656E" },
    { form: "without the end of line of its file", secret: "hunter2\n", quoted: "hunter2" },
    { form: "without the blanks around it", secret: "\t secret1 \r\n", quoted: "secret1" },
    { form: "a later line of several", secret: pem, quoted: "hkiG9w0BAQEFAASC" },
    { form: "a later line in base64", secret: pem, quoted: Buffer.from("MIIEvQIBADANBgkq").toString("base64") },
    { form: "in HTML", secret: "Pa<ss&word>1", quoted: "Pa&lt;ss&amp;word&gt;1" },
    { form: "in HTML with a quote as a name", secret: `it's "it"`, quoted: "it&apos;s &quot;it&quot;" },
    { form: "in HTML with a quote as a number", secret: `it's "it"`, quoted: "it&#39;s &#34;it&#34;" },
    { form: "in HTML with a quote as a hexadecimal number", secret: "it's/it/", quoted: "it&#x27;s&#x2F;it&#x2F;" },
    { form: "in JSON of ASCII alone", secret: "pässwörd", quoted: String.raw`p\u00e4ssw\u00F6rd` },
    { form: "in JSON with slashes escaped", secret: "a/b/c", quoted: String.raw`a\/b\/c` },
    { form: "in JSON that is safe in HTML", secret: "a<b>c&d", quoted: String.raw`a\u003cb\u003ec\u0026d` },
    { form: "in a URL, in small letters", secret: "a/b/c/d", quoted: "a%2fb%2fc%2fd" },
    { form: "in a URL, all that may be escaped", secret: "it's(it)", quoted: "it%27s%28it%29" },
    { form: "in one form that begins as another", secret: "sesame-open'door", quoted: "sesame-open&#39;door" },
    { form: "in a URL in a URL", secret: "it's/a/long/one", quoted: "it%2527s%252Fa%252Flong%252Fone" },
    { form: "in a form", secret: "my secret pass", quoted: "my+secret+pass" },
    { form: "in SQL", secret: "it's-a-'long'-one", quoted: "it''s-a-''long''-one" },
    { form: "in SQL as a name", secret: 'it"s-a-long-one', quoted: 'it""s-a-long-one' },
    { form: "in single quotes with backslashes", secret: String.raw`it's\long`, quoted: String.raw`it\'s\\long` },
    { form: "in a shell's single quotes", secret: "it's-a-long-one", quoted: String.raw`it'\''s-a-long-one` },
    { form: "in a shell's quotes of both kinds", secret: "it's-a-long-one", quoted: `it'"'"'s-a-long-one` },
    { form: "in a shell's quotes in JSON", secret: "it's-a-long-one", quoted: String.raw`it'\\''s-a-long-one` },
    {
      form: "in a shell's quotes in HTML",
      secret: "it's-a-long-one",
      quoted: "it&#39;&quot;&#39;&quot;&#39;s-a-long-one",
    },
    { form: "with backslashes, in a URL", secret: "abcdefgh'é/rest", quoted: String.raw`abcdefgh\'%C3%A9/rest` },
    { form: "in JSON in JSON", secret: 'it"s-a\\long-one', quoted: String.raw`it\\\"s-a\\\\long-one` },
    { form: "with quotes left out", secret: "it's-a-`long`-one", quoted: "its-a-long-one" },
    { form: "with quotes around it of its own", secret: "'it-is-long'", quoted: String.raw`\''it-is-long'\'` },
    { form: "in a mail", secret: "it's=a-long-one", quoted: "it=27s=3Da-=\r\nlong-one" },
    { form: "its line breaks after backslashes", secret: "one\ntwo\nthree", quoted: String.raw`one\ntwo\nthree` },
    { form: "its bytes after backslashes", secret: "sësame-open", quoted: String.raw`s\xc3\xABsame-open` },
    { form: "its bytes in octal after backslashes", secret: "sësame-open", quoted: String.raw`s\303\253same-open` },
    { form: "its characters after backslashes", secret: "sësame-open", quoted: String.raw`s\xebsame-open` },
    { form: "its characters in braces", secret: "s😀same-open", quoted: String.raw`s\u{1F600}same-open` },
    { form: "its characters in eight digits", secret: "s😀same-open", quoted: String.raw`s\U0001F600same-open` },
    { form: "in HTML with letters as names", secret: "é É/open-it", quoted: "&eacute; &Eacute;&sol;open-it" },
    {
      form: "in HTML with signs as names",
      secret: "[é]{É}open",
      quoted: "&lsqb;&eacute;&rsqb;&lcub;&Eacute;&rcub;open",
    },
    { form: "with its lines as one", secret: "one\ntwo\nthree", quoted: "one two three" },
    { form: "with a tab as a blank", secret: "one\ttwo\tthree", quoted: "one two three" },
  ])("is found $form", ({ secret, quoted }) => {
    expect(cleanMessage(`not ${quoted}!`, { ...nothing, secrets: [secret] })).toBe("not [redacted]!");
  });

  it.each([
    { within: "credentials of Basic", quoted: base64("api:hunter2hunter2"), clean: "YXBpO[redacted]" },
    { within: "other words", quoted: base64("is hunter2hunter2!"), clean: "aXMg[redacted]h" },
    { within: "letters that go before", quoted: `is_${base64("hunter2hunter2")}`, clean: "is_[redacted]" },
    { within: "a URL", quoted: encodeURIComponent(base64("~~~???hunter2hunter2")), clean: "fn5%2BPz8%2F[redacted]" },
    {
      within: "the lines of a mail",
      quoted: base64(`${"x".repeat(51)}hunter2hunter2`).replace(/.{76}/u, String.raw`$&\r\n`),
      clean: `${base64("x".repeat(51))}[redacted]`,
    },
  ])("is found in base64 within $within", ({ quoted, clean }) => {
    expect(cleanMessage(quoted, { ...nothing, secrets: ["hunter2hunter2"] })).toBe(clean);
  });

  const bytes = Buffer.from("ÿ\u0001sesame-open");
  it.each([
    { how: "a list", quoted: `[${bytes.join(", ")}]`, clean: "[[redacted]]" },
    { how: "a list without commas", quoted: `[${bytes.join(" ")}]`, clean: "[[redacted]]" },
    { how: "an object", quoted: JSON.stringify(Object.fromEntries(bytes.entries())), clean: '{"0":[redacted]}' },
    { how: "JSON in lines", quoted: JSON.stringify([...bytes], null, 2), clean: "[ [redacted] ]" },
    { how: "signed ones", quoted: `[${new Int8Array(bytes).join(", ")}]`, clean: "[[redacted]]" },
    {
      how: "hexadecimal ones",
      quoted: `{${[...bytes].map((byte) => `0x${byte.toString(16)}`).join(", ")}}`,
      clean: "{[redacted]}",
    },
  ])("is found as the numbers of its bytes in $how", ({ quoted, clean }) => {
    for (const secret of [bytes.toString(), bytes.toString("hex")]) {
      expect(cleanMessage(`bad ${quoted}`, { ...nothing, secrets: [secret] })).toBe(`bad ${clean}`);
    }
  });

  it.each([
    { how: "is cut", secret: "hunter2hunter2", text: "not hunter2hun… it was" },
    { how: "is cut in base64", secret: "hunter2hunter2", text: `not ${base64("hunter2hun")}… it was` },
    { how: "is a line that is cut", secret: pem, text: "not MIIEvQIBAD… it was" },
    {
      how: "is written in a way that nobody knows",
      secret: "abcdefgh'the-rest",
      text: "not abcdefgh<?the-rest> it was",
    },
    { how: "is escaped twice", secret: "abcdefgh'the-rest", text: "not abcdefgh&amp;#39;the-rest it was" },
    { how: "is escaped in two ways", secret: "abcdefgh<é/rest", text: "not abcdefgh&lt;%C3%A9/rest it was" },
    { how: "has its accents apart", secret: "abcdefgh\u00e9rest", text: "not abcdefghe\u0301rest it was" },
    { how: "has its capitals changed", secret: "abcdefghérest", text: "not abcdefghÉrest it was" },
    { how: "has short lines that are put apart", secret: "abcdefgh\n1\n2\n3", text: "not abcdefgh, 1, 2, 3 it was" },
    {
      how: "is in lines of base64 of any width",
      secret: "x".repeat(40),
      text: `not ${base64("x".repeat(40)).slice(0, 30)}\n${base64("x".repeat(40)).slice(30)} it was`,
    },
  ])("is not shown from its beginning on, nor what follows it, where it $how", ({ secret, text }) => {
    expect(cleanMessage(text, { ...nothing, secrets: [secret] })).toBe("not [redacted]");
  });

  it("takes away no more than it, whatever letters grow when they become small", () => {
    const clean = cleanMessage("İİİ Hunter2hunter2 İ HUNTER2HUNTER2.", { ...nothing, secrets: ["hunter2hunter2"] });
    expect(clean).toBe("İİİ [redacted] İ [redacted].");
  });

  it("is found among thousands of its lines", () => {
    const lines = Array.from({ length: 2000 }, (_, line) => `line-${line}-of-it`).join("\n");
    const clean = cleanMessage("line-1999-of-it ".repeat(400), { ...nothing, secrets: [lines] });
    expect(clean).not.toContain("line");
    expect(cleanMessage("no such zone", { ...nothing, secrets: [lines] })).toBe("no such zone");
  });

  it("is not looked for to the end where thousands begin as the text does: nothing of that is shown", () => {
    const lines = Array.from({ length: 2000 }, (_, line) => `password-host-${line}`).join("\n");
    const few = { ...nothing, secrets: [lines] };
    expect(cleanMessage("not password-hello", few)).toBe("not [redacted]");
    expect(cleanMessage("not password-hello ".repeat(400), few)).toBe("[redacted]");
    expect(cleanMessage("0".repeat(8000), { ...nothing, secrets: ["0".repeat(8000)] })).toBe("[redacted]");
  });
});

/** As servers, proxies and libraries write values; each is a pattern of its own, not the one by which it is looked for. */
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  plain: (value) => value,
  capitals: (value) => value.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase()),
  json: (value) => JSON.stringify(value).slice(1, -1),
  "json of ASCII": (value) => value.replaceAll(/[^ -~]|["\\/<>&]/gu, inUnits),
  url: (value) => encodeURIComponent(value.toWellFormed()),
  "url in a url": (value) => encodeURIComponent(encodeURIComponent(value.toWellFormed())),
  "url, every byte": (value) => Buffer.from(value).toString("hex").replaceAll(/../g, "%$&"),
  form: (value) => new URLSearchParams({ v: value }).toString().slice(2),
  html: (value) =>
    value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
  "html in numbers": (value) => value.toWellFormed().replaceAll(/[^\w ]/gu, (sign) => `&#${sign.codePointAt(0)};`),
  sql: (value) => value.replaceAll("'", "''"),
  "single quotes": (value) => value.replaceAll(/['\\]/g, String.raw`\$&`),
  shell: (value) => value.replaceAll("'", String.raw`'\''`),
  "shell, both quotes": (value) => value.replaceAll("'", `'"'"'`),
  mail: (value) => Buffer.from(value).toString("hex").replaceAll(/../g, "=$&"),
  "backslashes, every byte": (value) =>
    Buffer.from(value)
      .toString("hex")
      .replaceAll(/../g, String.raw`\x$&`),
  braces: (value) => value.toWellFormed().replaceAll(/[^\w ]/gu, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`),
  numbers: (value) => Buffer.from(value).join(", "),
  base64: (value) => Buffer.from(value).toString("base64"),
  base64url: (value) => Buffer.from(value).toString("base64url"),
  hexadecimal: (value) => Buffer.from(value).toString("hex"),
  "base64 in a URL": (value) => encodeURIComponent(Buffer.from(value).toString("base64")),
};

function inUnits(sign: string): string {
  return Array.from({ length: sign.length }, (_, at) => {
    return String.raw`\u${sign.charCodeAt(at).toString(16).padStart(4, "0")}`;
  }).join("");
}

/** Forms of what a hexadecimal value stands for. */
const FORMS_OF_BYTES: Readonly<Record<string, (value: string) => string>> = {
  numbers: (value) => Buffer.from(value, "hex").join(", "),
  base64: (value) => Buffer.from(value, "hex").toString("base64"),
  base64url: (value) => Buffer.from(value, "hex").toString("base64url"),
};

describe("of a secret that is all that a server says, nothing stays", () => {
  it.each(Object.entries(FORMS))("%s", (_, form) => {
    const secret = fc.oneof(fc.string({ minLength: 8 }), fc.string({ minLength: 8, unit: "binary" }));
    fc.assert(
      fc.property(secret, (value) => {
        expect(cleanMessage(form(value), { ...nothing, secrets: [value] })).toBe("[redacted]");
      }),
    );
  });

  it.each(Object.entries(FORMS_OF_BYTES))("%s, where it is hexadecimal", (_, form) => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 8, maxLength: 300 }), (bytes) => {
        const value = Buffer.from(bytes).toString("hex");
        expect(cleanMessage(form(value), { ...nothing, secrets: [value] })).toBe("[redacted]");
      }),
    );
  });
});

test("no secret of eight characters or more survives, wherever it stands", () => {
  const secret = fc.string({ minLength: 8, maxLength: 40 });
  fc.assert(
    fc.property(fc.string(), secret, fc.string(), (before, secret, after) => {
      const clean = cleanMessage(before + secret + after, { ...nothing, secrets: [secret] });
      expect(clean.replaceAll("[redacted]", "")).not.toContain(secret);
    }),
  );
});
