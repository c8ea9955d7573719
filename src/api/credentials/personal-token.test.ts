import { inspect } from "node:util";
import { describe, expect, test } from "vitest";
import { CredentialError } from "./credentials.ts";
import { PersonalToken } from "./personal-token.ts";

const signal = new AbortController().signal;

const MORE_THAN_A_TOKEN =
  "the access token has blanks or characters that no token has: expected the token alone, on one line";

describe("a personal token", () => {
  test("is read once, and again after the platform rejected it", async () => {
    const reads = ["first\n", "second"].values();
    const credential = new PersonalToken(() => Promise.resolve(reads.next().value ?? "none left"));
    expect(await credential.token(signal)).toBe("first");
    expect(await credential.token(signal)).toBe("first");
    credential.onRejected("first");
    expect(await credential.token(signal)).toBe("second");
  });

  test("is not read again for the rejection of a token that was replaced already", async () => {
    const credential = new PersonalToken("current");
    await credential.token(signal);
    credential.onRejected("old");
    expect(await credential.token(signal)).toBe("current");
  });

  test.each([
    ["", "the access token is empty: expected the token alone, on one line"],
    ["  \n", "the access token is empty: expected the token alone, on one line"],
    ["two words", MORE_THAN_A_TOKEN],
    ["sn\u00f6", MORE_THAN_A_TOKEN],
    ["line\r\nfeed", MORE_THAN_A_TOKEN],
  ])("%j is refused before it is sent", async (text, message) => {
    await expect(new PersonalToken(text).token(signal)).rejects.toEqual(new CredentialError(message));
  });

  test("is not in what is printed of the credential", async () => {
    const credential = new PersonalToken("tell-nobody");
    await credential.token(signal);
    const printed = [inspect(credential, { showHidden: true }), JSON.stringify({ credential }), String(credential)];
    for (const text of printed) expect(text).not.toContain("tell-nobody");
  });
});
