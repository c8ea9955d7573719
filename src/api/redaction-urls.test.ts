import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanMessage } from "./redaction.ts";

/** What of a URL that is a secret other URLs begin with as well is told; from where it may be one, nothing is. */

function clean(text: string, ...secrets: readonly string[]): string {
  return cleanMessage(text, { secrets, ids: [] });
}

const HOOK = "https://example.com/hook/T0kEn-xYz99-aBcD";

describe("of a URL that is a secret, what others have too is told", () => {
  it.each([
    { secret: HOOK, text: "no answer from https://example.com/hook" },
    { secret: HOOK, text: "no answer from https://example.com/hook/" },
    { secret: HOOK, text: "no answer from https://example.com/hook/, use https://example.com/hooks instead" },
    { secret: HOOK, text: "https://example.com/hook/other is not known" },
    { secret: HOOK, text: "https://example.org is down" },
    { secret: `\n${HOOK}\n`, text: "see https://example.com/docs" },
    { secret: `A\n${HOOK}\n`, text: "see https://example.com/docs" },
    { secret: HOOK, text: `${Buffer.from("https://example.com/docs/of/it").toString("base64")} is bad` },
    { secret: "postgres://app:Zz-top-99@db.internal/x", text: "the role postgres may not do that" },
    { secret: "https://app:Zz-top-99@api.example.com", text: "https://app.example.com is no hook" },
    { secret: "https://sk9live0Xy7@api.example.com", text: "https://other.org needs a user" },
    { secret: "https://example.com/in?kind=open&token=ab12", text: "https://example.com/in?kind=any is bad" },
    { secret: "https://example.com/in?kind=open&token=ab12", text: "https://example.com/in?kind=open has no token" },
    { secret: "https://example.com/auth/callback", text: "https://example.com/auth/confirm is not in the list" },
    { secret: "https://example.com/auth/callback?next=home", text: "https://example.com/auth/callback is not open" },
    { secret: "https://shop.example.com", text: "https://shop.example.net is not in the list" },
    { secret: "http://localhost:54321/auth/v1/callback", text: "http://localhost:54321/auth/v2 is not there" },
    { secret: "https://postgres@db.example.com/in", text: "https://postgres@db.example.org is not there" },
  ])("$text", ({ secret, text }) => {
    expect(clean(text, secret)).toBe(text);
  });
});

