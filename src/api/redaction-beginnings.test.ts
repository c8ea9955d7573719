import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanMessage } from "./redaction.ts";

/** What is said after the first bytes of a secret: words of the platform's own where the secret begins as they do, else what nobody may see. */

function clean(text: string, ...secrets: readonly string[]): string {
  return cleanMessage(text, { secrets, ids: [] });
}

describe("what follows a word that a secret begins with", () => {
  it.each([
    {
      secret: "password-of-mine",
      text: "password must have a digit: add one",
      shown: "[redacted] must have a digit: add one",
    },
    {
      secret: "password123",
      text: "password is too short: use 12 characters",
      shown: "[redacted] is too short: use 12 characters",
    },
    {
      secret: "postgresql://u:p@h/db",
      text: "the role postgres may not do that",
      shown: "the role postgres may not do that",
    },
    {
      secret: "https://hooks.one.org/abc",
      text: "see https://docs.two.net/why for more",
      shown: "see https://docs.two.net/why for more",
    },
    {
      secret: "password-of-mine",
      text: 'the field "password" is too short',
      shown: 'the field "[redacted]" is too short',
    },
    { secret: "password-of-mine", text: "Password: add a digit", shown: "[redacted]: add a digit" },
    {
      secret: "password-of-mine",
      text: "password, Password and PASSWORD are one",
      shown: "[redacted], [redacted] and [redacted] are one",
    },
    {
      secret: "password-of-mine",
      text: "password password-of-mine must have a digit",
      shown: "[redacted] [redacted] must have a digit",
    },
  ])("is told: $text", ({ secret, text, shown }) => {
    expect(clean(text, secret)).toBe(shown);
  });

  it.each([
    { why: "the rest stands apart by blanks", secret: "password-of-mine", text: "password of mine is bad" },
    { why: "the rest is one of its words, and is cut", secret: "password-of-mine", text: "password of, it says" },
    { why: "digits stand apart", secret: "password123", text: "password 1 2 3 is bad" },
    {
      why: "blanks of the rest are escaped in it",
      secret: "my-secret-key%20is%20in%20the%20box",
      text: "my-secret-key is in the box",
    },
    { why: "the rest is signs alone", secret: "password!@#$%^", text: 'password must not go with "!@#$%^"' },
    { why: "the rest comes later", secret: "password-of-mine", text: "password was sent with of-mine at its end" },
    {
      why: "the rest comes later, escaped",
      secret: "password-of-mine",
      text: "password was sent with %6Ff-mine at its end",
    },
    { why: "little of the rest comes later", secret: "password-x7", text: "password was sent with x7 at its end" },
    { why: "some sign is another", secret: "password-of-mine", text: "passwordxof-mine is bad" },
    { why: "a letter is of another alphabet", secret: "passwordé", text: "passwordes is bad" },
    { why: "a sign is in letters", secret: "password%é", text: "passwordx2dxe9 is bad" },
    { why: "the word goes on", secret: "password1234", text: "passwordless login is off" },
    { why: "a backslash follows", secret: "password1@é", text: String.raw`password\N{DIGIT ONE} is bad` },
    { why: "a quote goes on", secret: "password1@é", text: `password"Chr is bad` },
    { why: "a number follows", secret: "password1@é", text: "password 233 is bad" },
    { why: "stars follow", secret: "password1@é", text: "password**** is bad" },
    { why: "it is in letters", secret: "password1@é", text: `${Buffer.from("password").toString("hex")} is bad` },
  ])("is not where $why", ({ secret, text }) => {
    expect(clean(text, secret)).toBe("[redacted]");
  });

  it("is told in as little time where the word comes over and over", () => {
    const text = "password must be ".repeat(480);
    expect(clean(text, "password-of-mine")).toContain("must be [redacted] must be");
    const secrets = Array.from({ length: 2000 }, (_, n) => `password-${n}-of-mine`);
    expect(clean(text, ...secrets)).toBe("[redacted]");
  });

  it("has no four letters or digits of the rest, however it is written and whatever stands between", () => {
    const rest = fc.string({ minLength: 4, maxLength: 12, unit: fc.constantFrom(...Array.from("wxyz789-'. ")) });
    const between = fc.constantFrom("", " ", " no ", "no", ": no ", "' no ", "\\", "%", ", ");
    const form = fc.constantFrom(
      (value: string) => value,
      (value: string) => JSON.stringify(value).slice(1, -1),
      (value: string) => encodeURIComponent(value),
      (value: string) => value.replaceAll("'", String.raw`'\''`),
      (value: string) => value.replaceAll(/[^\w]/g, ""),
      (value: string) => value.replaceAll(/[^\w]/g, "_"),
    );
    fc.assert(
      fc.property(rest, between, form, (value, separator, write) => {
        const shown = clean(`bad password${separator}${write(value)} or so`, `password${value}`);
        const letters = (text: string): string => text.replaceAll(/[^a-z0-9]/g, "");
        const [said, secret] = [letters(shown.replaceAll("[redacted]", "")), letters(value)];
        for (let at = 0; at + 4 <= secret.length; at += 1) expect(said).not.toContain(secret.slice(at, at + 4));
      }),
    );
  });
});