describe("of a URL that is a secret, nothing is told from where it may be one", () => {
  it.each([
    { why: "it is whole", secret: HOOK, text: `no answer from ${HOOK}`, shown: "no answer from [redacted]" },
    {
      why: "it is cut after one character",
      secret: HOOK,
      text: "https://example.com/hook/T… is down",
      shown: "https://example.com/hook/[redacted]",
    },
    {
      why: "it goes on in a form that nobody knows",
      secret: HOOK,
      text: "https://example.com/hook/{T}{0}{k}{E}{n} is down",
      shown: "https://example.com/hook/[redacted]",
    },
    {
      why: "the token is quoted without the rest, and cut",
      secret: HOOK,
      text: "no hook T0kEn-xYz… there",
      shown: "no hook [redacted]",
    },
    {
      why: "it is cut, in base64",
      secret: HOOK,
      text: Buffer.from(HOOK.slice(0, 32)).toString("base64"),
      shown: "aHR0cHM6Ly9leGFtcGxlLmNvbS9ob29rL[redacted]",
    },
    {
      why: "its password is cut",
      secret: "postgres://app:Zz-top-99@db.internal/x",
      text: "no postgres://app:Zz… there",
      shown: "no postgres://app:[redacted]",
    },
    {
      why: "who lets somebody in without a password is cut",
      secret: "https://sk9live0Xy7@api.example.com",
      text: "no https://sk9l… there",
      shown: "no https://[redacted]",
    },
    {
      why: "the token in its query is cut",
      secret: "https://example.com/in?kind=open&token=ab12cd34",
      text: "no https://example.com/in?kind=open&token=ab… there",
      shown: "no https://example.com/in?kind=open&token=[redacted]",
    },
    {
      why: "what is drawn at random in its query is cut",
      secret: "https://example.com/in?code=Ab12Cd34",
      text: "no https://example.com/in?code=Ab… there",
      shown: "no https://example.com/in?code=[redacted]",
    },
    {
      why: "its last word may be one, and is cut",
      secret: "https://example.com/hook/swordfish/",
      text: "no https://example.com/hook/swordfis… there",
      shown: "no https://example.com/hook/swor[redacted]",
    },
    {
      why: "its host is drawn at random, and is cut",
      secret: "https://tok3nTok3n9Zq.example.com/hook",
      text: "no https://tok3nTok3n9Zq.exam… there",
      shown: "no https://[redacted]",
    },
    {
      why: "a part of its host is drawn at random, and is cut",
      secret: "https://in.0123456789abcdef.example.com:8443/42",
      text: "no https://in.0123… there",
      shown: "no https://in.[redacted]",
    },
    {
      why: "its host is drawn, and stands alone",
      secret: "https://tok3nTok3n9Zq.example.com/hook",
      text: "getaddrinfo ENOTFOUND tok3nTok3n9Zq.example.com",
      shown: "getaddrinfo ENOTFOUND [redacted].example.com",
    },
    {
      why: "a word in the middle may be one, and the last one is cut",
      secret: "https://hooks.example.com/mysecretpath/hook",
      text: "no https://hooks.example.com/mysecretpath/ho… there",
      shown: "no https://hooks.example.com/myse[redacted]",
    },
    {
      why: "words in the middle may be one together",
      secret: "https://hooks.example.com/hooks/x7-k9-q2-p4/hook",
      text: "no https://hooks.example.com/hooks/x7-k9-q2-p4/h… there",
      shown: "no https://hooks.example.com/hooks/x7-k[redacted]",
    },
    {
      why: "a word in its query may be one, and what follows is cut",
      secret: "https://example.com/in?code=letmein&kind=open",
      text: "no https://example.com/in?code=letmein&ki… there",
      shown: "no https://example.com/in?code=letm[redacted]",
    },
    {
      why: "a word lets somebody in without a password, and is cut",
      secret: "https://swordfish12@api.example.com",
      text: "no https://swordfish… there",
      shown: "no https://swor[redacted]",
    },
    {
      why: "there are blanks before it",
      secret: `  ${HOOK}`,
      text: "no  https://example.com/hook/T0… there",
      shown: "no  https://example.com/hook/[redacted]".replace("  ", " "),
    },
  ])("where $why", ({ secret, text, shown }) => {
    expect(clean(text, secret)).toBe(shown);
  });
});

const drawn = fc
  .string({ minLength: 16, maxLength: 32, unit: fc.constantFrom(...Array.from("aZ09xQ7")) })
  .map((text) => `Q7${text}7Q`);
const words = fc.array(fc.constantFrom("hooks", "services", "v2", "in-coming"), { maxLength: 3 });
const url = fc.constantFrom(
  (path: string, token: string) => `https://example.com${path}/${token}`,
  (path: string, token: string) => `https://example.com${path}/${token}/out`,
  (path: string, token: string) => `https://example.com${path}?a=b&signature=${token}&c=d`,
  (path: string, token: string) => `https://app:${token}@example.com${path}`,
  (path: string, token: string) => `https://${token}@example.com${path}`,
);
const written = fc.constantFrom(
  (text: string) => text,
  (text: string) => encodeURIComponent(text),
  (text: string) => JSON.stringify(text).replaceAll("/", String.raw`\/`),
  (text: string) => Buffer.from(text).toString("base64"),
  (text: string) => Buffer.from(text).toString("hex"),
);

it("whatever it is made of and wherever it is cut, no telling part of its token is told", () => {
  fc.assert(
    fc.property(fc.tuple(drawn, words, url), written, fc.nat(100), ([token, path, made], write, cut) => {
      const secret = made(path.map((word) => `/${word}`).join(""), token);
      const shown = clean(`bad ${write(secret.slice(0, cut))}… it said`, secret);
      const tells = [token.slice(0, 3), write(token).slice(0, 4), Buffer.from(token).toString("hex").slice(0, 6)];
      for (const part of tells) expect(shown).not.toContain(part);
    }),
  );
});
